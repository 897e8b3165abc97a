/**
 * Where a data directory has its journal, identity and history: in itself, or, after a revert, in one of the branches under
 * `lab/branches`. The file `lab/HEAD` names the branch and is replaced as a whole, so that a start finds the old branch or
 * the new one.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClockChoice, readClockChoice } from '../sequencer/clock-choice.ts';
import { replaceFile } from '../storage/durable-file.ts';

export const LAB_DIRECTORY = 'lab';
const HEAD_FILE = 'HEAD';
const BRANCHES = 'branches';
const HEAD_TEXT = /^branch (\d{1,9}) gap (-?\d{1,15})(?: clock (\S+) instead of (\S+))?\n$/;

/** The branch that an exchange is on. */
export interface Head {
  /** 0 for the data directory itself. */
  readonly branch: number;
  /** How far its time is behind the machine's. */
  readonly gapMs: number;
  /** A clock that was chosen while the exchange ran, and the setting at that time. */
  readonly clock?: ChosenClock;
}

export interface ChosenClock {
  readonly choice: ClockChoice;
  readonly setting: ClockChoice;
}

/** The file is not one that this program has written; the message says what to do. */
export class HeadDamaged extends Error {
  override readonly name = 'HeadDamaged';
}

const TRUNK: Head = { branch: 0, gapMs: 0 };

export function labDirectory(data: string): string {
  return join(data, LAB_DIRECTORY);
}

export function branchDirectory(data: string, branch: number): string {
  return branch === 0 ? data : join(data, LAB_DIRECTORY, BRANCHES, String(branch));
}

/** Throws HeadDamaged. */
export function readHead(data: string): Head {
  const path = join(data, LAB_DIRECTORY, HEAD_FILE);
  if (!existsSync(path)) return TRUNK;
  const [, branch, gapMs, ...names] = HEAD_TEXT.exec(readFileSync(path, 'utf8')) ?? [];
  const [choice, setting] = names.map((name) => readClockChoice(name ?? ''));
  const head = {
    branch: Number(branch),
    gapMs: Number(gapMs),
    ...(choice !== undefined && setting !== undefined && { clock: { choice, setting } }),
  };
  const readable = branch !== undefined && (names[0] === undefined || head.clock !== undefined);
  if (readable && existsSync(branchDirectory(data, head.branch))) return head;
  throw new HeadDamaged(
    `${path} names no branch that is there: put it back from a backup, or write "branch N gap 0" into it, N being a ` +
      `number in ${join(data, LAB_DIRECTORY, BRANCHES)}; without the file the exchange starts as it was before the first revert`,
  );
}

/** The directory of the branch that a start would go on with. Throws HeadDamaged. */
export function liveDirectory(data: string): string {
  return branchDirectory(data, readHead(data).branch);
}

/** The clock that a start runs on: the one that was chosen, until the setting is another than it was then. */
export function clockOf({ clock }: Head, setting: ClockChoice): ClockChoice {
  return clock !== undefined && clock.setting === setting ? clock.choice : setting;
}

export function writeHead(data: string, { branch, gapMs, clock }: Head): void {
  const chosen = clock === undefined ? '' : ` clock ${clock.choice} instead of ${clock.setting}`;
  replaceFile(join(data, LAB_DIRECTORY, HEAD_FILE), `branch ${branch} gap ${gapMs}${chosen}\n`);
}
