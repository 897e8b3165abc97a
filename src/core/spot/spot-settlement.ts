/** Settlement of spot and margin trades: money and records (rules 1.4 step 6, 4.2, 4.3). */
import type { MatchSink } from '../book/book.ts';
import type { Amount } from '../model/amount.ts';
import { CancelReason, OrderType, Side } from '../model/enums.ts';
import { baseAmount, type Instrument, tradeAmount } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { SIZE_LOTS_MAX } from '../model/limits.ts';
import { payFromMarginHold } from '../orders/margin-order-hold.ts';
import {
  finishOrder,
  finishRestingOrder,
  heldCoin,
  holdOf,
  isMargin,
  noteExecution,
} from '../orders/order-lifecycle.ts';
import { emitTrade } from '../orders/trade-events.ts';
import type { Market } from '../state/market.ts';
import type { State } from '../state/state.ts';
import { onParentFill } from '../strategy/attached-tpsl.ts';
import { payCommission } from '../wallet/commission.ts';
import { feeRateOf, flooredSpotFees, type SpotDeal, spotFees } from './spot-fees.ts';
import { SpotFillChecks } from './spot-fill-checks.ts';

/** Fields that all fills of one spot order share. */
export interface SpotFillContext {
  readonly instrument: Instrument;
  readonly market: Market;
  /** Amount that a market buy by amount may still spend; 0n for other orders. */
  budgetLeft: bigint;
}

export class SpotSettlement implements MatchSink<SpotFillContext> {
  private readonly state: State;
  private readonly settleOwner = (maker: number): void =>
    this.state.settleOpenWork(this.state.accountOf(maker));
  /** By instrument; cached, because every match needs one. */
  private readonly contexts: SpotFillContext[] = [];
  private readonly checks: SpotFillChecks;

  constructor(state: State) {
    this.state = state;
    this.checks = new SpotFillChecks(state, false);
  }

  /** The context of all orders without a budget. */
  contextOf(instrument: Instrument): SpotFillContext {
    const known = this.contexts[instrument.index];
    if (known !== undefined) return known;
    const context = this.budgetContext(instrument, 0n);
    this.contexts[instrument.index] = context;
    return context;
  }

  /** The context of one market buy by amount. */
  budgetContext(instrument: Instrument, budget: bigint): SpotFillContext {
    return { instrument, market: this.state.market(instrument), budgetLeft: budget };
  }

  /** Whole steps that the rest of the budget buys at this price (rules 1.6). */
  capacity({ instrument, budgetLeft }: SpotFillContext, _taker: number, priceTicks: number): number {
    const oneLot = BigInt(priceTicks) * instrument.valuePerTickLot;
    const lots = budgetLeft / oneLot;
    const step = BigInt(instrument.lotStep);
    const whole = (lots / step) * step;
    return whole > BigInt(SIZE_LOTS_MAX) ? SIZE_LOTS_MAX : Number(whole);
  }

  prefetch(maker: number): void {
    this.state.accountByUid.prefetch(this.state.slab.account[maker]!);
  }

  get beforeMaker(): ((maker: number) => void) | undefined {
    return this.state.works.length === 0 ? undefined : this.settleOwner;
  }

