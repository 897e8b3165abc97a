/** What an account did when a fault had hit one of its requests, and what it could know of its positions meanwhile. */
import { CATEGORY_NAMES } from '../../core/model/enums.ts';
import { formatUnits } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';
import type { Entry } from '../../inspector/recorder.ts';
import { pathOf } from './conduct.ts';
import type { FaultReport } from './report.ts';
import type { TradingTally } from './trading.ts';

/** A fault that has hit a request. */
export interface FaultHit {
  readonly fault: string;
  /** What it did, in a few words. */
  readonly what: string;
  /** Machine's time. */
  readonly atMs: number;
  /** The entry of the request in the recorder, when it has one. */
  readonly entry?: number | undefined;
  /** Sequence numbers of commands whose outcome was kept from the account. */
  readonly commands: readonly number[];
}

/** The faults that have hit an account. */
export type FaultHits = (uid: number) => readonly FaultHit[];

/** Calls and topics that tell what became of an order. */
const TELLING = /\/(?:order-info|unfilled-orders|history-orders|fills|current-position|assets)$/;

export function faultReports(
  hits: readonly FaultHit[],
  entries: readonly Entry[],
  tally: TradingTally,
  state: State,
): FaultReport[] {
  return hits.map((hit) => {
    const later = entries.filter(
      ({ atMs, id, method }) => atMs >= hit.atMs && id !== hit.entry && method !== 'out',
    );
    const [next] = later;
    const known = later.find((entry) => entry.kind === 'http' && TELLING.test(pathOf(entry)));
    const hidden = new Set(hit.commands.map((seq) => tally.ordersOfCommand.get(seq) ?? 0));
    const actual = positionsOf(tally, state, () => true);
    return {
      fault: hit.fault,
      what: hit.what,
      time: Math.round(hit.atMs),
      did: next === undefined ? '' : `${next.method} ${pathOf(next)}`,
      secondsUntilKnown: known === undefined ? null : Math.round(known.atMs - hit.atMs) / 1000,
      believed: positionsOf(tally, state, (orderId) => !hidden.has(orderId)),
      actual,
    };
  });
}

/** What the account has bought less sold in the session, by the orders that count. */
function positionsOf(
  { steps }: TradingTally,
  { instruments }: State,
  counts: (orderId: number) => boolean,
): Record<string, string> {
  const sums = new Map<number, number>();
  for (const { orderId, instrument, lots } of steps)
    sums.set(instrument, (sums.get(instrument) ?? 0) + (counts(orderId) ? lots : 0));
  return Object.fromEntries(
    [...sums].map(([index, lots]) => {
      const { category, symbol, quantityPrecision } = instruments[index]!;
      return [`${CATEGORY_NAMES[category]}:${symbol}`, formatUnits(BigInt(lots), quantityPrecision)];
    }),
  );
}
