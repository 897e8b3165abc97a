/**
 * A crash: two thousand leveraged accounts, a fall of thirty percent within a minute. Forced closes meet a thin book,
 * use up the insurance fund and are deleveraged; afterwards nobody is below maintenance, nothing was lost or created,
 * and a replay (also one that restarts in the middle of it) comes to the same state.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { isDue } from '../../src/core/liquidation/liquidation-check.ts';
import { markTicks } from '../../src/core/margin/margin.ts';
import type { Command } from '../../src/core/model/command.ts';
import { NEWEST_EDITION } from '../../src/core/model/edition.ts';
import { HoldMode, OrderKind, PosSide, Side } from '../../src/core/model/enums.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import { PositionAudit } from '../core/oracle/position-audit.ts';
import { contract, PRICES, Rng } from './futures-flow.ts';
import { account, coin, deposit, OPENING_TIME, order } from './venue.ts';

const ACCOUNTS = 2000;
const SECONDS = 60;
/** Four accounts that are liquidated, or 320 that are passed. */
const PORTION = 40;
const ONE = 10n ** 8n;
const [PRICE] = PRICES;
/** Dollars and leverage: everybody holds nearly what the leverage allows, the larger ones in tiers that are reduced first. */
const STAKES = [
  [5, 100],
  [50, 50],
  [100, 20],
  [800, 10],
  [100, 3],
] as const;

const price = (time: number, units: bigint): Command => ({
  type: 'componentPrice',
  time,
  index: 0,
  component: 0,
  price: units,
  volume: 0n,
});

/** Two of three buy what the third sells; every fourth is isolated, every fifth hedges. */
function crowd(): Command[] {
  const dice = new Rng(30);
  const commands: Command[] = [
    coin('USDT'),
    coin('AAA'),
    contract('AAA', 'USDT', 'USDT-FUTURES', '100'),
    price(OPENING_TIME, PRICE!),
    { type: 'tick', time: OPENING_TIME + 1000 },
  ];
  const time = OPENING_TIME + 1000;
  let bought = 0;
  for (let uid = 1; uid <= ACCOUNTS; uid++) {
    const hedge = uid % 5 === 0;
    const [cash, leverage] = dice.pick(STAKES);
    commands.push(account(uid), deposit(uid, 0, BigInt(cash) * ONE));
    if (uid % 4 === 0) commands.push({ type: 'setMarginMode', time, uid, instrument: 0, isolated: true });
    if (hedge) commands.push({ type: 'setHoldMode', time, uid, holdMode: HoldMode.hedge });
    commands.push({
      type: 'setLeverage',
      time,
      uid,
      instrument: 0,
      longLeverage: leverage,
      shortLeverage: leverage,
    });
    const lots = Math.floor(cash * leverage * (0.6 + 0.25 * dice.next()));
    const buying = uid % 3 !== 0;
    const posSide = buying ? PosSide.long : PosSide.short;
    // A seller takes what the two buyers before it bid for.
    const sizeLots = buying ? lots : bought;
    bought = buying ? bought + lots : 0;
    if (!buying) commands.push(deposit(uid, 0, BigInt(Math.ceil(sizeLots / 3)) * ONE));
    commands.push(
      order({
        time,
        uid,
        side: buying ? Side.buy : Side.sell,
        priceTicks: 1000,
        sizeLots,
        ...(hedge && { posSide }),
      }),
    );
    // A thin book below: bids that a few of the forced closes will meet.
    if (!buying && uid % 30 === 0) {
      const bid = { time, uid, side: Side.buy, sizeLots: 500, ...(hedge && { posSide: PosSide.long }) };
      commands.push(order({ ...bid, priceTicks: 640 + dice.below(340) }));
    }
  }
  return commands;
}

function fall(): Command[] {
  const commands: Command[] = [];
  for (let second = 1; second <= SECONDS; second++) {
    const time = OPENING_TIME + 2000 + second * 1000;
    commands.push(price(time, (PRICE! * BigInt(10_000 - 58 * second)) / 10_000n), {
      type: 'tick',
      time: time + 999,
    });
  }
  commands.push({ type: 'tick', time: OPENING_TIME + 2000 + (SECONDS + 2) * 1000 });
  return commands;
}

function run(exchange: Exchange, commands: readonly Command[]): Uint8Array {
  for (const command of commands) {
    exchange.apply(command);
    exchange.takeEvents();
  }
  return saveState(exchange.state).slice();
}

