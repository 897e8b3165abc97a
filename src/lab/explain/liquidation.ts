/** How a liquidation came about, what it did step by step, and who paid. */
import type { Facts } from '../../core/explain/figures.ts';
import { type RiskRow, riskRow } from '../../core/explain/risk-row.ts';
import type { Trace } from '../../core/explain/trace.ts';
import { OrderKind } from '../../core/model/enums.ts';
import type { Event } from '../../core/model/event.ts';
import { formatMoney, MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';
import type { Moment } from './explanation.ts';
import { fillFacts, momentOf } from './moments.ts';
import { accountName, type Shows } from './view.ts';

/** Seconds before a liquidation that are told at most. */
const SECONDS_MAX = 600;

const LIQUIDATES: ReadonlySet<OrderKind> = new Set([
  OrderKind.liquidation,
  OrderKind.reduce,
  OrderKind.offset,
]);

/** Did it close, sell or cancel something of the account because the account was due? */
export function isLiquidationOf(event: Event, uid: number): boolean {
  if (event.type === 'fill')
    return event.fill.uid === uid && LIQUIDATES.has(event.fill.futures?.kind ?? OrderKind.user);
  if (event.type === 'conversion') return event.uid === uid && event.forced;
  if (event.type === 'transfer') return event.fromUid === uid && event.initiatorUid === 0;
  return event.type === 'ledgerLine' && event.uid === uid && event.kind === 'liquidation';
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
  let begun = 0;
  const begin = (upTo: number) => {
    for (; begun < own.length && own[begun]!.at <= upTo; begun++) {
      const { margin, isolated } = own[begun]!;
      const { equity, maintenance, ratio } = isolated ?? { ...margin, equity: margin.effective };
      const what =
        isolated === undefined
          ? 'liquidation of the account begins'
          : `liquidation of the isolated ${isolated.side} in ${isolated.symbol} begins`;
      moments.push({ time: state.now, seq, what, facts: { equity, maintenance, ratio } });
    }
  };
  for (const [n, event] of events.entries()) {
    begin(n);
    const moment = momentOf(state, event, uid, seq) ?? deleveraged(state, event, uid, seq, shows);
    if (moment !== undefined) moments.push(moment);
  }
  begin(Number.POSITIVE_INFINITY);
  const paid = payers(trace, uid);
  if (Object.keys(paid).length > 0)
    moments.push({ time: state.now, seq, what: 'who paid, from the view of the account', facts: paid });
  return moments;
}

/** The other side of a deleveraging. */
function deleveraged(state: State, event: Event, uid: number, seq: number, shows: Shows): Moment | undefined {
  if (event.type !== 'fill' || event.fill.uid === uid || event.fill.futures?.kind !== OrderKind.adl)
    return undefined;
  const { symbol, side, price, qty, value } = fillFacts(state, event.fill) as Record<string, string>;
  const facts = { account: accountName(event.fill.uid, shows), symbol, side, price, qty, value } as Facts;
  return { time: event.fill.time, seq, what: 'deleveraged against', facts };
}

/** What each account of the house gave the account and took from it in the command, by coin. */
export function payers({ postings }: Trace, uid: number): Facts {
  const sums = new Map<string, bigint>();
  const add = (name: string, amount: bigint) => sums.set(name, (sums.get(name) ?? 0n) + amount);
  for (const { from, to, coin, amount } of postings) {
    const units = parseUnits(amount, MONEY_SCALE)!;
    if (to.uid === uid && from.uid === 0) add(`${from.name} ${coin}`, units);
    if (from.uid === uid && to.uid === 0) add(`${to.name} ${coin}`, -units);
  }
  return Object.fromEntries([...sums].map(([name, sum]) => [name, formatMoney(sum)]));
}
