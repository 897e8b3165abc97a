/** Faults that have hit requests, with what the recorder knows of these requests. */
import type { Recorder } from '../../inspector/recorder.ts';
import type { HitCall } from '../faults/faults.ts';
import { pathOf } from './conduct.ts';
import type { FaultHit } from './fault-reports.ts';

/** A fault hits a request right after its arrival. */
const APART_MAX_MS = 250;
const ENTRIES_MAX = 20_000;

export function faultHits(calls: readonly HitCall[], recorder: Recorder | undefined): readonly FaultHit[] {
  return calls.map(({ uid, fault, action, path, atMs, hidesAnswer }) => {
    const near = (recorder?.newest(ENTRIES_MAX, (party) => party.uid === uid) ?? [])
      .filter((entry) => entry.kind === 'http' && pathOf(entry) === path)
      .map((entry) => ({ entry, apart: Math.abs(entry.atMs - atMs) }))
      .sort((one, other) => one.apart - other.apart)[0];
    const entry = near !== undefined && near.apart <= APART_MAX_MS ? near.entry : undefined;
    return {
      fault,
      what: JSON.stringify(action),
      atMs,
      entry: entry?.id,
      commands: hidesAnswer && entry !== undefined ? entry.commands : [],
    };
  });
}
