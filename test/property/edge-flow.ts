/**
 * Orders that ask for exactly as much as the account can carry, or a hair more, among random margin trading, futures and
 * loans: where an estimate of margin and the rule could disagree, they are made to. Driven by a seed.
 */
import { NIL } from '../../src/core/book/order-slab.ts';
import { checkCrossed } from '../../src/core/futures/opening-checks.ts';
import { markTicks } from '../../src/core/margin/margin.ts';
import { maxSpendable } from '../../src/core/margin/spending-check.ts';
import type { Command } from '../../src/core/model/command.ts';
import { HoldMode, OrderType, PosSide, Side, TimeInForce } from '../../src/core/model/enums.ts';
import { baseUnits, type Instrument, tradeValue } from '../../src/core/model/instrument.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import type { State } from '../../src/core/state/state.ts';
import { Rng, UIDS } from './futures-flow.ts';
import { MARGIN_SET_UP, MarginFlow } from './margin-flow.ts';
import { order } from './venue.ts';

/** Of all commands; half of them stand far from the market and stay there. */
const EDGES_SHARE = 0.3;
const RESTING_SHARE = 0.5;
const LOTS_MAX = 1_000_000;

/** BBB is no margin at all here, so that buying it costs all the margin that its price was. */
export const EDGE_SET_UP: readonly Command[] = MARGIN_SET_UP.map((command): Command => {
  if (command.type !== 'listCoin' || command.spec.coin !== 'BBB') return command;
  return { ...command, spec: { ...command.spec, collateral: [] } };
});

export class EdgeFlow {
  private readonly dice: Rng;
  private readonly flow: MarginFlow;
  private readonly state: State;

  constructor(seed: number, state: State) {
    this.dice = new Rng(seed * 32_452_843);
    this.flow = new MarginFlow(seed, state);
    this.state = state;
  }

  next(): Command {
    return this.dice.chance(EDGES_SHARE) ? this.edge() : this.flow.next();
  }

  private edge(): Command {
    const { dice, state } = this;
    const uid = dice.pick(UIDS);
    const instrument = dice.pick(state.instruments);
    const side = dice.pick([Side.buy, Side.sell]);
    const priceTicks = this.priceOf(instrument, side);
    // A copy is asked, so that the exchange itself stays unseen.
    const copy = loadState(saveState(state).slice());
    const most = mostLots(copy, uid, instrument, side, priceTicks);
    const hedge = state.accountByUid.get(uid)!.holdMode === HoldMode.hedge;
    return order({
      time: state.now,
      uid,
      instrument: instrument.index,
      side,
      orderType: OrderType.limit,
      timeInForce: dice.chance(0.9) ? TimeInForce.gtc : TimeInForce.ioc,
      priceTicks,
      sizeLots: Math.max(1, dice.pick([most, most, most + 1, most >> 1, most >> 2])),
      ...(hedge && { posSide: side === Side.buy ? PosSide.long : PosSide.short }),
    });
  }

  /** Behind the market, where it waits, or at a loss against the mark, which orders must be able to bear. */
  private priceOf(instrument: Instrument, side: Side): number {
    const { dice, state } = this;
    const fair =
      instrument.futures === undefined
        ? Number(state.coinPrices[instrument.base] ?? 1n) / 10 ** (8 - instrument.pricePrecision)
        : markTicks(state, instrument);
    const away = dice.next() * (dice.chance(RESTING_SHARE) ? 0.1 : -0.05);
    return Math.max(1, Math.round(fair * (side === Side.buy ? 1 - away : 1 + away)));
  }
}

/** The largest size that the account's money and margin allow. */
function mostLots(state: State, uid: number, at: Instrument, side: Side, priceTicks: number): number {
  const instrument = state.instruments[at.index]!;
  const account = state.accountByUid.get(uid)!;
  if (instrument.futures === undefined) {
    const money = maxSpendable(state, account, { instrument, side, limitTicks: priceTicks, slot: NIL });
    const perLot = side === Side.buy ? tradeValue(instrument, priceTicks, 1) : baseUnits(instrument, 1);
    return Number(money / perLot);
  }
  let low = 0;
  let high = LOTS_MAX;
  while (high - low > 1) {
    const lots = (low + high) >> 1;
    if (checkCrossed(state, account, { instrument, side, priceTicks, lots }) === undefined) low = lots;
    else high = lots;
  }
  return low;
}
