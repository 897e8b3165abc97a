/** Requests and frames of the time of a session, as the inspector has them, without addresses, keys and secrets. */
import type { NewUid } from '../../core/snapshot/renumber.ts';
import { summaryOf } from '../../inspector/entry-summary.ts';
import type { Entry, Recorder } from '../../inspector/recorder.ts';

const BYTES_MAX = 32 * 1024 * 1024;
const EVERYTHING = Number.POSITIVE_INFINITY;
/** Calls about keys name the addresses that may use them. */
const ABOUT_KEYS = /api|key/i;
const ADDRESS = /\b(?:\d{1,3}\.){3}\d{1,3}\b/g;
const LEFT_OUT = '(left out)';

export interface SessionTime {
  /** The last command before the session. */
  readonly afterSeq: number;
  /** Machine's time from which on sequence numbers are those of the present branch. */
  readonly sinceMs: number;
}

/** The newest that fit, as lines of JSON. */
export function requestsOf(
  recorder: Recorder | undefined,
  time: SessionTime,
  anonymous: NewUid | undefined,
): { readonly text: string; readonly count: number } {
  const line = (entry: Entry) =>
    `${JSON.stringify(anonymous === undefined ? full(entry) : bare(entry, anonymous))}\n`;
  const lines: string[] = [];
  let bytes = 0;
  for (const entry of entriesWithin(recorder, time).toReversed()) {
    const text = line(entry);
    bytes += text.length;
    if (bytes > BYTES_MAX) break;
    lines.push(text);
  }
  return { text: lines.reverse().join(''), count: lines.length };
}

/** Behind the last one that made a command before the session. */
export function entriesWithin(
  recorder: Recorder | undefined,
  { afterSeq, sinceMs }: SessionTime,
): readonly Entry[] {
  if (recorder === undefined) return [];
  const entries = recorder.newest(
    EVERYTHING,
    () => true,
    ({ atMs }) => atMs >= sinceMs,
  );
  const before = entries.findLastIndex(({ commands }) => commands.some((seq) => seq <= afterSeq));
  return entries.slice(before + 1);
}

function full(entry: Entry) {
  const { id, kind, uid, agent, method, target, status, timestamp, body, answer, commands, connection } =
    entry;
  const hidden = ABOUT_KEYS.test(pathOf(target).replace('/api/', '/'));
  const text = (given: string) => (hidden && given !== '' ? LEFT_OUT : given.replaceAll(ADDRESS, LEFT_OUT));
  const { ts, ms, code, msg } = summaryOf(entry);
  return {
    ...{ id, kind, ts, ms, uid, agent: text(agent), method, target: hidden ? pathOf(target) : text(target) },
    ...{
      status,
      code,
      msg: text(msg),
      timestamp,
      body: text(body),
      answer: text(answer),
      commands,
      connection,
    },
  };
}

/** Texts may name anybody. */
function bare(entry: Entry, newUid: NewUid) {
  const { id, kind, uid, method, target, status, commands } = entry;
  const { ts, ms, code } = summaryOf(entry);
  return { id, kind, ts, ms, uid: newUid(uid), method, target: pathOf(target), status, code, commands };
}

function pathOf(target: string): string {
  return target.split('?', 1)[0]!;
}
