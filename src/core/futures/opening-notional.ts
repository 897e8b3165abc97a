/** How much an account, and its whole party, could end up with in one direction (rules 1.2 number 13, 13.9). */

import { FLAG_CLOSING, NIL } from '../book/order-slab.ts';
import { markTicks } from '../margin/margin.ts';
import { PosSide, Side } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { larger } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { partySums } from '../state/party.ts';
import type { OpenNotional } from '../state/party-sums.ts';
import type { State } from '../state/state.ts';

/** Value of the account's opening orders of one side. */
export function openValue(
  state: State,
  account: Account,
  instrument: Instrument,
  side: Side,
  leaveOut: number = NIL,
): bigint {
  const { slab } = state;
  let value = 0n;
  if (state.openOrders.of(account.index, instrument.index) === 0) return value;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    if (slab.instrument[slot] !== instrument.index || slab.side[slot] !== side) continue;
    if (slot === leaveOut || (slab.flags[slot]! & FLAG_CLOSING) !== 0) continue;
    value += tradeValue(instrument, slab.price[slot]!, slab.remaining[slot]!);
  }
  return value;
}

/** `ordered` is the value of opening orders; a net position on the other side is closed by them first. */
export function notionalWith(
  state: State,
  account: Account,
  instrument: Instrument,
  side: Side,
  ordered: bigint,
): bigint {
  const buying = side === Side.buy;
  let notional = ordered;
  for (const position of account.positions.values()) {
    if (position.instrument !== instrument.index) continue;
    const value = tradeValue(instrument, markTicks(state, instrument), position.lots);
    if (position.long === buying) notional += value;
    else if (position.posSide === PosSide.none) notional = larger(0n, notional - value);
  }
  return notional;
}

/** What the other accounts of the party have in the direction; nothing in the first edition. */
export function notionalOfOthers(state: State, account: Account, instrument: Instrument, side: Side): bigint {
  const sums = state.rules.partyLimits ? partySums(state, account) : undefined;
  if (sums === undefined) return 0n;
  const mark = markTicks(state, instrument);
  return sums.ofOthers(account.index, instrument.index, mark, side, (member) =>
    notionalOf(state, member, instrument),
  );
}

export function notionalOf(state: State, account: Account, instrument: Instrument): OpenNotional {
  const of = (side: Side) =>
    notionalWith(state, account, instrument, side, openValue(state, account, instrument, side));
  return { buy: of(Side.buy), sell: of(Side.sell) };
}
