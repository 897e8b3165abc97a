/** `docs/errors.md` is the table of failures, printed. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Again, CATALOGUE, entryOf, type WireCode } from '../../src/api/wire/error-catalogue.ts';

const FILE = join(import.meta.dirname, '../../docs/errors.md');
const REFRESH = 'REFRESH_DOCS=1 node --test test/docs/errors.test.ts';

const INTRODUCTION = `# Errors

A request that fails is answered with \`{"code": "25202", "msg": "balance is insufficient: …", "requestTime": …, "data":
null}\`. The code says what kind of failure it is and never changes its meaning; the message says which value was wrong and
what would be right, and may change. Items of a batch have a code and a message each. Printed from
\`src/api/wire/error-catalogue.ts\` by \`${REFRESH}\`.

- A refused request changed nothing, 429 included: wait for \`Retry-After\` seconds and send it again. One exception is asked
  for: a modification with \`autoCancel\` that fails cancels its order.
- After 40010, 25000 or a connection that broke the outcome is unknown. Ask for the order by its \`clientOid\` before you send
  it again: the same \`clientOid\` is refused (25212) only while its order is open.
- *Send again* says when the same request may be sent again: after a correction, later as it is, or only after asking what
  became of it.
- *Older code* is what \`--error-dialect classic\` sends instead, for clients that know only the older ones.
- A request for a host name that is not allowed is answered with HTTP status 421, one of a foreign web page with 403, both with
  40017: [operator.md](operator.md#host-names-web-pages-and-proxies).
- Sockets refuse orders with the codes below, and everything else with 30001 to 30033: [streams-rules.md](streams-rules.md#codes).

| code | HTTP status | older code | means | send again |
|---|---|---|---|---|
`;

const AGAIN: Readonly<Record<Again, string>> = {
  corrected: 'after a correction',
  later: 'later',
  asked: 'ask first',
};

function documentText(): string {
  const codes = (Object.keys(CATALOGUE) as WireCode[]).sort((a, b) => Number(a) - Number(b));
  const rows = codes.map((code) => {
    const { means, status = 400, classic = '', again = 'corrected' } = entryOf(code);
    return `| ${code} | ${status} | ${classic} | ${means} | ${AGAIN[again]} |\n`;
  });
  return INTRODUCTION + rows.join('');
}

test('docs/errors.md shows every code', () => {
  if (process.env.REFRESH_DOCS === '1') writeFileSync(FILE, documentText());
  assert.ok(readFileSync(FILE, 'utf8') === documentText(), `docs/errors.md is stale; run: ${REFRESH}`);
});