test('a cascade: 2,000 leveraged accounts, a fall of 30 % in a minute', () => {
  const log = [...crowd(), ...fall()];
  const exchange = new Exchange();
  const { state } = exchange;
  const audit = new PositionAudit(state, assert.fail);
  const kinds = new Map<OrderKind, number>();
  let insured = 0;
  let held = 0;
  for (const [n, command] of log.entries()) {
    exchange.apply(command);
    const events = exchange.takeEvents();
    audit.observe(events);
    for (const event of events) {
      if (event.type === 'ledgerLine' && event.kind === 'liquidation' && event.amount > 0n) insured++;
      const kind = event.type === 'fill' ? event.fill.futures!.kind : OrderKind.user;
      if (kind !== OrderKind.user) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    const { openInterest } = state.markets[0]?.futures ?? { openInterest: 0 };
    held = Math.max(held, openInterest);
    if (command.type === 'componentPrice' || n === log.length - 1) checkInvariants(state);
  }
  const mark = markTicks(state, state.instruments[0]!);
  assert.ok(mark <= 700, `the mark is still at ${mark}`);
  for (const each of state.accountByUid.values()) {
    assert.ok(!isDue(state, each), `account ${each.uid} is below its maintenance margin`);
    assert.ok(state.ledger.balanceOf(each.index, 0, Bucket.cash) >= 0n, `account ${each.uid} owes money`);
  }
  assert.ok(state.ledger.balanceOf(SystemAccount.insurance, 0, Bucket.cash) >= 0n);
  const { openInterest } = state.markets[0]!.futures!;
  const count = (kind: OrderKind) => kinds.get(kind) ?? 0;
  assert.ok(held > 1_000_000 && openInterest < held / 2, `${openInterest} of ${held} lots are left`);
  assert.ok(count(OrderKind.liquidation) > 1000, `${count(OrderKind.liquidation)} liquidations`);
  assert.ok(count(OrderKind.reduce) > 200, `${count(OrderKind.reduce)} reductions by tier`);
  assert.ok(count(OrderKind.adl) > 500, `${count(OrderKind.adl)} deleveragings`);
  assert.ok(insured > 20, `${insured} payments of the fund`);

  const end = saveState(state).slice();
  assert.deepEqual(run(new Exchange(), log), end, 'I40: a replay differs');
  const middle = log.length - SECONDS;
  const restarted = new Exchange(loadState(run(new Exchange(), log.slice(0, middle))));
  assert.deepEqual(
    run(restarted, log.slice(middle)),
    end,
    'I40: a restart in the middle of the fall differs',
  );
});

test('the same fall in portions: a restart after any of them comes to the same state, and nobody is left due (rules 18.1)', () => {
  const exchange = new Exchange();
  const { state } = exchange;
  state.portion = PORTION;
  const log: Command[] = [];
  const apply = (command: Command) => {
    log.push(command);
    exchange.apply(command);
    return exchange.takeEvents();
  };
  apply({ type: 'setEdition', time: OPENING_TIME, edition: NEWEST_EDITION });
  for (const command of crowd()) apply(command);
  const dice = new Rng(8);
  const restarts: { readonly at: number; readonly image: Uint8Array }[] = [];
  let [closed, inOneCommand, waited] = [0, 0, 0];
  for (const command of fall()) {
    let events = apply(command);
    for (;;) {
      const fills = events.filter(
        (event) => event.type === 'fill' && event.fill.futures!.kind === OrderKind.liquidation,
      );
      closed += fills.length;
      inOneCommand = Math.max(inOneCommand, fills.length);
      if (!exchange.hasOpenWork) break;
      waited++;
      if (dice.chance(0.01)) restarts.push({ at: log.length, image: saveState(state).slice() });
      // Somebody acts between the portions, due or not.
      const uid = 1 + dice.below(ACCOUNTS);
      if (dice.chance(0.2)) apply({ ...deposit(uid, 0, ONE), time: state.now });
      events = apply({ type: 'tick', time: state.now });
    }
    for (const each of state.accountByUid.values())
      assert.ok(!isDue(state, each), `account ${each.uid} is below its maintenance margin`);
  }
  checkInvariants(state);
  assert.ok(
    closed > 500 && waited > 500,
    `${closed} fills of liquidations, ${waited} times between portions`,
  );
  assert.ok(inOneCommand < closed / 10, `${inOneCommand} of ${closed} fills of liquidations in one command`);
  assert.ok(restarts.length > 3);
  const end = saveState(state).slice();
  for (const { at, image } of restarts.slice(0, 8)) {
    const restarted = new Exchange(loadState(image));
    restarted.state.portion = PORTION;
    assert.deepEqual(run(restarted, log.slice(at)), end, `I40: a restart after command ${at} differs`);
  }
});
