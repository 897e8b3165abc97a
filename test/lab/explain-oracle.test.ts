/**
 * Every number of an explanation, recomputed in exact fractions from raw facts and the formulas of the rule book: orders that were
 * refused for margin or risk, fills with their fees and postings, liquidations second by second (rules 4.3, 5.5, 5.6, 6.1 to 6.3).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { Command, PlaceOrder } from '../../src/core/model/command.ts';
import { OrderType, Side } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import type { CoinSpec, InstrumentSpec } from '../../src/core/model/listing-spec.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { Explainer } from '../../src/lab/explain/explainer.ts';
import type { Explanation } from '../../src/lab/explain/explanation.ts';
import { FedPast } from '../../src/lab/explain/past.ts';
import { BTC_PERPETUAL, BTC_TIERS, priced } from '../core/futures/futures-floor.ts';
import { Rng as Chance } from '../property/futures-flow.ts';
import { account, deposit, OPENING_TIME, order } from '../property/venue.ts';
import {
  type AccountFacts,
  type ContractTerms,
  feeOf,
  isAccepted,
  type Margin,
  maintenanceOfOrder,
  marginOf,
  type OrderFacts,
  percent,
  ratioWith,
} from './explain-oracle.ts';
import { Q, sumOf } from './rational.ts';

class Rng extends Chance {
  /** A whole number, both ends included. */
  range(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }
}

const [ANN, BEN, MAKER] = [1, 2, 9];
const CONTRACT = 'USDT-FUTURES BTCUSDT';
const TICK = 10n;
const LOT = 10_000n;
const UP = '0.005';
const SLICES = [
  ['0', '0.975'],
  ['2000', '0.97'],
  ['9000', '0.9'],
] as const;

const COINS: readonly CoinSpec[] = [
  { coin: 'USDT', name: 'USDT', chains: [] },
  { coin: 'USD', name: 'USD', chains: [] },
  {
    coin: 'BTC',
    name: 'BTC',
    chains: [],
    collateral: SLICES.map(([tierStartValue, discountRate]) => ({ tierStartValue, discountRate })),
  },
];
const PERPETUAL: InstrumentSpec = {
  ...BTC_PERPETUAL,
  futures: { ...BTC_PERPETUAL.futures!, feeRateUpRatio: UP },
};
const TERMS: ContractTerms = {
  takerFee: Q.of(PERPETUAL.takerFeeRate),
  makerFee: Q.of(PERPETUAL.makerFeeRate),
  feeReserve: Q.of(UP),
  tiers: BTC_TIERS.map(({ upTo, mmr, maxLeverage }) => ({
    upTo: Q.of(upTo),
    rate: Q.of(mmr),
    maxLeverage: Number(maxLeverage),
  })),
};

const price = (ticks: number): Q => new Q(BigInt(ticks), TICK);
const size = (lots: number): Q => new Q(BigInt(lots), LOT);
const money = (units: bigint): Q => new Q(units, 10n ** 8n);

/** Raw facts of an account: cells, positions, orders and prices as they lie in the state. */
function factsOf({ state }: Exchange, uid: number): AccountFacts {
  const { ledger, slab } = state;
  const owner = state.accountByUid.get(uid)!;
  const [held] = owner.positions.values();
  const orders: OrderFacts[] = [];
  for (let slot = owner.firstOrder; slot >= 0; slot = slab.accountNext[slot]!)
    orders.push({
      buy: slab.side[slot] === Side.buy,
      price: price(slab.price[slot]!),
      qty: size(slab.remaining[slot]!),
    });
  return {
    coins: ledger.coinsOf(owner.index).map((coin) => ({
      name: state.coins[coin]!.coin,
      balance: money(ledger.balanceOf(owner.index, coin, 0) + ledger.balanceOf(owner.index, coin, 1)),
      price: money(state.coinPrices[coin]!),
      slices:
        state.coins[coin]!.coin === 'BTC'
          ? SLICES.map(([from, rate]) => ({ from: Q.of(from), rate: Q.of(rate) }))
          : undefined,
    })),
    settle: 'USDT',
    size: size(held?.size ?? 0),
    basis: money(held?.basis ?? 0n),
    mark: price(state.markets[0]!.futures!.markTicks),
    leverage: new Q(BigInt(owner.futuresSettings.get(0)?.longLeverage ?? 10)),
    orders,
    terms: TERMS,
  };
}

