/**
 * Records the contract test against real servers once, and plays it back with one thing wrong in the answers, for every
 * thing that can be wrong (`answers.ts`): does a check notice? A playback needs no server, so there is time for thousands.
 */
import './replaced-imports.ts';
import type { AnswerMutant } from './answers.ts';

const { perform } = await import('./check-runner.ts');
const { tape } = await import('./tape.ts');
const { answerMutants } = await import('./answers.ts');
const { examples } = await import('../endpoints.ts');
const { forget } = await import('../memory.ts');
const { rejected } = await import('../rejections.ts');
const { enumerations } = await import('../shape.ts');
const { openVenue } = await import('../venue.ts');
const { contract } = await import('../suites.ts');

async function once() {
  enumerations.clear();
  examples.clear();
  rejected.clear();
  forget();
  const venue = await openVenue();
  const failed = await perform(() => contract(venue));
  await venue.server.stop();
  return failed;
}

/** Records the contract, proves that the recording passes unchanged, and lists its mutants. */
export async function record(): Promise<AnswerMutant[]> {
  const recorded = await once();
  if (recorded !== undefined) throw new Error(`while recording: ${recorded.title}: ${recorded.message}`);
  tape.rewind();
  const played = await once();
  if (played !== undefined) throw new Error(`played back unchanged: ${played.title}: ${played.message}`);
  const answers = [...tape.answers()];
  return [...answerMutants(answers, false), ...answerMutants(answers, true)];
}

/** The title of the check that noticed the mutant, or undefined. */
export async function noticing({ alter }: AnswerMutant): Promise<string | undefined> {
  tape.rewind(alter);
  try {
    return (await once())?.title;
  } catch {
    // A changed answer may end the preparation of the venue before any check.
    return 'opening the venue';
  }
}
