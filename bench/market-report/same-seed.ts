/** The same seed twice under the manual clock, then another: equal states after so many commands, or not. */
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { Rig } from '../../test/simulator/rig.ts';

const COMMANDS = 100_000;
const STEP_MS = 1000;

export async function sameSeed(): Promise<boolean> {
  const [first, again, other] = [await hash(42), await hash(42), await hash(43)];
  const ok = first === again && first !== other;
  console.log(
    `seed 42 after ${COMMANDS} commands: ${first}\nseed 42 again:            ${again}\nseed 43:                  ${other}`,
  );
  console.log(`${ok ? 'ok  ' : 'FAIL'}  the same seed gives the same state, another seed another`);
  return ok;
}

async function hash(seed: number): Promise<string> {
  const rig = await new Rig({ seed }).open();
  while (rig.journal.appendedSeq < COMMANDS) rig.run(STEP_MS, STEP_MS);
  return stateHash(rig.state);
}