/** A run of commands, and for each the facts before it. */
class Scene {
  readonly exchange = new Exchange();
  readonly log: {
    readonly command: Command;
    readonly events: readonly Event[];
    readonly before: Map<number, AccountFacts>;
    readonly reason: RejectReason;
  }[] = [];
  readonly #past = new FedPast();
  readonly #explainer = new Explainer(this.#past);
  time = OPENING_TIME;

  constructor(withCollateral: boolean, rng: Rng) {
    for (const spec of COINS) this.send({ type: 'listCoin', time: this.time, spec });
    for (const spec of [PERPETUAL, priced('USDT'), priced('BTC')])
      this.send({ type: 'listInstrument', time: this.time, spec });
    this.send({ type: 'setEdition', time: this.time, edition: 5 });
    for (const uid of [ANN, BEN, MAKER]) this.send(account(uid));
    for (const uid of [ANN, BEN]) {
      this.send(deposit(uid, 0, BigInt(rng.range(1_000, 9_000)) * 10n ** 8n + 123n));
      if (withCollateral) this.send(deposit(uid, 2, BigInt(rng.range(1, 40)) * 10n ** 6n + 7n));
    }
    this.send(deposit(MAKER, 0, 10n ** 16n));
    this.tell('USDTUSD', 99_870_000n);
    this.price(60_000);
  }

  send(command: Command): RejectReason {
    const before = new Map(
      [...this.exchange.state.accountByUid.keys()].map((uid) => [
        uid,
        uid === MAKER || this.exchange.state.coinPrices.length === 0
          ? undefined!
          : factsOf(this.exchange, uid),
      ]),
    );
    const { rejectReason } = this.exchange.apply(command, this.log.length + 1);
    this.log.push({ command, events: this.exchange.takeEvents(), before, reason: rejectReason });
    return rejectReason;
  }

  tell(name: string, units: bigint): void {
    const index = this.exchange.state.indexByName.get(name)!;
    this.send({ type: 'componentPrice', time: this.time, index, component: 0, price: units, volume: 0n });
  }

  /** The index and, a second later, the mark. */
  price(dollars: number): void {
    for (const name of ['BTCUSDT', 'BTCUSD']) this.tell(name, BigInt(Math.round(dollars * 10)) * 10n ** 7n);
    this.time += 1000;
    this.send({ type: 'tick', time: this.time });
  }

  quote(dollars: number, lots: number): void {
    this.send({ type: 'cancelAll', time: this.time, uid: MAKER, category: 2, instrument: 0 });
    for (const [side, away] of [
      [Side.buy, -3],
      [Side.sell, 3],
      [Side.buy, -40],
      [Side.sell, 40],
    ] as const)
      this.send(this.limit(MAKER, side, Math.round(dollars * 10) + away, lots));
  }

  limit(uid: number, side: Side, priceTicks: number, sizeLots: number): PlaceOrder {
    return order({ time: this.time, uid, side, priceTicks, sizeLots });
  }

  explain(seq: number): Explanation {
    this.#feed();
    const answer = this.#explainer.answer({ kind: 'command', seq }, this.log.length, {
      own: undefined,
      others: true,
    });
    assert.ok(!('refused' in answer), JSON.stringify(answer));
    return answer;
  }

  liquidation(uid: number): Explanation {
    this.#feed();
    const answer = this.#explainer.answer({ kind: 'liquidation', uid }, this.log.length, {
      own: undefined,
      others: false,
    });
    assert.ok(!('refused' in answer), JSON.stringify(answer));
    return answer;
  }

  #fed = 0;
  #feed(): void {
    if (this.#fed === this.log.length) return;
    const payloads = this.log.slice(this.#fed).map(({ command }) => Uint8Array.from(encodeCommand(command)));
    let end = 0;
    const ends = Uint32Array.from(payloads.map(({ length }) => (end += length)));
    const piece = {
      firstSeq: this.#fed + 1,
      bytes: Uint8Array.from(payloads.flatMap((bytes) => [...bytes])),
      ends,
    };
    this.#past.feed({ pieces: [piece], firstSeq: 1 });
    this.#fed = this.log.length;
  }
}

