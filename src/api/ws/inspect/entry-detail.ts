/** One entry with everything that is known of it, and why it was refused. */
import type { KeyDirectory } from '../../../identity/identity.ts';
import { type Summary, summaryOf } from '../../../inspector/entry-summary.ts';
import type { Entry } from '../../../inspector/recorder.ts';
import { type Why, whyOf } from './why.ts';

export interface EntryDetail extends Summary {
  /** Path and query as received. */
  readonly target: string;
  readonly peer: string;
  readonly timestamp: string;
  readonly body: string;
  readonly answer: string;
  /** What the client must have signed; empty where nothing was. */
  readonly base: string;
  readonly connection: string;
  readonly why: Why;
}

export function detailOf(entry: Entry, keys: KeyDirectory): EntryDetail {
  const { target, peer, timestamp, body, answer, connection, method } = entry;
  const base = timestamp === '' ? '' : timestamp + method + target + body;
  return {
    ...summaryOf(entry),
    target,
    peer,
    timestamp,
    body,
    answer,
    base,
    connection,
    why: whyOf(entry, keys),
  };
}
