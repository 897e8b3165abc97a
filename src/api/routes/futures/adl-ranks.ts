/**
 * Places in the deleveraging queue for those who ask. A place goes by the scores of all holders of a contract, so where there
 * are many they are taken in slices between which the exchange does its work, and readers of one second share them.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { type AdlRank, adlRanks, type Ranked, RankingRead } from '../../../core/reads/position-reads.ts';
import type { State } from '../../../core/state/state.ts';

/** About a millisecond; a contract of as many is ranked at once. */
const HOLDERS_AT_A_TIME = 1000;
const KEPT_MS = 1000;

interface Kept {
  readonly ranked: Promise<readonly Ranked[]>;
  readonly untilMs: number;
}

/** By contract and direction. */
const keptOf = new WeakMap<State, Map<string, Kept>>();

export async function ranksInSlices(
  state: State,
  uid: number,
  atATime = HOLDERS_AT_A_TIME,
): Promise<AdlRank[]> {
  const taken = new Map<string, readonly Ranked[]>();
  for (const { instrument, long } of state.accountByUid.get(uid)?.positions.values() ?? [])
    if (state.market(state.instruments[instrument]!).holders.size > atATime)
      taken.set(keyOf(instrument, long), await keptRanking(state, instrument, long, atATime));
  return adlRanks(state, uid, ({ instrument, long }) => taken.get(keyOf(instrument, long)));
}

function keptRanking(
  state: State,
  instrument: number,
  long: boolean,
  atATime: number,
): Promise<readonly Ranked[]> {
  const now = performance.now();
  let kept = keptOf.get(state);
  if (kept === undefined) {
    kept = new Map();
    keptOf.set(state, kept);
  }
  for (const [key, { untilMs }] of kept) if (untilMs <= now) kept.delete(key);
  const key = keyOf(instrument, long);
  let ranking = kept.get(key);
  if (ranking === undefined) {
    ranking = {
      ranked: takeRanking(new RankingRead(state, instrument, long), atATime),
      untilMs: now + KEPT_MS,
    };
    kept.set(key, ranking);
  }
  return ranking.ranked;
}

async function takeRanking(read: RankingRead, atATime: number): Promise<readonly Ranked[]> {
  while (!read.advance(atATime)) await turn();
  return read.ranked;
}

function keyOf(instrument: number, long: boolean): string {
  return `${instrument} ${long}`;
}
