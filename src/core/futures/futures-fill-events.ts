/** Events of a futures trade: a fill and a ledger line for each part of each side; and of a closed position. */

import type { Amount } from '../model/amount.ts';
import { HoldMode, OrderKind, type OrderType, Side, Wallet } from '../model/enums.ts';
import type { FillRecord, LedgerLineKind } from '../model/event.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Position } from '../model/position.ts';
import { clientOidOf, posSideOf } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import { emitLedgerLine } from '../state/ledger-lines.ts';
import type { State } from '../state/state.ts';
import type { FillContext } from './fill-context.ts';
import type { Part } from './split-fill.ts';

/** One side of a trade. */
export interface Trade {
  readonly context: FillContext;
  readonly slot: number;
  readonly maker: boolean;
  readonly priceTicks: number;
  readonly lots: number;
  readonly value: Amount;
  /** Fee rates of this side and of the other, in 10^-12; a negative rate is a rebate. */
  readonly feeRate: bigint;
  readonly otherRate: bigint;
  readonly execLinkId: number;
  readonly rpi: boolean;
}

/** Fee and profit of a part, in the settlement coin. */
export interface Settled {
  readonly fee: Amount;
  /** The broker's share of the fee. */
  readonly commission: Amount;
  readonly pnl: Amount;
  /** Added to the margin of an isolated position; negative when taken out of it. */
  readonly intoMargin: Amount;
  readonly kind: OrderKind;
}

export function isLiquidation(kind: OrderKind): boolean {
  return kind === OrderKind.liquidation || kind === OrderKind.reduce;
}

export function emitFillPart(
  state: State,
  account: Account,
  trade: Trade,
  part: Part,
  settled: Settled,
): void {
  const { instrument } = trade.context;
  const { fee, pnl, intoMargin, kind } = settled;
  // Liquidations are public, also those of house accounts.
  if (account.house && !isLiquidation(kind)) return;
  const execId = state.nextId();
  if (!state.suppressEvents)
    state.emit({ type: 'fill', fill: fillOf(state, account, trade, part, settled, execId) });
  if (account.house) return;
  const line = lineKind(account, state.slab.side[trade.slot] === Side.buy, part.closing);
  const details = { fee, instrument, intoMargin };
  emitLedgerLine(state, account, Wallet.unified, instrument.futures!.settle, line, pnl, '', details);
}

function fillOf(
  state: State,
  account: Account,
  trade: Trade,
  part: Part,
  { fee, commission, pnl, kind }: Settled,
  execId: number,
): FillRecord {
  const { instrument } = trade.context;
  const { slab } = state;
  const { slot } = trade;
  return {
    execId,
    execLinkId: trade.execLinkId,
    orderId: slab.id[slot]!,
    clientOid: clientOidOf(state, slot),
    uid: account.uid,
    instrument: instrument.index,
    category: instrument.category,
    side: slab.side[slot] as Side,
    orderType: slab.orderType[slot] as OrderType,
    maker: trade.maker,
    priceTicks: trade.priceTicks,
    sizeLots: part.lots,
    value: BigInt(part.value),
    feeCoin: instrument.futures!.settle,
    fee: BigInt(fee),
    commission: BigInt(commission),
    rpi: trade.rpi,
    time: state.now,
    futures: {
      posSide: posSideOf(slab.flags[slot]!),
      closing: part.closing,
      kind,
      pnl: BigInt(pnl),
    },
  };
}

function lineKind(account: Account, buying: boolean, closing: boolean): LedgerLineKind {
  if (account.holdMode === HoldMode.oneWay) return buying ? 'buyDeal' : 'sellDeal';
  if (closing) return buying ? 'closeShort' : 'closeLong';
  return buying ? 'openLong' : 'openShort';
}

export function emitPositionClosed(
  state: State,
  instrument: Instrument,
  account: Account,
  position: Position,
): void {
  if (account.house) return;
  state.emit({
    type: 'positionClosed',
    positionId: position.id,
    uid: account.uid,
    instrument: instrument.index,
    category: instrument.category,
    long: position.wasLong,
    hedge: account.holdMode === HoldMode.hedge,
    isolated: position.isolated,
    openedLots: position.openedLots,
    openedValue: position.openedValue,
    closedLots: position.closedLots,
    closedValue: position.closedValue,
    realised: position.realised,
    funding: position.funding,
    openFee: position.openFee,
    closeFee: position.closeFee,
    createdTime: position.createdTime,
    updatedTime: state.now,
  });
}
