/** What another leverage would mean, without choosing it (wire 4.3, rules 5.4, 5.6). */

import { coinUsd } from '../margin/collateral.ts';
import { computeRisk, inSettleCoin, markTicks } from '../margin/margin.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import type { Position } from '../model/position.ts';
import { divCeil, larger, MONEY_ONE, RATE_ONE } from '../model/units.ts';
import type { Account, FuturesSetting } from '../state/account.ts';
import { positionsOf } from '../state/futures-lookup.ts';
import type { State } from '../state/state.ts';

export interface LeveragePreview {
  /** Margin of the open positions at that leverage, 10^-8 of the settlement coin. */
  readonly required: bigint;
  /** How much more of the account, orders included, would be bound; negative when less. */
  readonly change: bigint;
}

/** The account as it would be with this setting. Nothing of it may be changed: it shares everything else. */
export function withSetting(account: Account, instrument: Instrument, setting: FuturesSetting): Account {
  const futuresSettings = new Map(account.futuresSettings).set(instrument.index, setting);
  return Object.create(account, {
    futuresSettings: { value: futuresSettings },
    margin: { value: undefined, writable: true },
  }) as Account;
}

export function previewLeverage(
  state: State,
  account: Account,
  instrument: Instrument,
  setting: FuturesSetting,
): LeveragePreview {
  const positions = positionsOf(account, instrument);
  const sum = (of: (position: Position) => bigint) =>
    positions.reduce((total, position) => total + of(position), 0n);
  if (setting.isolated) {
    const wanted = (position: Position) =>
      larger(
        position.iso,
        inSettleCoin(state, instrument, divCeil(absolute(position.basis), leverageOf(position, setting))),
      );
    const required = sum(wanted);
    return { required, change: required - sum(({ iso }) => iso) };
  }
  const required = sum((position) => crossedMargin(state, instrument, position, setting));
  const before = computeRisk(state, account).initial;
  const after = computeRisk(state, withSetting(account, instrument, setting)).initial;
  const usd = coinUsd(state, instrument.futures!.settle);
  return { required, change: usd === 0n ? 0n : ((after - before) * MONEY_ONE) / usd };
}

/** q P (1/L + t). */
function crossedMargin(
  state: State,
  instrument: Instrument,
  position: Position,
  setting: FuturesSetting,
): bigint {
  const notional = tradeValue(instrument, markTicks(state, instrument), position.lots);
  const leverage = leverageOf(position, setting);
  const exact = notional * (RATE_ONE + leverage * instrument.takerRate);
  return inSettleCoin(state, instrument, divCeil(exact, RATE_ONE * leverage));
}

function leverageOf(position: Position, { longLeverage, shortLeverage }: FuturesSetting): bigint {
  return BigInt(position.long ? longLeverage : shortLeverage);
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