function assertMargin({ margin }: Explanation, oracle: Margin, facts: AccountFacts): void {
  const shown = margin!;
  assert.deepEqual(
    [shown.equity, shown.effective, shown.initial, shown.maintenance],
    [oracle.equity, oracle.effective, oracle.initial, oracle.maintenance].map(String),
  );
  assert.equal(
    shown.ratio,
    oracle.maintenance.compare(Q.zero) === 0 ? '0 %' : percent(oracle.maintenance, oracle.effective),
  );
  const of = (name: string) => shown.terms.filter((term) => term.of === name);
  assert.deepEqual(
    of('equity').map(({ what, usd, inputs }) => [what, usd, inputs]),
    oracle.coins.map(({ name, usd, balance, unrealised, price: at, counted }) => [
      name,
      String(usd),
      {
        balance: String(balance),
        unrealised: String(unrealised),
        price: String(at),
        counted: String(counted),
      },
    ]),
  );
  const [contract] = of('initial').filter(({ what }) => what === CONTRACT);
  if (contract !== undefined) {
    const { most, byLeverage, fees, loss, buys, sells } = oracle.parts;
    const usdt = facts.coins.find(({ name }) => name === 'USDT')!.price;
    assert.deepEqual(contract.inputs, {
      long: String(facts.size.max(Q.zero)),
      short: String(Q.zero.minus(facts.size).max(Q.zero)),
      mark: String(facts.mark),
      buyOrders: String(buys),
      sellOrders: String(sells),
      largestSide: String(most),
      leverage: String(facts.leverage),
      byLeverage: String(byLeverage),
      fees: String(fees),
      lossIfFilled: String(loss),
      price: String(usdt),
    });
    assert.equal(contract.usd, String(oracle.contractInitial));
  }
  const [kept] = of('maintenance').filter(({ what }) => what === CONTRACT);
  if (kept === undefined) return;
  assert.deepEqual(
    [kept.usd, kept.inputs.notional, kept.inputs.tierRate, kept.inputs.closingFeeRate],
    [oracle.contractMaintenance, oracle.notional, oracle.tierRate, TERMS.takerFee].map(String),
  );
}

const usd = (amount: Q): string => `${String(amount)} USD`;

function assertRefusal(
  explained: Explanation,
  { priceTicks, sizeLots, side }: PlaceOrder,
  facts: AccountFacts,
): void {
  const added: OrderFacts = { buy: side === Side.buy, price: price(priceTicks), qty: size(sizeLots) };
  assert.equal(isAccepted(facts, added), false);
  const [before, after] = [marginOf(facts), marginOf(facts, added)];
  assertMargin(explained, after, facts);
  const check = explained.checks.find(({ verdict }) => verdict === 'refused')!;
  if (check.reason === 'insufficientMargin') {
    const free = before.effective.minus(before.initial);
    assert.deepEqual(check.inputs, {
      qty: String(added.qty),
      price: String(added.price),
      value: String(added.price.times(added.qty)),
      leverage: String(facts.leverage),
      equity: usd(before.effective),
      initialBefore: usd(before.initial),
      free: usd(free),
      initialWith: usd(after.initial),
      available: usd(free.max(Q.zero)),
    });
  } else {
    const more = maintenanceOfOrder(facts, added);
    assert.deepEqual(check.inputs, {
      equity: usd(after.effective),
      maintenance: usd(after.maintenance),
      maintenanceOfTheOrder: usd(more),
      ratioWith: percent(after.maintenance.plus(more), after.effective),
    });
    assert.ok(ratioWith(facts, added).compare(Q.of('0.9')) >= 0);
  }
  const most = /a quantity of at most ([\d.]+)/.exec(check.rightWouldBe!)?.[1];
  const fits = (qty: Q) => isAccepted(facts, { ...added, qty });
  const step = new Q(1n, LOT);
  if (most === undefined) assert.equal(fits(step), false, check.rightWouldBe);
  else {
    assert.equal(fits(Q.of(most)), true, check.rightWouldBe);
    assert.equal(fits(Q.of(most).plus(step)), false, check.rightWouldBe);
  }
}

