/** What an exchange goes on from: a snapshot of another one, or a capsule. */
import { resolve } from 'node:path';
import { capsuleBranch } from '../app/start/capsule-branch.ts';
import { readCapsule } from '../app/start/capsule-file.ts';
import type { Branch } from '../app/start/start-exchange.ts';
import type { DemoAccount } from '../identity/demo-accounts.ts';
import type { CapsuleOptions, Snapshot } from './interface.ts';
import type { Plan } from './options.ts';

export interface Origin {
  readonly branch: Branch;
  readonly accounts: readonly DemoAccount[];
  /** Settings that it had, which hold unless others are given. */
  readonly settings: Plan['settings'];
  /** Index prices that held; undefined for those of the state. */
  readonly prices: ReadonlyMap<string, string> | undefined;
}

const origins = new WeakMap<Snapshot, () => Promise<Origin>>();

export function rememberOrigin(
  snapshot: Snapshot,
  { accounts, settings }: Plan,
  prices: Origin['prices'],
  branch: () => Promise<Branch>,
): void {
  origins.set(snapshot, async () => ({ branch: await branch(), accounts, settings, prices }));
}

/** Throws a TypeError for what is no snapshot of this process. */
export function originOf(from: Snapshot | string): Promise<Origin> {
  if (typeof from === 'string') return ofCapsule(from);
  const origin = origins.get(from);
  if (origin !== undefined) return origin();
  throw new TypeError(
    'startBourse: from: must be a snapshot, as snapshot() has returned it, or the file of a capsule',
  );
}

async function ofCapsule(file: string): Promise<Origin> {
  const { capsule } = readCapsule(resolve(file));
  const { branch, accounts } = await capsuleBranch(capsule);
  return { branch, accounts, settings: { seed: String(capsule.manifest.seed) }, prices: undefined };
}

export function capsuleBody({ since, from, anonymise }: CapsuleOptions): object {
  return {
    ...(since !== undefined && { since }),
    ...(from !== undefined && { from: typeof from === 'string' ? from : from.name }),
    ...(anonymise !== undefined && { anonymise }),
  };
}
