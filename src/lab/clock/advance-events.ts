/** What happened during an advance, a row for each event that concerns somebody. */
import type { CandleInterval } from '../../core/model/candle-interval.ts';
import {
  CANCEL_REASON_NAMES,
  INSTRUMENT_STATUS_NAMES,
  OrderKind,
  OrderStatus,
  STRATEGY_STATUS_NAMES,
  StrategyStatus,
} from '../../core/model/enums.ts';
import type { Event, FillRecord, LedgerLineKind } from '../../core/model/event.ts';
import { formatMoney, formatRate, formatUnits } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';

/** Rows that are listed; the rest are counted. */
export const ROWS_MAX = 1000;

export interface AdvanceEvent {
  readonly time: number;
  readonly what: string;
  readonly account?: string;
  readonly symbol?: string;
  /** The coin of `amount`, when it is money. */
  readonly coin?: string;
  readonly amount?: string;
}

/** Everything but its time; accounts, instruments and coins by number. */
interface Row {
  readonly what: string;
  readonly uid?: number;
  readonly instrument?: number;
  readonly coin?: number;
  readonly amount?: string;
}

/** Lines of the ledger that come about by time; those of trades are fills. */
const LINES: Readonly<Partial<Record<LedgerLineKind, string>>> = {
  fundingIn: 'funding received',
  fundingOut: 'funding paid',
  interest: 'interest',
  loanInterest: 'loan interest',
  liquidation: 'liquidation fee',
  debtWrittenOff: 'debt written off',
  commission: 'commission',
  convertIn: 'converted',
  convertOut: 'converted',
  forcedIn: 'forced conversion',
  forcedOut: 'forced conversion',
};

const FILLS: Readonly<Partial<Record<OrderKind, string>>> = {
  [OrderKind.offset]: 'offset',
  [OrderKind.reduce]: 'forced reduction',
  [OrderKind.liquidation]: 'liquidation',
  [OrderKind.adl]: 'deleveraging',
  [OrderKind.delivery]: 'delivery',
  [OrderKind.delisting]: 'delisting',
  [OrderKind.move]: 'position moved',
};

export class AdvanceEvents {
  readonly rows: AdvanceEvent[] = [];
  /** Counts of events that are not among the rows, by `what`. */
  readonly more: Record<string, number> = {};
  readonly #state: () => State;
  readonly #nameOf: (uid: number) => string;
  /** Candles of this interval are listed too. */
  readonly #candles: CandleInterval | undefined;

  constructor(state: () => State, nameOf: (uid: number) => string, candles?: CandleInterval) {
    this.#state = state;
    this.#nameOf = nameOf;
    this.#candles = candles;
  }

  note(event: Event, time: number): void {
    const row = this.#rowOf(event);
    if (row === undefined) return;
    if (this.rows.length >= ROWS_MAX) this.more[row.what] = (this.more[row.what] ?? 0) + 1;
    else this.rows.push(this.#named(row, time));
  }

  #named({ what, uid, instrument, coin, amount }: Row, time: number): AdvanceEvent {
    const state = this.#state();
    return {
      time,
      what,
      ...(uid !== undefined && { account: this.#nameOf(uid) || String(uid) }),
      ...(instrument !== undefined && instrument >= 0 && { symbol: state.instruments[instrument]!.symbol }),
      ...(coin !== undefined && { coin: state.coins[coin]!.coin }),
      ...(amount !== undefined && { amount }),
    };
  }

  #rowOf(event: Event): Row | undefined {
    switch (event.type) {
      case 'fill':
        return this.#fill(event.fill);
      case 'ledgerLine': {
        const { uid, coin, instrument, amount, kind } = event;
        const what = LINES[kind];
        return what === undefined ? undefined : { what, uid, instrument, coin, amount: formatMoney(amount) };
      }
      case 'order': {
        const { uid, instrument, status, cancelReason } = event.order;
        if (status !== OrderStatus.cancelled) return undefined;
        return { what: `order cancelled, ${CANCEL_REASON_NAMES[cancelReason]}`, uid, instrument };
      }
      case 'strategyOrder': {
        const { uid, instrument, status } = event.order;
        if (status === StrategyStatus.pending || status === StrategyStatus.submitting) return undefined;
        return { what: `trigger order, ${STRATEGY_STATUS_NAMES[status]}`, uid, instrument };
      }
      case 'positionClosed': {
        const { uid, instrument, realised } = event;
        return { what: 'position closed', uid, instrument, amount: formatMoney(realised) };
      }
      case 'fundingSettled':
        return {
          what: 'funding settled',
          instrument: event.instrument,
          amount: formatRate(event.rate),
        };
      case 'riskWarning':
        return { what: 'margin warning', uid: event.uid };
      case 'loan':
        return { what: `loan, ${event.status}`, uid: event.uid, coin: event.loanCoin };
      case 'loanReduced':
        return {
          what: 'pledge sold',
          uid: event.uid,
          coin: event.pledgeCoin,
          amount: formatMoney(event.sold),
        };
      case 'loanNotice':
        return { what: `loan notice, ${event.kind}`, uid: event.uid, coin: event.loanCoin };
      case 'walletRecord': {
        const { uid, kind, status, coin, amount } = event;
        return { what: `${kind}, ${status}`, uid, coin, amount: formatMoney(amount) };
      }
      case 'instrument': {
        const { instrument } = event;
        const { status } = this.#state().instruments[instrument]!;
        return { what: `instrument, ${INSTRUMENT_STATUS_NAMES[status]}`, instrument };
      }
      case 'candle': {
        const { instrument, interval, closeTicks } = event;
        if (interval !== this.#candles) return undefined;
        const { pricePrecision } = this.#state().instruments[instrument]!;
        const amount = formatUnits(BigInt(closeTicks), pricePrecision);
        return { what: `candle ${interval}`, instrument, amount };
      }
      default:
        return undefined;
    }
  }

  #fill({ uid, instrument, sizeLots, futures }: FillRecord): Row {
    const { quantityPrecision } = this.#state().instruments[instrument]!;
    const amount = formatUnits(BigInt(sizeLots), quantityPrecision);
    return { what: (futures && FILLS[futures.kind]) ?? 'fill', uid, instrument, amount };
  }
}
