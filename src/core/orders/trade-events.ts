/** Events of a spot or margin trade: a private fill and two ledger lines for each side, one public trade. */

import { FLAG_RPI } from '../book/order-slab.ts';
import { type Amount, numberOf } from '../model/amount.ts';
import { type OrderType, Side } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { exact } from '../model/safe-integers.ts';
import type { Account } from '../state/account.ts';
import { reportedBalance } from '../state/ledger-lines.ts';
import type { Market } from '../state/market.ts';
import type { State } from '../state/state.ts';
import { clientOidOf, emitOrderUpdate } from './order-lifecycle.ts';

/** Ledger lines of each side of a trade. */
const LINES_OF_A_FILL = 2;

export interface Trade {
  /** Slots of the two orders. */
  readonly taker: number;
  readonly maker: number;
  readonly priceTicks: number;
  readonly lots: number;
  /** 10^-8 of the quote and of the base coin. */
  readonly value: Amount;
  readonly base: Amount;
  readonly takerFee: Amount;
  readonly makerFee: Amount;
  /** Parts of the fees that were paid to the brokers. */
  readonly takerCommission: Amount;
  readonly makerCommission: Amount;
}

export function emitTrade(state: State, instrument: Instrument, market: Market, trade: Trade): void {
  const { slab, digest } = state;
  const { taker, maker, priceTicks, lots } = trade;
  const execLinkId = state.nextId();
  const takerExecId = state.nextId();
  const makerExecId = state.nextId();
  const rpi = (slab.flags[maker]! & FLAG_RPI) !== 0;
  digest.fold(slab.id[maker]!);
  digest.fold(priceTicks);
  digest.fold(lots);
  digest.fold(digestOf(trade.takerFee, trade.makerFee));

  emitFill(state, instrument, trade, taker, takerExecId, execLinkId, rpi);
  emitFill(state, instrument, trade, maker, makerExecId, execLinkId, rpi);
  printTrade(state, market, { taker, priceTicks, lots, execId: takerExecId, execLinkId, rpi });
  if (slab.remaining[maker] !== 0) emitOrderUpdate(state, maker);
}

/** For the digest: the lowest 32 bits of two amounts together, with their sign. */
export function digestOf(one: Amount, other: Amount): number {
  const sum = exact(exact(numberOf(one) * 31) + numberOf(other));
  return Number.isNaN(sum) ? Number(BigInt.asIntN(32, BigInt(one) * 31n + BigInt(other))) : sum | 0;
}

interface Print {
  readonly taker: number;
  readonly priceTicks: number;
  readonly lots: number;
  readonly execId: number;
  readonly execLinkId: number;
  readonly rpi: boolean;
}

/** Publishes a trade: the public event and the tape. */
export function printTrade(state: State, market: Market, print: Print): void {
  const { taker, priceTicks, lots, execId, execLinkId, rpi } = print;
  const traded = {
    type: 'trade',
    execId,
    execLinkId,
    instrument: market.instrument,
    side: state.slab.side[taker] as Side,
    priceTicks,
    sizeLots: lots,
    rpi,
    time: state.now,
  } as const;
  if (!state.suppressEvents) state.emit(traded);
  market.tape.print(traded);
}

function emitFill(
  state: State,
  instrument: Instrument,
  trade: Trade,
  slot: number,
  execId: number,
  execLinkId: number,
  rpi: boolean,
): void {
  const { slab } = state;
  const account = state.accountOf(slot);
  if (account.house) return;
  const own = state.instrumentOf(slot);
  const maker = slot === trade.maker;
  const buying = slab.side[slot] === Side.buy;
  if (state.suppressEvents) {
    state.passIds(LINES_OF_A_FILL);
    return;
  }
  const fee = BigInt(maker ? trade.makerFee : trade.takerFee);
  const value = BigInt(trade.value);
  const base = BigInt(trade.base);
  const inCoin = buying ? instrument.base : instrument.quote;
  state.emit({
    type: 'fill',
    fill: {
      execId,
      execLinkId,
      orderId: slab.id[slot]!,
      clientOid: clientOidOf(state, slot),
      uid: account.uid,
      instrument: own.index,
      category: own.category,
      side: slab.side[slot] as Side,
      orderType: slab.orderType[slot] as OrderType,
      maker,
      priceTicks: trade.priceTicks,
      sizeLots: trade.lots,
      value,
      feeCoin: inCoin,
      fee,
      commission: BigInt(maker ? trade.makerCommission : trade.takerCommission),
      rpi,
      time: state.now,
    },
  });
  const given = buying ? value : base;
  const received = buying ? base : value;
  const outCoin = buying ? instrument.quote : instrument.base;
  // In a self-trade both sides are already settled when the taker's lines are written, before the maker's: the
  // balance of the taker's lines must leave out the maker's side.
  const selfTrade = !maker && slab.account[trade.maker] === account.index;
  emitTradeLine(
    state,
    account,
    own,
    'tradeOut',
    outCoin,
    -given,
    0n,
    selfTrade ? BigInt(trade.makerFee) - given : 0n,
  );
  emitTradeLine(state, account, own, 'tradeIn', inCoin, received, fee, selfTrade ? received : 0n);
}

/** `notYet` corrects the balance, which already contains the amounts of lines that are written later. */
function emitTradeLine(
  state: State,
  account: Account,
  instrument: Instrument,
  kind: 'tradeIn' | 'tradeOut',
  coin: number,
  amount: bigint,
  fee: bigint,
  notYet: bigint,
): void {
  state.emit({
    type: 'ledgerLine',
    lineId: state.nextId(),
    uid: account.uid,
    coin,
    kind,
    instrument: instrument.index,
    category: instrument.category,
    amount,
    fee,
    balance: reportedBalance(state, account, coin) + notYet,
    reference: '',
    time: state.now,
  });
}
