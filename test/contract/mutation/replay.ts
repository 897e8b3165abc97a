/**
 * Records the contract test against real servers once, and plays it back with one thing wrong in the answers, for every
 * thing that can be wrong (`answers.ts`): does a check notice? A play needs no server, so there is time for thousands.
 */
import './stand-ins.ts';

const { perform } = await import('./stage.ts');
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

/** Titles of the mutants to the check that noticed; what nothing noticed has none. */
export async function replay(
  kind: 'answers' | 'categories',
  chosen: (title: string, n: number) => boolean,
  tell: (title: string, noticed: string | undefined, seconds: number) => void,
): Promise<void> {
  const recorded = await once();
  if (recorded !== undefined) throw new Error(`while recording: ${recorded.title}: ${recorded.message}`);
  tape.rewind();
  const played = await once();
  if (played !== undefined) throw new Error(`played back unchanged: ${played.title}: ${played.message}`);
  const mutants = answerMutants(tape.answers(), kind === 'categories').filter(({ title }, n) =>
    chosen(title, n),
  );
  for (const { title, alter } of mutants) {
    const began = performance.now();
    tape.rewind(alter);
    const failed = await once().catch((error: unknown) => ({
      title: 'opening the venue',
      message: String(error),
    }));
    tell(title, failed === undefined ? undefined : `${failed.title}`, (performance.now() - began) / 1000);
  }
}