/** Values, fees and profits of the fills of an account, and that postings lead from the cash before to the cash after. */
function assertFills(
  explained: Explanation,
  uid: number,
  facts: AccountFacts,
  cashAfter: Q,
  forced: boolean,
): number {
  const own = explained.matches.filter(({ taker, maker }) => [taker, maker].includes(String(uid)));
  let { size: held, basis } = facts;
  for (const match of own) {
    const value = Q.of(match.price).times(Q.of(match.qty));
    assert.equal(match.value, String(value));
    const taking = match.taker === String(uid);
    const rate = taking || forced ? TERMS.takerFee : TERMS.makerFee;
    const fees = match.fees.filter(({ of }) => of === (taking ? 'taker' : 'maker'));
    const buys = (match.side === 'buy') === taking;
    let left = Q.of(match.qty);
    for (const part of fees) {
      // A fill that turns the position is two: what closes first.
      const against = held.compare(Q.zero) !== 0 && held.compare(Q.zero) > 0 !== buys;
      const qty = against ? left.min(held.max(Q.zero.minus(held))) : left;
      const worth = qty.times(Q.of(match.price));
      assert.equal(part.fee, String(feeOf(worth, rate)), `${JSON.stringify(match)}`);
      const signed = buys ? qty : Q.zero.minus(qty);
      if (against) {
        const whole = basis.max(Q.zero.minus(basis));
        const released = whole
          .times(qty)
          .over(held.max(Q.zero.minus(held)))
          .floor(8);
        assert.equal(part.profit, String(buys ? released.minus(worth) : worth.minus(released)));
        basis = basis.compare(Q.zero) > 0 ? basis.minus(released) : basis.plus(released);
      } else basis = basis.plus(buys ? worth : Q.zero.minus(worth));
      held = held.plus(signed);
      left = left.minus(qty);
    }
    assert.equal(left.compare(Q.zero), 0, 'every part of a fill has its fee');
  }
  const change = explained.postings
    .filter(({ coin }) => coin === 'USDT')
    .map(({ from, to, amount }) => {
      const name = `${uid} cash`;
      return (to === name ? Q.of(amount) : Q.zero).minus(from === name ? Q.of(amount) : Q.zero);
    });
  const cash = facts.coins.find(({ name }) => name === 'USDT')!.balance;
  assert.equal(String(cash.plus(sumOf(change))), String(cashAfter));
  return own.length;
}

/** Each second before a liquidation against facts of the same second, and its margin at the moment it began. */
function assertLiquidation(scene: Scene, uid: number): void {
  const explained = scene.liquidation(uid);
  const { seq } = explained.command;
  const seconds = explained.timeline.filter(
    ({ what }) => what === 'margin ratio' || what === 'the last safe second',
  );
  assert.ok(seconds.length > 0);
  const replay = new Exchange();
  const rows = new Map<number, AccountFacts>();
  for (const [n, { command }] of scene.log.slice(0, seq).entries()) {
    replay.apply(command, n + 1);
    replay.takeEvents();
    if (replay.state.accountByUid.has(uid) && replay.state.coinPrices.length > 0 && n + 1 < seq)
      rows.set(n + 1, factsOf(replay, uid));
  }
  for (const { seq: at, facts } of seconds) {
    const raw = rows.get(at)!;
    const { effective, maintenance } = marginOf(raw);
    assert.deepEqual(
      [facts.equity, facts.maintenance, facts.ratio],
      [
        String(effective),
        String(maintenance),
        maintenance.compare(Q.zero) === 0 ? '0 %' : percent(maintenance, effective),
      ],
    );
    if (raw.size.compare(Q.zero) !== 0) assert.equal(facts[`mark ${CONTRACT}`], String(raw.mark));
  }
  // The facts of the instant: those before the command, at the mark that it was liquidated at.
  const mark = explained.margin!.terms.find(({ of, what }) => of === 'maintenance' && what === CONTRACT)!
    .inputs.mark!;
  const before = {
    ...rows.get(seq - 1)!,
    mark: Q.of(mark),
    coins: rows.get(seq - 1)!.coins.map((coin) => ({
      ...coin,
      price: Q.of(
        explained.margin!.terms.find(({ of, what }) => of === 'equity' && what === coin.name)!.inputs.price!,
      ),
    })),
  };
  const oracle = marginOf(before);
  assertMargin(explained, oracle, before);
  assert.ok(oracle.maintenance.compare(oracle.effective) >= 0, 'it was due');
  const after = factsOf(replay, uid).coins.find(({ name }) => name === 'USDT')!.balance;
  assertFills(explained, uid, before, after, true);
  const paid = explained.timeline.find(({ what }) => what.startsWith('who paid'))!;
  const sums = Object.values(paid.facts).map((text) => Q.of(text));
  const cash = before.coins.find(({ name }) => name === 'USDT')!.balance;
  assert.equal(
    String(cash.plus(sumOf(sums))),
    String(after),
    'who paid adds up to what the account has left',
  );
}

