/**
 * `npm start` and `npm run` without npm, whose own start costs more than most commands: for a document with dozens of
 * them. That npm itself leads to the programs is tested elsewhere (`commands.test.ts`, `test/app/endings.test.ts`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { programModule } from '../harness/program.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { ROOT } from './blocks.ts';

const SCRIPTS = ['start', 'bourse'] as const;

/**
 * The PATH on which the stand-in comes first; its scripts are those of package.json and find what npm lets them find, with
 * the programs that the run of the tests has (`harness/program.ts`).
 */
export function pathWithStandIn(): string {
  const directory = temporaryDirectory();
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const scriptOf = (name: string) => scripts[name].replace(/src\/\S+/, programModule);
  const text = `#!/bin/sh
[ "$1" = run ] && shift
[ "$1" = -s ] && shift
name=$1
shift
[ "$1" = -- ] && shift
case $name in
${SCRIPTS.map((name) => `  ${name}) exec ${scriptOf(name)} "$@" ;;`).join('\n')}
esac
echo "no script $name here" >&2
exit 1
`;
  writeFileSync(join(directory, 'npm'), text, { mode: 0o755 });
  return [directory, join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
}
