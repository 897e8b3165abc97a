/** `docs/permissions.md` is the route table, printed. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessText } from '../../src/api/auth/permissions.ts';
import { ROUTES } from '../../src/api/http/routes.ts';
import { limitText, type Route } from '../../src/api/route.ts';

const FILE = join(import.meta.dirname, '../../docs/permissions.md');
const REFRESH = 'REFRESH_DOCS=1 node --test test/security/permission-document.test.ts';

const INTRODUCTION = `# Permissions

Who may call what, how often: one row per route, printed from the route table (\`src/api/http/routes.ts\`) by
\`${REFRESH}\`; the test fails when this page is stale. The same
sentences stand in the OpenAPI document (\`/openapi.json\`). A route cannot be written without a row.

- *read* is open to \`read_only\` and \`read_write\` keys, *read & write* to \`read_write\` keys only.
- *main account* excludes the keys of sub-accounts; *broker* excludes everybody else with 40029. All other refusals of
  this table are 40014. They come before the body is looked at, and before the call counts against the limit.
- A sub-account, and a key of one, is looked up under the calling account only: a stranger's and a missing one give the
  same answer.
- A main account gives a sub-account's key at most the permissions that the calling key has itself.
- A broker can withhold rights from a whole sub-account (\`broker/modify-sub\`, \`permList\`); they are checked after the
  key's permissions and refused with 25620. Cancelling orders is never withheld.
- A frozen account, and a sub-account of one, is refused with 40031 and 40068 on every private route. Its orders
  and triggers are cancelled with that, as nobody could cancel them any more; take-profits and stop-losses stay.

`;

function documentText(): string {
  const groups = new Map<string, Route[]>();
  for (const route of ROUTES) groups.set(route.group, [...(groups.get(route.group) ?? []), route]);
  const sections = [...groups].map(([group, routes]) =>
    [`## ${group}`, '', '| call | permission | limit |', '|---|---|---|', ...routes.map(rowText), ''].join(
      '\n',
    ),
  );
  return INTRODUCTION + sections.join('\n');
}

function rowText(route: Route): string {
  return `| ${route.method} ${route.path} | ${accessText(route.access)} | ${limitText(route)} |`;
}

test('docs/permissions.md shows every route with its permission and limit', () => {
  if (process.env.REFRESH_DOCS === '1') writeFileSync(FILE, documentText());
  assert.ok(readFileSync(FILE, 'utf8') === documentText(), `docs/permissions.md is stale; run: ${REFRESH}`);
});