const RUNS = 4;
const STEPS = 50;

test('every number that is printed is that of the formulas', () => {
  const seen = { refusals: 0, fills: 0, liquidations: 0, advice: 0 };
  for (let seed = 1; seed <= RUNS; seed++) {
    const rng = new Rng(seed * 7919);
    const falling = seed % 2 === 0;
    const scene = new Scene(!falling, rng);
    for (const uid of [ANN, BEN])
      scene.send({
        type: 'setLeverage',
        time: scene.time,
        uid,
        instrument: 0,
        longLeverage: rng.range(5, 40),
        shortLeverage: 0,
      });
    for (const uid of [ANN, BEN]) {
      const { longLeverage } = scene.exchange.state.accountByUid.get(uid)!.futuresSettings.get(0)!;
      scene.send({
        type: 'setLeverage',
        time: scene.time,
        uid,
        instrument: 0,
        longLeverage,
        shortLeverage: longLeverage,
      });
    }
    let dollars = 60_000;
    const liquidated = new Set<number>();
    for (let step = 0; step < STEPS; step++) {
      dollars = Math.round(dollars * (1 + rng.range(falling ? -9 : -6, 6) / 1000) * 10) / 10;
      scene.price(dollars);
      scene.quote(dollars, 40_000);
      for (const uid of [ANN, BEN]) {
        const side = rng.range(0, falling ? 3 : 1) === 0 ? Side.sell : Side.buy;
        const ticks = Math.round(dollars * 10) + rng.range(-60, 60);
        const lots = rng.range(1, rng.range(0, 2) === 0 ? 60_000 : 4_000);
        scene.send(scene.limit(uid, side, ticks, lots));
      }
      if (rng.range(0, 5) === 0)
        scene.send({ type: 'cancelAll', time: scene.time, uid: ANN, category: 2, instrument: 0 });
    }
    for (const [n, { command, events, before, reason }] of scene.log.entries()) {
      for (const event of events)
        if (event.type === 'fill' && event.fill.uid !== MAKER && event.fill.futures!.kind === 3)
          liquidated.add(event.fill.uid);
      if (command.type !== 'placeOrder' || command.uid === MAKER || command.orderType !== OrderType.limit)
        continue;
      const facts = before.get(command.uid)!;
      if (reason === RejectReason.insufficientMargin || reason === RejectReason.riskTooHigh) {
        const explained = scene.explain(n + 1);
        assertRefusal(explained, command, facts);
        seen.refusals++;
        if (/quantity/.test(explained.rightWouldBe)) seen.advice++;
      }
      const others = events.some((event) => event.type === 'fill' && event.fill.futures!.kind !== 0);
      if (reason === RejectReason.none && !others && events.some((event) => event.type === 'fill')) {
        const next = scene.log[n + 1]?.before.get(command.uid);
        if (next === undefined) continue;
        seen.fills += assertFills(
          scene.explain(n + 1),
          command.uid,
          facts,
          next.coins.find(({ name }) => name === 'USDT')!.balance,
          false,
        );
      }
    }
    if (falling)
      for (const uid of liquidated) {
        assertLiquidation(scene, uid);
        seen.liquidations++;
      }
  }
  assert.ok(
    seen.refusals > 40 && seen.fills > 40 && seen.liquidations > 2 && seen.advice > 20,
    JSON.stringify(seen),
  );
});
