'use strict';
/** `npm pack` and `npm publish` here would pack the repository, whose TypeScript Node does not run under `node_modules`. */
process.stderr.write(
  'bourse: this is the repository; "npm run package" makes the package that is published\n',
);
process.exit(1);
