/** How a liquidation came about, what it did step by step, and who paid. */
import { amountText, type Facts } from '../../core/explain/figures.ts';
import { type RiskRow, riskRow } from '../../core/explain/risk-row.ts';
import type { Trace, TracedLiquidation } from '../../core/explain/trace.ts';
import { CATEGORY_NAMES, OrderKind } from '../../core/model/enums.ts';
import type { Event, LedgerLine } from '../../core/model/event.ts';
import { Bucket } from '../../core/model/ledger-accounts.ts';
import { divFloor, formatMoney, MONEY_ONE, MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import { bucketBalance, coinsEverHeld } from '../../core/reads/ledger-reads.ts';
import type { Account } from '../../core/state/account.ts';
import type { State } from '../../core/state/state.ts';
import type { Tracer } from '../../core/state/tracer.ts';
import type { Moment } from './explanation.ts';
import { fillFacts, type Happened, momentOf } from './moments.ts';
import { STEPS, type StepWords } from './steps.ts';
import { accountName, type Shows } from './view.ts';

/** Seconds before a liquidation that are shown at most. */
const SECONDS_MAX = 600;

const LIQUIDATES: ReadonlySet<OrderKind> = new Set([
  OrderKind.liquidation,
  OrderKind.reduce,
  OrderKind.offset,
]);

/** Did it close, sell or take something of the account by force? Whether a liquidation began is what the tracer tells. */
export function isLiquidationOf(event: Event, uid: number): boolean {
  if (event.type === 'loanReduced') return event.uid === uid;
  if (event.type === 'fill')
    return event.fill.uid === uid && LIQUIDATES.has(event.fill.futures?.kind ?? OrderKind.user);
  if (event.type === 'conversion') return event.uid === uid && event.forced;
  if (event.type === 'transfer') return event.fromUid === uid && event.initiatorUid === 0;
  return event.type === 'ledgerLine' && event.uid === uid && event.kind === 'liquidation';
}

/** Notes whether a liquidation of an account has begun: one may only cancel orders, or only take of a pledge. */
export class LiquidationWatch implements Tracer {
  readonly #uid: number;
  #begun = false;

  constructor(uid: number) {
    this.#uid = uid;
  }

  /** Since the last question. */
  takeBegun(): boolean {
    const begun = this.#begun;
    this.#begun = false;
    return begun;
  }

  onLiquidation({ uid }: Account): void {
    this.#begun ||= uid === this.#uid;
  }

  onCommand(): void {}
  onResult(): void {}
  onOrder(): void {}
  onMatch(): void {}
  onPosting(): void {}
  onForcedClose(): void {}
  onLendingFund(): void {}
}

/** Notes the risk of an account once a second, from the last safe one on. */
export class RiskTimeline {
  readonly #uid: number;
  #rows: (RiskRow & { readonly seq: number })[] = [];
  #second = 0;

  constructor(uid: number) {
    this.#uid = uid;
  }

  note(state: State, seq: number): void {
    const account = state.accountByUid.get(this.#uid);
    if (state.nextSecond === this.#second || account === undefined) return;
    this.#second = state.nextSecond;
    const row = { ...riskRow(state, account), seq };
    if (row.safe) this.#rows = [row];
    else this.#rows.push(row);
    if (this.#rows.length > SECONDS_MAX) this.#rows.shift();
  }

  /** Does it begin with a safe second? */
  get isWhole(): boolean {
    return this.#rows[0]?.safe === true;
  }

  moments(): Moment[] {
    return this.#rows.map(
      ({ time, seq, safe, marks, equity, maintenance, ratio, liquidationRatio, isolated }) => ({
        time,
        seq,
        what: safe ? 'the last safe second' : 'margin ratio',
        facts: {
          ...named('mark', marks),
          equity,
          maintenance,
          ratio,
          liquidationRatio,
          ...named('isolated', isolated),
        },
      }),
    );
  }
}

const named = (word: string, facts: Facts): Facts =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [`${word} ${name}`, value]));

/** The liquidation of an account in one command, in the order of its steps. */
export function liquidationMoments(
  state: State,
  trace: Trace,
  events: readonly Event[],
  uid: number,
  seq: number,
  shows: Shows,
): Moment[] {
  const own = trace.liquidations.filter((each) => each.uid === uid);
  const moments: Moment[] = [];
  // What a fund pays for an isolated position is a line of the wallet and one into the margin: no cash of the account moves.
  const added = new Set(
    trace.postings
      .filter(({ from, to }) => from.uid === uid && from.bucket === 'cash' && to.bucket === 'isolated')
      .map(({ amount }) => -unitsOf(amount)),
  );
  let begun = 0;
  const begin = (upTo: number) => {
    for (; begun < own.length && own[begun]!.at <= upTo; begun++)
      moments.push({ time: state.now, seq, ...beginning(state, own[begun]!) });
  };
  for (const [n, event] of events.entries()) {
    begin(n);
    if (isMarginAdded(event, uid) && !added.has(event.amount)) continue;
    const happened = { state, event, seq, inside: begun > 0, terms: termsOf(trace, event, uid, n) };
    // Others may be closed in the same command: the last close that has begun is the one that deleverages.
    const closing = trace.closes.findLast(({ at }) => at <= n)?.uid === uid;
    const moment = momentOf(happened, uid) ?? (closing ? deleveraged(happened, uid, shows) : undefined);
    if (moment !== undefined) moments.push(moment);
  }
  begin(Number.POSITIVE_INFINITY);
  if (own.some(({ isolated }) => isolated === undefined)) moments.push(...debtLeft(state, uid, seq));
  const paid = payers(trace, uid);
  if (Object.keys(paid).length > 0)
    moments.push({ time: state.now, seq, what: 'who paid, from the view of the account', facts: paid });
  return moments;
}

function isMarginAdded(event: Event, uid: number): event is LedgerLine {
  return event.type === 'ledgerLine' && event.uid === uid && event.kind === 'marginAdded';
}

/** Why it was due, and what it lacked to be not. */
function beginning(
  state: State,
  { margin, isolated }: TracedLiquidation,
): Pick<Moment, 'what' | 'facts'> & StepWords {
  if (isolated === undefined) {
    const { effective: equity, maintenance, ratio, liquidationRatio } = margin;
    const level = unitsOf(liquidationRatio.replace(' %', ''));
    // The ratio is below the level with the first unit beyond it.
    const least = divFloor(unitsOf(maintenance) * HUNDRED_PERCENT, level) + 1n;
    const lacks = `${formatMoney(least - unitsOf(equity))} USD`;
    const facts = { equity, maintenance, ratio, liquidationRatio, lacks };
    return { what: 'liquidation of the account begins', facts, ...STEPS.accountBegins(facts) };
  }
  const { equity, maintenance, ratio, side, symbol, category } = isolated;
  const { quote } = state.instruments.find(
    (each) => each.symbol === symbol && CATEGORY_NAMES[each.category] === category,
  )!;
  const lacks = amountText(state, quote, unitsOf(maintenance) - unitsOf(equity) + 1n);
  const facts = { equity, maintenance, ratio, lacks };
  const what = `liquidation of the isolated ${side} in ${symbol} begins`;
  return { what, facts, ...STEPS.positionBegins(facts) };
}

const unitsOf = (text: string): bigint => parseUnits(text, MONEY_SCALE)!;
const HUNDRED_PERCENT = 100n * MONEY_ONE;

const CLOSE_TERMS = ['marginBehind', 'bankruptcyPrice', 'reach'];

/** How far the close that an event belongs to may go, or what the fund that pays may pay. */
function termsOf({ closes, lendingBudgets }: Trace, event: Event, uid: number, n: number): Facts {
  const closeOf = (instrument: number): Facts =>
    closes.findLast((close) => close.at <= n && close.uid === uid && close.instrument === instrument)
      ?.facts ?? {};
  if (event.type === 'fill') return closeOf(event.fill.instrument);
  if (event.type !== 'ledgerLine') return {};
  const pays = event.kind === 'liquidation' && event.amount > 0n;
  if (!pays && event.kind !== 'marginAdded') return {};
  if (event.instrument < 0)
    return lendingBudgets.findLast(({ at, coin }) => at <= n && coin === event.coin)?.facts ?? {};
  return Object.fromEntries(
    Object.entries(closeOf(event.instrument)).filter(([name]) => !CLOSE_TERMS.includes(name)),
  );
}

/** What neither the account nor a fund has paid (rules 13.7 (e)); with positions the ratio decides. */
function debtLeft(state: State, uid: number, seq: number): Moment[] {
  const account = state.accountByUid.get(uid)!;
  if ([...account.positions.values()].some(({ isolated }) => !isolated)) return [];
  const owed = coinsEverHeld(state, account.index)
    .map((coin) => [coin, bucketBalance(state, account.index, coin, Bucket.cash)] as const)
    .filter(([, balance]) => balance < 0n)
    .map(([coin, balance]) => amountText(state, coin, -balance));
  if (owed.length === 0) return [];
  const facts = { owed: owed.join(' and ') };
  return [{ time: state.now, seq, what: 'a debt is left', facts, ...STEPS.debtLeft(facts) }];
}

/** The other side of a deleveraging. */
function deleveraged(
  { state, event, seq, terms = {} }: Happened,
  uid: number,
  shows: Shows,
): Moment | undefined {
  if (event.type !== 'fill' || event.fill.uid === uid || event.fill.futures?.kind !== OrderKind.adl)
    return undefined;
  const { symbol, side, price, qty, value } = fillFacts(state, event.fill) as Record<string, string>;
  const { bankruptcyPrice, reach } = terms;
  const account = accountName(event.fill.uid, shows);
  const facts = { account, symbol, side, price, qty, value, bankruptcyPrice, reach } as Facts;
  const words = STEPS.deleveragedAgainst(facts);
  return { time: event.fill.time, seq, what: 'deleveraged against', facts, ...words };
}

/** What each account of the house gave the account and took from it in the command, by coin. */
export function payers({ postings }: Trace, uid: number): Facts {
  const sums = new Map<string, bigint>();
  const add = (name: string, amount: bigint) => sums.set(name, (sums.get(name) ?? 0n) + amount);
  for (const { from, to, coin, amount } of postings) {
    const units = unitsOf(amount);
    if (to.uid === uid && from.uid === 0) add(`${from.name} ${coin}`, units);
    if (from.uid === uid && to.uid === 0) add(`${to.name} ${coin}`, -units);
  }
  return Object.fromEntries([...sums].map(([name, sum]) => [name, formatMoney(sum)]));
}
