/**
 * Hostile requests and frames (reliability 4, T9): a trial is a new server that gets tens of thousands of them, drawn
 * from its seed, and is then judged: no fault, no growth, no secret kept, a log that replays to the same books.
 */
import { HostileRun, WARM_UP } from '../security/hostile/hostile-run.ts';
import type { Campaign, TrialResult } from './campaign.ts';

const SIGNED = 11_000;
const WOUNDED = 7_000;
const FRAMES = 3_000;

async function attacked(seed: number): Promise<TrialResult> {
  const counts = { requests: 0, 'raw packets': 0, frames: 0, 'commands verified': 0 };
  await using run = await HostileRun.open(seed);
  try {
    await run.warmUp();
    await run.signed(SIGNED);
    counts.requests += WARM_UP + SIGNED;
    await run.wounded(WOUNDED);
    counts['raw packets'] += WOUNDED;
    await run.frames(FRAMES);
    counts.frames += FRAMES;
    await run.assertNotGrown();
    await run.assertTrades();
    await run.assertNoSecretKept();
    counts['commands verified'] += await run.verified();
    return { name: 'sound', counts };
  } catch (error) {
    return { name: 'failed', failure: (error as Error).message, counts };
  }
}

export const campaign: Campaign = {
  summary: 'tens of thousands of damaged requests and frames against one server a trial',
  trials: 3,
  open: (seed) => ({
    trial: (number) => attacked(seed * 1009 + number),
    [Symbol.asyncDispose]: async () => {},
  }),
};
