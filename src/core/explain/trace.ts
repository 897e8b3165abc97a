/** What one command did, in the order in which it did it: checks, matches, postings, liquidations, and margin before and after. */
import type { Amount } from '../model/amount.ts';
import type { Command, PlaceOrder } from '../model/command.ts';
import type { CommandResult } from '../model/command-result.ts';
import { CATEGORY_NAMES, SIDE_NAMES } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { BUCKETS, Bucket, FIRST_USER_ACCOUNT, SYSTEM_ACCOUNT_NAMES } from '../model/ledger-accounts.ts';
import { formatOrderId } from '../model/order-id.ts';
import type { Position } from '../model/position.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { formatMoney } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import type { TriggeredBy } from '../state/strategy-order.ts';
import type { ForcedClose, Tracer } from '../state/tracer.ts';
import { amountText, coinName, type Facts, priceText, qtyText } from './figures.ts';
import { closeBudgetFacts, lendingBudgetFacts } from './fund-facts.ts';
import { isIsolated } from './isolated-order.ts';
import {
  type Considered,
  type IsolatedMargin,
  isolatedMargin,
  type MarginView,
  marginView,
} from './margin-terms.ts';
import { checksOf, closes } from './order-steps.ts';
import { intentOf } from './rejected-margin.ts';
import { type Check, failedCheck } from './rejections.ts';
import { type Subject, subjectOf } from './subject.ts';

/** An order of the command or of a strategy order, with its checks. */
export interface TracedOrder {
  readonly uid: number;
  readonly symbol: string;
  readonly category: string;
  readonly side: string;
  readonly byStrategy: boolean;
  readonly checks: readonly Check[];
}

export interface TracedMatch {
  readonly at: number;
  readonly symbol: string;
  readonly category: string;
  /** The taker's. */
  readonly side: string;
  readonly price: string;
  readonly qty: string;
  readonly value: string;
  readonly taker: { readonly uid: number; readonly orderId: string };
  readonly maker: { readonly uid: number; readonly orderId: string };
}

/** One end of a posting: the uid of a user, or the name of an account of the house. */
export interface PostingEnd {
  readonly uid: number;
  readonly name: string;
  readonly bucket: string;
  /** What the bucket holds afterwards. */
  readonly balance: string;
}

export interface TracedPosting {
  readonly at: number;
  readonly coin: string;
  readonly amount: string;
  readonly from: PostingEnd;
  readonly to: PostingEnd;
}

export interface TracedLiquidation {
  readonly at: number;
  readonly uid: number;
  /** Of the whole account, or of one isolated position. */
  readonly isolated: IsolatedMargin | undefined;
  readonly margin: MarginView;
}

/** The terms of a forced close, and what the fund may lose by it. */
export interface TracedClose {
  readonly at: number;
  readonly uid: number;
  readonly instrument: number;
  readonly facts: Facts;
}

/** What the lending fund of a coin may pay now. */
export interface TracedBudget {
  readonly at: number;
  readonly coin: number;
  readonly facts: Facts;
}

const BUCKET_NAMES: readonly string[] = Array.from(
  { length: BUCKETS },
  (_, n) => Object.entries(Bucket).find(([, number]) => number === n)![0],
);

export class Trace implements Tracer {
  readonly orders: TracedOrder[] = [];
  readonly matched: TracedMatch[] = [];
  readonly postings: TracedPosting[] = [];
  readonly liquidations: TracedLiquidation[] = [];
  readonly closes: TracedClose[] = [];
  readonly lendingBudgets: TracedBudget[] = [];
  /** Of the command, when it is not an order: of its items where it has some. */
  readonly refused: Check[] = [];
  /** Of the account that the command names, before it; with its order where it places one. */
  margin: MarginView | undefined;
  result: CommandResult | undefined;
  private readonly state: State;
  /** What the command, or each item of a batch, is about: a failed amendment may cancel its order. */
  private subjects: readonly Subject[] = [];

  constructor(state: State) {
    this.state = state;
  }

  onCommand(command: Command): void {
    const items = 'items' in command ? command.items.length : 1;
    this.subjects = Array.from({ length: Math.max(1, items) }, (_, item) =>
      subjectOf(this.state, command, NOTHING_YET, item),
    );
    const subject = this.subjects[0]!;
    if (subject.account !== undefined && isOnGrid(command))
      this.margin = marginView(this.state, subject.account, consideredIn(subject));
  }

