/**
 * Every field, word and rejection in the answers of the 23 endpoints wrong once, in every category too: a check of the
 * contract must notice each (reliability 4, T23). The contract is recorded against real servers and played back, so a
 * mutant costs no server.
 */
import type { AnswerMutant } from '../contract/mutation/answers.ts';
import { Rng } from '../security/hostile/rng.ts';
import type { Campaign, CampaignRun, TrialResult } from './campaign.ts';

class Mutants implements CampaignRun {
  readonly #mutants: AnswerMutant[];
  readonly #noticing: (mutant: AnswerMutant) => Promise<string | undefined>;

  constructor(mutants: AnswerMutant[], noticing: (mutant: AnswerMutant) => Promise<string | undefined>) {
    this.#mutants = mutants;
    this.#noticing = noticing;
  }

  get trialsMax(): number {
    return this.#mutants.length;
  }

  async trial(number: number): Promise<TrialResult> {
    const mutant = this.#mutants[number]!;
    if ((await this.#noticing(mutant)) !== undefined) return { name: 'noticed' };
    return { name: 'survived', failure: `not noticed: ${mutant.title}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

export const campaign: Campaign = {
  summary: 'wrong answers of the 23 endpoints, one at a time, that the contract test must notice',
  trials: 200,
  async open(seed) {
    // Replaces modules of the contract, so it is loaded only to run.
    const { noticing, record } = await import('../contract/mutation/replay.ts');
    return new Mutants(new Rng(seed).shuffled(await record()), noticing);
  },
};
