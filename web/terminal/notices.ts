/** What happened, for people: short notices on the screen, spoken ones for screen readers, and a list of events. */
import { signal } from '@preact/signals';

export type Tone = 'good' | 'bad' | 'plain';

export interface Notice {
  readonly id: number;
  readonly tone: Tone;
  readonly text: string;
  readonly detail?: string | undefined;
}

const SHOWN_MS = 6_000;
const SHOWN_MAX = 4;
/** A busy market must not talk all the time. */
const SPOKEN_EVERY_MS = 1_000;

export const notices = signal<readonly Notice[]>([]);
export const spoken = signal('');

let lastId = 0;
let spokenAt = 0;
let waiting: { count: number; text: string } | undefined;

export function notify(tone: Tone, text: string, detail?: string): void {
  lastId += 1;
  const notice = { id: lastId, tone, text, detail };
  notices.value = [...notices.value, notice].slice(-SHOWN_MAX);
  setTimeout(() => dismiss(notice.id), SHOWN_MS);
  speak(detail === undefined ? text : `${text}: ${detail}`);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Politely, and at most once a second; what came meanwhile is counted. */
export function speak(text: string): void {
  if (waiting !== undefined) {
    waiting = { count: waiting.count + 1, text };
    return;
  }
  waiting = { count: 1, text };
  setTimeout(
    () => {
      const { count, text: last } = waiting!;
      waiting = undefined;
      spokenAt = Date.now();
      spoken.value = count > 1 ? `${last}, and ${count - 1} more` : last;
    },
    Math.max(0, spokenAt + SPOKEN_EVERY_MS - Date.now()),
  );
}

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
