/**
 * Random damage of a data directory, then a start: what it serves is what it was, or the start is refused with exit code 4,
 * the file and what to do. Half of the trials run the real program, half the exchange in this process, whose state is
 * compared too.
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ExitCode, exitCodeOf } from '../../src/app/exit-codes.ts';
import { asHistoryDamage } from '../../src/app/start/components.ts';
import { verify } from '../../src/app/verify/verify.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { type ChildProgram, startServerProgram } from '../harness/child-programs.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { seededRandom } from '../simulation/disk.ts';
import type { Campaign, CampaignRun, TrialResult } from './campaign.ts';
import { ExchangeHere, OPTIONS } from './damage/exchange-here.ts';
import { mutate } from './damage/mutations.ts';
import { differences, isWithholding, pictureOf } from './damage/picture.ts';
import {
  makeSoundDirectories,
  type SoundDirectories,
  type SoundDirectory,
} from './damage/sound-directories.ts';

const PROCESS_SHARE = 0.5;

const FILES =
  /(?:identity|history|history-generated)\.sqlite|(?:identity|address)\.key|operator\.token|audit\.(?:log|head)|segment-\d+|snapshot-\d+|log\/|lock\.db/;
const REMEDY = /restore|put .*back|delete it|move .*away|start .*with|start the|--accept|chmod/i;

export const campaign: Campaign = {
  summary: 'random damage of a data directory: sound or refused, never silently wrong',
  trials: 500,
  async open(seed) {
    return new DamageRun(seed, await makeSoundDirectories());
  },
};

type Verdict = Omit<TrialResult, 'counts'>;

class DamageRun implements CampaignRun {
  readonly #seed: number;
  readonly #sound: SoundDirectories;
  readonly #home = temporaryDirectory();
  /** What reached nobody: a defect, in the program an end with code 1. */
  readonly #uncaught: Error[] = [];
  readonly #noteUncaught = (error: Error): void => {
    this.#uncaught.push(error);
  };

  constructor(seed: number, sound: SoundDirectories) {
    this.#seed = seed;
    this.#sound = sound;
    process.on('uncaughtException', this.#noteUncaught);
  }

  async trial(number: number): Promise<TrialResult> {
    const dice = seededRandom(this.#seed * 100_003 + number);
    const base = this.#sound.all[number % this.#sound.all.length]!;
    const data = join(this.#home, `trial-${number}`);
    cpSync(base.path, data, { recursive: true });
    const mutation = mutate(data, this.#sound.older, dice);
    const asProcess = dice() < PROCESS_SHARE;
    const verdict = asProcess ? await judgeProcess(data, base) : await judgeHere(data, base, dice() < 0.5);
    rmSync(data, { recursive: true, force: true });
    const where = `${base.how} directory, ${mutation.file}: ${mutation.what}`;
    const uncaught = this.#uncaught
      .splice(0)
      .find((error) => exitCodeOf(asHistoryDamage(error)) === ExitCode.failed);
    const failure = verdict.failure ?? (uncaught && `uncaught: ${uncaught.stack}`);
    const { name } = verdict;
    return failure === undefined ? { name } : { name, failure: `${where}: ${failure}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('uncaughtException', this.#noteUncaught);
  }
}

async function judgeHere(data: string, base: SoundDirectory, verifyFirst: boolean): Promise<Verdict> {
  const verified = verifyFirst ? await verificationOf(data) : undefined;
  if (verified?.failure !== undefined) return verified;
  try {
    await using exchange = await ExchangeHere.start(data);
    const { url, sequencer } = exchange.running;
    const picture = await pictureOf(url, base.accounts);
    if (exchange.failure !== undefined) return refusalVerdict(exchange.failure, 'stopped with');
    const hash = stateHash(sequencer.state);
    if (hash !== base.stateHash) return wrong(`the state is another: ${hash}`);
    const [different] = differences(base.picture, picture);
    if (different === undefined)
      return { name: isWithholding(picture) ? 'damaged record withheld' : 'sound' };
    return wrong(different);
  } catch (error) {
    return refusalVerdict(error, 'refused with');
  }
}

/** `bourse verify` may be stricter than a start, never less clear. */
async function verificationOf(data: string): Promise<Verdict> {
  try {
    const { ok } = await verify(data);
    return { name: ok ? 'sound' : 'not verified' };
  } catch (error) {
    return refusalVerdict(error, 'verify refused with');
  }
}

function refusalVerdict(error: unknown, how: string): Verdict {
  const told = asHistoryDamage(error);
  const { message, stack } = told as Error;
  return judgeRefusal(exitCodeOf(told), message, how, stack);
}

export function judgeRefusal(code: number, message: string, how: string, stack = message): Verdict {
  const name = `${how} code ${code}`;
  if (code !== ExitCode.damaged) return { name, failure: `${how} ${code}: ${stack}` };
  if (!FILES.test(message)) return { name, failure: `${how} ${code}, no file named: ${message}` };
  if (!REMEDY.test(message)) return { name, failure: `${how} ${code}, no remedy: ${message}` };
  return { name };
}

function wrong(what: string): Verdict {
  return { name: 'SILENTLY WRONG', failure: `silently wrong: ${what}` };
}

async function judgeProcess(data: string, base: SoundDirectory): Promise<Verdict> {
  const flags = Object.entries({ ...OPTIONS, data }).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === 'true' ? [flag] : [flag, value];
  });
  const program = startServerProgram(flags, { env: process.env });
  const url = await Promise.race([listening(program), program.ended.then(() => undefined)]);
  if (url === undefined) {
    const { code, stderr } = await program.ended;
    if (/\n\s+at /.test(stderr)) return { name: 'process with a stack', failure: stderr };
    return judgeRefusal(code ?? -1, stderr, 'process refused with');
  }
  try {
    const [different] = differences(base.picture, await pictureOf(url, base.accounts));
    if (different === undefined) return { name: 'process sound' };
    if (program.process.exitCode === ExitCode.damaged) return { name: 'process stopped with code 4' };
    return wrong(different);
  } finally {
    program.process.kill('SIGKILL');
    await program.ended;
  }
}

function listening({ process: child }: ChildProgram): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout!.on('data', (chunk: string) => {
      text += chunk;
      const url = /^Listening on (\S+)$/m.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}