  onResult(result: CommandResult): void {
    this.result = result;
    const explain = (one: CommandResult, item = 0) => {
      if (one.rejectReason === RejectReason.none) return;
      this.refused.push(failedCheck({ ...this.subjects[item]!, result: one }));
    };
    // The checks of its order have reported it already; those of strategy orders that fired before it have not.
    if (this.orders.every(({ byStrategy }) => byStrategy)) explain(result);
    result.items?.forEach(explain);
  }

  onOrder(
    account: Account,
    instrument: Instrument,
    order: PlaceOrder,
    triggeredBy: TriggeredBy | undefined,
  ): void {
    const { state } = this;
    const context = { state, account, instrument, market: state.market(instrument) };
    this.orders.push({
      uid: account.uid,
      ...names(instrument),
      side: SIDE_NAMES[order.side],
      byStrategy: triggeredBy !== undefined,
      checks: checksOf(context, order, triggeredBy),
    });
  }

  onMatch(taker: number, maker: number, priceTicks: number, lots: number): void {
    const { state } = this;
    const instrument = state.instrumentOf(taker);
    const party = (slot: number) => ({
      uid: state.accountOf(slot).uid,
      orderId: formatOrderId(state.slab.id[slot]!),
    });
    this.matched.push({
      at: state.events.length,
      ...names(instrument),
      side: SIDE_NAMES[state.slab.side[taker]!]!,
      price: priceText(instrument, priceTicks),
      qty: qtyText(instrument, lots),
      value: formatMoney(tradeValue(instrument, priceTicks, lots)),
      taker: party(taker),
      maker: party(maker),
    });
  }

  onPosting(from: number, to: number, amount: Amount): void {
    if (BigInt(amount) === 0n) return;
    const { state } = this;
    this.postings.push({
      at: state.events.length,
      coin: coinName(state, state.ledger.coinOf(from)),
      amount: formatMoney(BigInt(amount)),
      from: this.end(from),
      to: this.end(to),
    });
  }

  onLiquidation(account: Account, isolated: Position | undefined): void {
    const { state } = this;
    this.liquidations.push({
      at: state.events.length,
      uid: account.uid,
      isolated: isolated === undefined ? undefined : isolatedMargin(state, isolated),
      margin: marginView(state, account),
    });
  }

  onForcedClose(account: Account, position: Position, close: ForcedClose): void {
    const { state } = this;
    const instrument = state.instruments[position.instrument]!;
    const { settle } = instrument.futures!;
    this.closes.push({
      at: state.events.length,
      uid: account.uid,
      instrument: instrument.index,
      facts: {
        marginBehind: amountText(state, settle, close.margin),
        bankruptcyPrice: priceText(instrument, close.bankruptcyTicks),
        reach: priceText(instrument, close.reachTicks),
        ...closeBudgetFacts(state, settle, instrument.index),
      },
    });
  }

  onLendingFund(coin: number): void {
    const { state } = this;
    this.lendingBudgets.push({ at: state.events.length, coin, facts: lendingBudgetFacts(state, coin) });
  }

  private end(cell: number): PostingEnd {
    const { state } = this;
    const { ledger } = state;
    const account = ledger.accountOf(cell);
    const house = account < FIRST_USER_ACCOUNT;
    return {
      uid: house ? 0 : state.accounts[account]!.uid,
      name: house ? SYSTEM_ACCOUNT_NAMES[account]! : '',
      bucket: BUCKET_NAMES[ledger.bucketOf(cell)]!,
      balance: formatMoney(ledger.balance(cell)),
    };
  }
}

const NOTHING_YET: CommandResult = { rejectReason: RejectReason.none, orderId: 0, clientOid: '' };

function names(instrument: Instrument): { symbol: string; category: string } {
  return { symbol: instrument.symbol, category: CATEGORY_NAMES[instrument.category] };
}

/** An order whose values are not on the grid has no margin. */
function isOnGrid(command: Command): boolean {
  if (command.type === 'placeOrder') return command.priceTicks >= 0 && command.sizeLots >= 0;
  return (
    command.type !== 'amendOrders' ||
    command.items.every((item) => item.priceTicks >= 0 && item.sizeLots >= 0)
  );
}

/** What the command would add to the margin of its account; the margin of isolated positions is apart from it. */
function consideredIn(subject: Subject): Considered {
  const { command, slot, account, instrument } = subject;
  if (account === undefined || instrument === undefined || isIsolated(account, instrument)) return {};
  if (command.type === 'amendOrders' && command.items.length === 1)
    return { intent: intentOf(subject), leaveOut: slot };
  if (command.type !== 'placeOrder' || closes({ account, instrument }, command)) return {};
  return { intent: intentOf(subject) };
}
