/** One entry with everything that is known of it, and why it was refused. */
import type { KeyDirectory } from '../../../identity/identity.ts';
import { type StepTimes, type Summary, summaryOf, timesOf } from '../../../inspector/entry-summary.ts';
import { type Entry, TEXT_CHARS_MAX } from '../../../inspector/recorder.ts';
import { hasGap } from '../../../inspector/redaction.ts';
import { type Why, whyOf } from './why.ts';

export interface EntryDetail extends Summary {
  /** Path and query as received. */
  readonly target: string;
  readonly peer: string;
  readonly timestamp: string;
  readonly body: string;
  readonly answer: string;
  /** What had to be signed; empty where nothing was, or where parts of it were left out or cut off. */
  readonly base: string;
  /** Calls that its limit left in that second. */
  readonly left: number | null;
  readonly connection: string;
  readonly times: StepTimes | null;
  readonly why: Why;
}

export function detailOf(entry: Entry, keys: KeyDirectory): EntryDetail {
  const { target, peer, timestamp, body, answer, connection, method } = entry;
  const whole = timestamp !== '' && body.length < TEXT_CHARS_MAX && !hasGap(target) && !hasGap(body);
  const base = whole ? timestamp + method + target + body : '';
  return {
    ...summaryOf(entry),
    target,
    peer,
    timestamp,
    body,
    answer,
    base,
    left: entry.left ?? null,
    connection,
    times: timesOf(entry),
    why: whyOf(entry, keys),
  };
}
