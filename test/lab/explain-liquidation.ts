/** An explained liquidation against the oracle: the seconds before it, each step, and who paid (rules 5.9, 6.8, 13.7, 16.2). */
import assert from 'node:assert/strict';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { OrderKind } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import type { Explanation, Moment } from '../../src/lab/explain/explanation.ts';
import { assertMargin, assertPostings } from './explain-assertions.ts';
import { type Funds, LiquidationWalk } from './explain-liquidation-walk.ts';
import {
  type AccountFacts,
  coinOf,
  contractOf,
  isolatedMargin,
  isZero,
  liquidationLevel,
  marginOf,
  percent,
} from './explain-oracle.ts';
import { factsOf, fundsOf, type Scene } from './explain-scene.ts';
import type { DirectPrices } from './explain-settlement.ts';
import { Q } from './rational.ts';

/** `counterparty` is the account that is deleveraged, where it may be unable to bear the price. */
export function assertLiquidation(scene: Scene, uid: number, counterparty?: number): Explanation {
  const explained = scene.liquidation(uid);
  const { seq } = explained.command;
  const seconds = explained.timeline.filter(({ what }) => /^margin ratio|^the last safe second/.test(what));
  const wanted = new Set(seconds.map(({ seq: at }) => at));
  const replay = new Exchange();
  const rows = new Map<number, AccountFacts>();
  let funds: Funds | undefined;
  let other: AccountFacts | undefined;
  for (const [n, { command }] of scene.log.slice(0, seq).entries()) {
    if (n + 1 === seq) {
      funds = fundsOf(replay);
      other = counterparty === undefined ? undefined : factsOf(replay, counterparty);
    }
    replay.apply(command, n + 1);
    replay.takeEvents();
    if (n + 1 < seq && (wanted.has(n + 1) || n + 2 === seq)) rows.set(n + 1, factsOf(replay, uid));
  }
  for (const second of seconds) assertSecond(second, rows.get(second.seq)!);
  const after = factsOf(replay, uid);
  const before = atPricesOf(after, rows.get(seq - 1)!);
  assertMargin(explained.margin!, before);
  const steps = explained.timeline.slice(seconds.length);
  // Closes of others in the same second have their part of the funds.
  const alone = !scene.log[seq - 1]!.events.some((event) => isForcedOf(event, uid));
  const walk = new LiquidationWalk(
    before,
    directPrices(replay),
    alone ? funds : undefined,
    other && atPricesOf(after, other),
  );
  for (const step of steps) walk.take(step);
  walk.end(after);
  assertPostings(explained, uid, before, after);
  return explained;
}

/** A forced close or a payment of a fund for another account. */
function isForcedOf(event: Event, but: number): boolean {
  if (event.type === 'fill')
    return event.fill.uid !== but && FORCED_KINDS.has(event.fill.futures?.kind ?? OrderKind.user);
  return event.type === 'ledgerLine' && event.kind === 'liquidation' && event.uid !== but;
}
const FORCED_KINDS: ReadonlySet<OrderKind> = new Set([OrderKind.reduce, OrderKind.liquidation]);

/** What the account had before, at the marks and coin prices of the instant. */
function atPricesOf(prices: AccountFacts, facts: AccountFacts): AccountFacts {
  return {
    ...facts,
    coins: facts.coins.map((coin) => ({ ...coin, price: coinOf(prices, coin.name).price })),
    contracts: facts.contracts.map((each) => ({ ...each, mark: contractOf(prices, each.name).mark })),
  };
}

/** The index of the pair BTCUSDT prices conversions between the two. */
function directPrices({ state }: Exchange): DirectPrices {
  const { price } = state.indices[state.indexByName.get('BTCUSDT')!]!;
  return new Map([['BTCUSDT', new Q(price, 10n ** 8n)]]);
}

function assertSecond({ facts: shown }: Moment, facts: AccountFacts): void {
  const { effective, maintenance } = marginOf(facts);
  const held = facts.contracts.filter(({ size }) => !isZero(size));
  const sideOf = (size: Q) => (size.compare(Q.zero) > 0 ? 'long' : 'short');
  assert.deepEqual(shown, {
    ...Object.fromEntries(held.map(({ name, mark }) => [`mark ${name}`, String(mark)])),
    equity: String(effective),
    maintenance: String(maintenance),
    ratio: isZero(maintenance) ? '0 %' : percent(maintenance, effective),
    liquidationRatio: percent(liquidationLevel(facts), Q.of('1')),
    ...Object.fromEntries(
      held
        .filter(({ isolated }) => isolated)
        .map((contract) => {
          const own = isolatedMargin(contract);
          return [`isolated ${contract.name} ${sideOf(contract.size)}`, percent(own.maintenance, own.equity)];
        }),
    ),
  });
}
