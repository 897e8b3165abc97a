/** Trials that share nothing: each makes what it needs, from a seed of its own, and clears it away. */
import type { CampaignRun, TrialResult } from './campaign.ts';

export interface SeparateTrial extends AsyncDisposable {
  readonly counts: Readonly<Record<string, number>>;
  /** Throws when a promise was broken. */
  run(): Promise<void>;
}

/** More than a run has trials, so that neighbouring seeds do not repeat each other's. */
const SEED_STEP = 1009;

export class SeparateTrials implements CampaignRun {
  readonly #seed: number;
  readonly #passed: string;
  readonly #begin: (seed: number) => SeparateTrial;

  /** `passed` names the result of a trial that did not throw. */
  constructor(seed: number, passed: string, begin: (seed: number) => SeparateTrial) {
    this.#seed = seed;
    this.#passed = passed;
    this.#begin = begin;
  }

  async trial(number: number): Promise<TrialResult> {
    await using trial = this.#begin(this.#seed * SEED_STEP + number);
    try {
      await trial.run();
      return { name: this.#passed, counts: trial.counts };
    } catch (error) {
      return { name: 'failed', failure: (error as Error).message, counts: trial.counts };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
