/** What a test may ask for by name: each with how often it happened. */
import type { Referee } from './report.ts';

type Facts = Omit<Referee, 'findings'>;

interface FindingRow {
  readonly text: string;
  readonly count: (facts: Facts) => number;
}

const mistakes = ({ conduct }: Facts, ...kinds: string[]) =>
  (conduct?.mistakes ?? []).reduce((sum, { kind, count }) => sum + (kinds.includes(kind) ? count : 0), 0);

export const FINDINGS = {
  'unsafe-retry': {
    text: 'an order was sent again without a clientOid, although the first may be there',
    count: ({ conduct }) => conduct?.retries.unsafe ?? 0,
  },
  'rate-limited': { text: 'a limit was exceeded', count: ({ conduct }) => conduct?.refused429 ?? 0 },
  'duplicate-id': {
    text: 'a clientOid was used for a second order',
    count: ({ conduct }) => conduct?.duplicateIds ?? 0,
  },
  'amended-closed': {
    text: 'an order was changed that was not open',
    count: ({ conduct }) => conduct?.amendsOfClosed ?? 0,
  },
  polling: {
    text: 'a call asked for what a stream was telling',
    count: ({ conduct }) => conduct?.pollingBesideStream ?? 0,
  },
  'no-ping': { text: 'a socket sent no ping', count: ({ conduct }) => conduct?.socketsWithoutPing ?? 0 },
  unread: {
    text: 'an answer or a socket was not read',
    count: (facts) => (facts.conduct?.unreadSockets ?? 0) + mistakes(facts, 'unread'),
  },
  'wrong-signature': {
    text: 'a request was signed wrongly or at a wrong time',
    count: (facts) => mistakes(facts, 'signature', 'clock'),
  },
  'below-minimum': { text: 'an order was too small', count: ({ rules }) => rules.belowMinimum },
  'off-tick': {
    text: 'a price or quantity was no multiple of its step',
    count: ({ rules }) => rules.offTick,
  },
  'reduce-only': {
    text: 'an order would not have reduced a position',
    count: ({ rules }) => rules.reduceOnly,
  },
  'self-trade': {
    text: 'an order met one of the same owner',
    count: ({ rules }) => rules.selfTradesPrevented,
  },
  liquidated: { text: 'a position was closed by force', count: ({ rules }) => rules.liquidations },
  'unknown-position': {
    text: 'after a fault the account had a position that it could not know of, and never asked',
    count: ({ faults }) =>
      faults.filter(
        ({ secondsUntilKnown, believed, actual }) =>
          secondsUntilKnown === null && JSON.stringify(believed) !== JSON.stringify(actual),
      ).length,
  },
  'left-orders': { text: 'orders were left open at the end', count: ({ rules }) => rules.left.orders },
  'left-positions': {
    text: 'positions were left open at the end',
    count: ({ rules }) => rules.left.positions,
  },
} as const satisfies Readonly<Record<string, FindingRow>>;

export const FINDING_NAMES: readonly string[] = Object.keys(FINDINGS);

export function findingsOf(facts: Facts): Referee['findings'] {
  return Object.entries(FINDINGS).map(([name, { text, count }]) => ({ name, count: count(facts), text }));
}
