/**
 * What a spot trade does to money and records (rules 1.4 step 6, 4.2, 4.3). One instance per exchange; the order
 * entry tells it whose turn it is, the book calls it for each match.
 */
import type { MatchSink } from '../book/book.ts';
import { CancelReason, OrderType, Side } from '../model/enums.ts';
import { baseUnits, type Instrument, tradeValue } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { SIZE_LOTS_MAX } from '../model/limits.ts';
import { divTrunc, RATE_ONE } from '../model/units.ts';
import { payFromMarginLock } from '../orders/margin-order-hold.ts';
import { close, closeResting, isMargin, lockedCoin, lockOf } from '../orders/order-lifecycle.ts';
import { emitTrade } from '../orders/trade-events.ts';
import type { Market, State } from '../state/state.ts';
import { onParentFill } from '../strategy/attached-tpsl.ts';
import { payCommission } from '../wallet/commission.ts';

export class SpotSettlement implements MatchSink {
  private readonly state: State;
  private instrument!: Instrument;
  private market!: Market;
  /** What a market buy by amount may still spend. */
  budgetLeft = 0n;

  constructor(state: State) {
    this.state = state;
  }

  begin(instrument: Instrument, market: Market, budget: bigint): void {
    this.instrument = instrument;
    this.market = market;
    this.budgetLeft = budget;
  }

  /** Whole steps that the rest of the budget buys at this price (rules 1.6). */
  capacity(_taker: number, priceTicks: number): number {
    const { instrument } = this;
    const oneLot = BigInt(priceTicks) * instrument.valuePerTickLot;
    const lots = this.budgetLeft / oneLot;
    const step = BigInt(instrument.lotStep);
    const whole = (lots / step) * step;
    return whole > BigInt(SIZE_LOTS_MAX) ? SIZE_LOTS_MAX : Number(whole);
  }

  traded(taker: number, maker: number, priceTicks: number, lots: number): void {
    const { state, instrument, market } = this;
    const { slab, ledger } = state;
    const buying = slab.side[taker] === Side.buy;
    const buyer = buying ? taker : maker;
    const seller = buying ? maker : taker;
    const value = tradeValue(instrument, priceTicks, lots);
    const base = baseUnits(instrument, lots);
    const buyerAccount = state.accounts[slab.account[buyer]!]!;
    const sellerAccount = state.accounts[slab.account[seller]!]!;
    if (buying && slab.orderType[taker] === OrderType.market) this.budgetLeft -= value;

    const buyerBase = ledger.cell(buyerAccount.index, instrument.base, Bucket.cash);
    const sellerQuote = ledger.cell(sellerAccount.index, instrument.quote, Bucket.cash);
    this.pay(buyer, value, sellerQuote);
    this.pay(seller, base, buyerBase);
    const buyerRate = this.rateOf(buyer, buying);
    const sellerRate = this.rateOf(seller, !buying);
    const buyerFee = this.charge(buyerRate, base, buyerBase, instrument.base);
    const sellerFee = this.charge(sellerRate, value, sellerQuote, instrument.quote);
    const buyerShare = payCommission(state, buyerAccount, instrument.base, buyerFee, base, sellerRate);
    const sellerShare = payCommission(state, sellerAccount, instrument.quote, sellerFee, value, buyerRate);
    // A buy that got a better price than its limit gets the difference back at once.
    const improvement = slab.price[buyer]! - priceTicks;
    if (improvement > 0 && !isMargin(state, buyer)) {
      const buyerLocked = ledger.cell(buyerAccount.index, instrument.quote, Bucket.locked);
      const buyerQuote = ledger.cell(buyerAccount.index, instrument.quote, Bucket.cash);
      ledger.move(buyerLocked, buyerQuote, tradeValue(instrument, improvement, lots));
    }

    if (buyerAccount.mayOwe) state.touch(buyerAccount);
    if (sellerAccount.mayOwe) state.touch(sellerAccount);
    execute(state, buyer, value, buyerFee);
    execute(state, seller, value, sellerFee);
    emitTrade(state, instrument, market, {
      taker,
      maker,
      priceTicks,
      lots,
      value,
      base,
      takerFee: buying ? buyerFee : sellerFee,
      makerFee: buying ? sellerFee : buyerFee,
      takerCommission: buying ? buyerShare : sellerShare,
      makerCommission: buying ? sellerShare : buyerShare,
    });
    market.day.trade(state.now, priceTicks, lots, value);
    const candleEnd = market.candles.trade(state.now, priceTicks, lots, value);
    if (candleEnd < state.nextCandleEnd) state.nextCandleEnd = candleEnd;
    if (slab.presets.size !== 0) {
      onParentFill(state, taker, lots);
      onParentFill(state, maker, lots);
    }
    market.lastTriggers?.see(priceTicks);
    market.changes++;
  }

  makerLeft(maker: number, filled: boolean): void {
    this.market.changes++;
    if (filled && !isMargin(this.state, maker)) close(this.state, maker, CancelReason.none);
    else if (filled) closeResting(this.state, maker, CancelReason.none);
    else closeResting(this.state, maker, CancelReason.stp);
  }

  /** What an order gives for a trade: out of its lock, and for a margin order also out of what it borrows. */
  private pay(slot: number, amount: bigint, to: number): void {
    const { state, instrument } = this;
    const { slab, ledger } = state;
    const coin = lockedCoin(instrument, slab.side[slot] as Side);
    if (!isMargin(state, slot)) {
      ledger.move(ledger.cell(slab.account[slot]!, coin, Bucket.locked), to, amount);
      return;
    }
    const byAmount = slab.orderType[slot] === OrderType.market && slab.side[slot] === Side.buy;
    const need = byAmount ? this.budgetLeft : lockOf(state, instrument, slot);
    payFromMarginLock(state, slot, coin, amount, need, to);
  }

  /** What one side pays of what it receives, or is paid when it is negative. */
  private rateOf(slot: number, taker: boolean): bigint {
    const { slab, accounts, instruments } = this.state;
    const own = instruments[slab.instrument[slot]!]!;
    const rates = accounts[slab.account[slot]!]!.fees.get(own.index) ?? own;
    return taker ? rates.takerRate : rates.makerRate;
  }

  /** Fee of one side, truncated in favour of the payer; a negative one is a rebate from the house. */
  private charge(rate: bigint, received: bigint, cash: number, coin: number): bigint {
    const fee = divTrunc(received * rate, RATE_ONE);
    const { ledger } = this.state;
    const house = ledger.cell(SystemAccount.fee, coin, Bucket.cash);
    if (fee > 0n) ledger.move(cash, house, fee);
    else if (fee < 0n) ledger.move(house, cash, -fee);
    return fee;
  }
}

function execute(state: State, slot: number, value: bigint, fee: bigint): void {
  const execution = state.slab.executions[slot];
  if (execution === undefined) {
    state.slab.executions[slot] = { value, fee, pnl: 0n };
  } else {
    execution.value += value;
    execution.fee += fee;
  }
}
