/** Nothing but jumps of up to a fifth on thin books, for properties of forced closes. */
import { markTicks } from '../../src/core/margin/margin.ts';
import type { Command } from '../../src/core/model/command.ts';
import { HoldMode, PosSide, Side } from '../../src/core/model/enums.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import type { State } from '../../src/core/state/state.ts';
import { FuturesFlow, Rng, SET_UP, UIDS } from './futures-flow.ts';
import { account, deposit, OPENING_TIME, order } from './venue.ts';

const ALWAYS = 1;
const ONE = 10n ** 8n;
export const CONTRACTS = [0, 1, 2];
const USDT = 0;
const AAA = 2;
const LEVERAGE = 20;
/** Rich, and holding orders far from the price: forced closes meet them beyond bankruptcy. */
const DEEP = 9;

/** A flow in which somebody always opens something large before the next jump. */
export class Storm {
  private readonly dice: Rng;
  private readonly flow: FuturesFlow;
  private readonly state: State;
  private readonly deep: boolean;

  constructor(seed: number, state: State) {
    this.dice = new Rng(seed);
    this.flow = new FuturesFlow(7000 + seed, state, ALWAYS);
    this.state = state;
    this.deep = hasDeepBooks(seed);
  }

  get time(): number {
    return this.flow.time;
  }

  *step(n: number): Generator<Command> {
    const { dice, flow } = this;
    yield flow.next();
    // Whoever has lost everything starts again.
    if (n % 50 === 0) for (const uid of UIDS) yield { ...deposit(uid, USDT, 300n * ONE), time: this.time };
    if (dice.chance(0.6)) yield* this.deal();
    if (dice.chance(0.1)) yield* this.autoMargin();
    if (this.deep && dice.chance(0.3)) yield this.farOrder();
    if (dice.chance(0.3)) yield flow.price();
  }

  /** Two accounts meet at the mark with about as much as twentyfold leverage carries. */
  private *deal(): Generator<Command> {
    const { dice, state } = this;
    const instrument = dice.pick(CONTRACTS);
    const priceTicks = markTicks(state, state.instruments[instrument]!);
    // Ticks are tenths and lots hundredths.
    const sizeLots = Math.max(1, Math.round(((500 + dice.below(7000)) * 1000) / priceTicks));
    for (const side of [Side.sell, Side.buy]) {
      const uid = dice.pick(UIDS);
      const hedge = state.accountByUid.get(uid)!.holdMode === HoldMode.hedge;
      const posSide = side === Side.buy ? PosSide.long : PosSide.short;
      const { time } = this;
      yield order({ time, uid, instrument, side, priceTicks, sizeLots, ...(hedge && { posSide }) });
    }
  }

  /** Somebody's isolated position may save itself from the next jump. */
  private *autoMargin(): Generator<Command> {
    const { dice, state, time } = this;
    const uid = dice.pick(UIDS);
    for (const { isolated, instrument, posSide } of state.accountByUid.get(uid)!.positions.values())
      if (isolated) yield { type: 'setAutoMargin', time, uid, instrument, posSide, room: 500n * ONE };
  }

  private farOrder(): Command {
    const { dice, state, time } = this;
    const instrument = dice.pick(CONTRACTS);
    const side = dice.pick([Side.buy, Side.sell]);
    const away = 0.05 + 0.2 * dice.next();
    const mark = markTicks(state, state.instruments[instrument]!);
    const priceTicks = Math.max(1, Math.round(mark * (side === Side.buy ? 1 - away : 1 + away)));
    return order({ time, uid: DEEP, instrument, side, priceTicks, sizeLots: 500 });
  }
}

/** Two of three venues have orders far from the price and a fund that pays for long; on the third, others pay. */
function hasDeepBooks(seed: number): boolean {
  return seed % 3 !== 0;
}

export function openVenue(seed: number, apply: (command: Command) => void, state: State): void {
  for (const command of SET_UP) apply(command);
  apply(account(DEEP));
  for (const [coin, amount] of [
    [USDT, 10n ** 8n],
    [AAA, 10n ** 6n],
  ] as const)
    apply(deposit(DEEP, coin, amount * ONE));
  const both = { longLeverage: LEVERAGE, shortLeverage: LEVERAGE };
  for (const uid of UIDS)
    for (const instrument of CONTRACTS)
      apply({ type: 'setLeverage', time: OPENING_TIME, uid, instrument, ...both });
  if (!hasDeepBooks(seed)) return;
  const { ledger } = state;
  for (const [coin, amount] of [
    [USDT, 50_000n],
    [AAA, 500n],
  ] as const) {
    const house = ledger.cell(SystemAccount.convert, coin, Bucket.cash);
    ledger.move(house, ledger.cell(SystemAccount.insurance, coin, Bucket.cash), amount * ONE);
  }
}