  traded(context: SpotFillContext, taker: number, maker: number, priceTicks: number, lots: number): void {
    const { state } = this;
    if (state.tracer !== undefined) state.tracer.onMatch(taker, maker, priceTicks, lots);
    const { instrument, market } = context;
    const { slab, ledger } = state;
    const buying = slab.side[taker] === Side.buy;
    const buyer = buying ? taker : maker;
    const seller = buying ? maker : taker;
    const value = tradeAmount(instrument, priceTicks, lots);
    const base = baseAmount(instrument, lots);
    const buyerAccount = state.accountOf(buyer);
    const sellerAccount = state.accountOf(seller);
    if (buying && slab.orderType[taker] === OrderType.market) context.budgetLeft -= BigInt(value);

    const buyerBase = ledger.cell(buyerAccount.index, instrument.base, Bucket.cash);
    const sellerQuote = ledger.cell(sellerAccount.index, instrument.quote, Bucket.cash);
    this.pay(context, buyer, value, sellerQuote);
    this.pay(context, seller, base, buyerBase);
    const deal: SpotDeal = {
      buying,
      base,
      value,
      buyerRate: feeRateOf(state, buyer, buying),
      sellerRate: feeRateOf(state, seller, !buying),
      index: market.index?.price ?? 0n,
    };
    const fees = state.rules.feeFloors ? flooredSpotFees(deal) : spotFees(deal);
    const { buyer: buyerFee, seller: sellerFee, takenFromBuyer, takenFromSeller } = fees;
    this.charge(buyerFee, buyerBase, instrument.base);
    this.charge(sellerFee, sellerQuote, instrument.quote);
    const buyerShare = payCommission(state, buyerAccount, instrument.base, buyerFee, takenFromBuyer);
    const sellerShare = payCommission(state, sellerAccount, instrument.quote, sellerFee, takenFromSeller);
    // The difference to a better price than the limit is released at once.
    const improvement = slab.price[buyer]! - priceTicks;
    if (improvement > 0 && !isMargin(state, buyer)) {
      const buyerLocked = ledger.cell(buyerAccount.index, instrument.quote, Bucket.locked);
      const buyerQuote = ledger.cell(buyerAccount.index, instrument.quote, Bucket.cash);
      ledger.move(buyerLocked, buyerQuote, tradeAmount(instrument, improvement, lots));
    }

    if (state.verifiesFillChecks) this.checks.confirm();
    if (buyerAccount.cashCanBeNegative) state.markDirty(buyerAccount);
    if (sellerAccount.cashCanBeNegative) state.markDirty(sellerAccount);
    noteExecution(state, buyer, value, buyerFee, 0);
    noteExecution(state, seller, value, sellerFee, 0);
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
    market.lastTriggers?.onPrice(priceTicks);
    market.changes++;
  }

  fillChecks(_context: SpotFillContext, dryRun: boolean): SpotFillChecks | undefined {
    if (!this.state.rules.restingRisk) return undefined;
    if (dryRun) return new SpotFillChecks(this.state, true);
    this.checks.begin();
    return this.checks;
  }

  makerFailed({ market }: SpotFillContext, maker: number): void {
    market.changes++;
    finishRestingOrder(this.state, maker, CancelReason.delegatedRiskOrder);
  }

  makerLeft({ market }: SpotFillContext, maker: number, filled: boolean): void {
    market.changes++;
    if (filled && !isMargin(this.state, maker)) finishOrder(this.state, maker, CancelReason.none);
    else if (filled) finishRestingOrder(this.state, maker, CancelReason.none);
    else finishRestingOrder(this.state, maker, CancelReason.stp);
  }

  /** Pays one side of a trade from the order's hold, for a margin order also from the borrowed part. */
  private pay({ instrument, budgetLeft }: SpotFillContext, slot: number, amount: Amount, to: number): void {
    const { state } = this;
    const { slab, ledger } = state;
    const coin = heldCoin(instrument, slab.side[slot] as Side);
    if (!isMargin(state, slot)) {
      ledger.move(ledger.cell(slab.account[slot]!, coin, Bucket.locked), to, amount);
      return;
    }
    const byAmount = slab.orderType[slot] === OrderType.market && slab.side[slot] === Side.buy;
    const need = byAmount ? budgetLeft : BigInt(holdOf(state, instrument, slot));
    payFromMarginHold(state, slot, coin, BigInt(amount), need, to);
  }

  /** Charges the fee of one side; a negative fee is a rebate. */
  private charge(fee: Amount, cash: number, coin: number): void {
    const { ledger } = this.state;
    const house = ledger.cell(SystemAccount.fee, coin, Bucket.cash);
    if (fee > 0) ledger.move(cash, house, fee);
    else if (fee < 0) ledger.move(house, cash, -fee);
  }
}
