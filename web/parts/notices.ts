/** What happened, for people: short notices on the screen, and spoken ones for screen readers. */
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
