/**
 * The page of the operator's listener for browsers: what it is and how to use it. It shows nothing that needs a
 * token.
 */
import { definitions, htmlPage } from '../http/page.ts';

export const FIRST_PAGE = htmlPage(
  'Bourse: operator',
  `<h1>The operator's listener</h1>
<p>Here the operator of a Bourse exchange runs it. There is no page to do so yet; the command line does it, in the
directory of the project:</p>
<pre>npm run bourse -- help</pre>
${definitions([
  ['<code>npm run bourse -- health</code>', 'does it run, since when, and where users reach it'],
  ['<code>npm run bourse -- account list</code>', 'accounts, keys, deposits, withdrawals: each is a command'],
  ['<code>npm run bourse -- audit show</code>', 'who did what'],
  ['<code>docs/operator.md</code>', 'all of it, in the directory of the project'],
])}
<p>It finds the exchange by its data directory: add <code>--data DIR</code> if the exchange was started with it. Requests
without the operator's token are refused.</p>`,
);
