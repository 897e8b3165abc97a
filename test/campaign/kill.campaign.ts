/**
 * kill -9 under load (reliability 4, T4): a trial is a data directory whose server is killed ten times amid orders; in the
 * end every order, fill and balance is held against what the traders were told, and `verify` proves the directory.
 */
import { KillLoop } from '../crash/kill-loop.ts';
import type { Campaign, TrialResult } from './campaign.ts';

const KILLS = 10;

async function killed(seed: number): Promise<TrialResult> {
  const loop = new KillLoop({ kills: KILLS, seed });
  try {
    await loop.run();
    return { name: 'nothing lost', counts: loop.counts };
  } catch (error) {
    return { name: 'failed', failure: (error as Error).message, counts: loop.counts };
  }
}

export const campaign: Campaign = {
  summary: 'a server killed ten times under load: nothing acknowledged is lost, nothing happens twice',
  trials: 5,
  open: (seed) => ({
    trial: (number) => killed(seed * 1009 + number),
    [Symbol.asyncDispose]: async () => {},
  }),
};
