/** What happened, for people: notices, and a list of events. */
import { signal } from '@preact/signals';

export { dismiss, type Notice, notices, notify, speak, spoken, type Tone } from '../parts/notices.ts';

/** What the exchange did to the account by itself. */
export interface VenueEvent {
  readonly id: string;
  readonly ts: number;
  readonly kind: string;
  readonly symbol: string;
  readonly text: string;
}

const EVENTS_MAX = 200;
export const events = signal<readonly VenueEvent[]>([]);

export function addEvents(added: readonly VenueEvent[]): void {
  const known = new Set(events.value.map(({ id }) => id));
  const fresh = added.filter(({ id }) => !known.has(id));
  if (fresh.length === 0) return;
  events.value = [...fresh, ...events.value].sort((a, b) => b.ts - a.ts).slice(0, EVENTS_MAX);
}
