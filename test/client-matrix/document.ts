/** `docs/clients.md`, made of what the matrix runs: each suite keeps its own part between two marks. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, '../../docs/clients.md');
const REFRESH = 'REFRESH_DOCS=1 node --test test/client-matrix/*.test.ts';
const PARTS = ['ccxt', 'sdk'] as const;
type Part = (typeof PARTS)[number];

const INTRODUCTION = `# Clients

Every call that the two client libraries can make, against one running exchange with a simulated market: what it was
checked for, or why it is not served. The page is printed by \`${REFRESH}\`
from the tables that the test runs; it fails when a library has a method without a row, when a row no longer works, and
when this page is stale. Unknown paths answer 404 with code \`40404\`.

How to point a client at the exchange: \`npm run -s bourse -- client ccxt-js|ccxt-py|sdk|curl\`, or \`examples/\`.

Two things that ccxt shows otherwise than one expects:

- **Fees have the other sign.** Over HTTP ccxt turns the sign of the fee of fills and orders (\`fetchMyTrades\`, \`fetchOrder\`
  and the like): a fee that was charged is a negative \`fee.cost\`, a rebate a positive one. Over sockets
  (\`watchMyTrades\`) the sign is that of the exchange, positive when charged. What was charged is \`-trade.fee.cost\`, or,
  as the exchange says it, \`Number(trade.info.feeDetail[0].fee)\`.
- **A market buy on spot is placed in quote money and shown in base coin.** ccxt sends \`amount\` as it is, and the exchange
  spends that much quote money: \`createOrder('ETH/USDT', 'market', 'buy', 0.4)\` asks for ETH worth 0.4 USDT and is
  refused (25611); a \`price\` changes nothing. Write \`createMarketBuyOrderWithCost('ETH/USDT', 1000)\` to spend 1000 USDT.
  To get 0.4 ETH write \`createOrder('ETH/USDT', 'limit', 'buy', 0.4, worst, { timeInForce: 'IOC' })\` with the worst
  price that you would pay. The order that comes back has as \`amount\` the base coin that it bought, as \`cost\` what it
  paid, and in \`info.amount\` what it was allowed to spend.
`;

const begin = (part: Part) => `<!-- ${part} -->`;
const end = (part: Part) => `<!-- end of ${part} -->`;

export function documentSection(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [`## ${title}`, '', line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}

function partOf(text: string, part: Part): string | undefined {
  const from = text.indexOf(begin(part));
  const to = text.indexOf(end(part));
  return from < 0 || to < 0 ? undefined : text.slice(from, to + end(part).length);
}

/** Compares the part with the page, or writes it when asked to. */
export function keepDocument(part: Part, sections: readonly string[]): void {
  const wanted = `${begin(part)}\n\n${sections.join('\n')}\n${end(part)}`;
  const present = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  if (process.env.REFRESH_DOCS === '1') {
    const parts = PARTS.map((each) => (each === part ? wanted : partOf(present, each)));
    writeFileSync(FILE, `${[INTRODUCTION, ...parts.filter((each) => each !== undefined)].join('\n')}\n`);
    return;
  }
  assert.ok(
    present.startsWith(INTRODUCTION) && partOf(present, part) === wanted,
    `docs/clients.md is stale; run: ${REFRESH}`,
  );
}
