/**
 * An exchange that goes on where a capsule ends. Its history begins with the capsule. Users and keys are not in it: accounts get
 * keys that follow from their names, as demo accounts have them, and live as these do on this machine alone.
 */

import { saveState } from '../../core/snapshot/snapshot.ts';
import type { HistoryContents } from '../../history/history.ts';
import { openMemoryHistory } from '../../history/sqlite-history.ts';
import { type DemoAccount, demoAccount, installDemoKey } from '../../identity/demo-accounts.ts';
import type { LocalIdentity } from '../../identity/identity.ts';
import { markToBytes } from '../../identity/identity-mark.ts';
import { openMemoryIdentity } from '../../identity/sqlite-identity.ts';
import type { Capsule } from '../../lab/capsule/capsule.ts';
import { CapsuleRefused } from '../../lab/capsule/capsule-refused.ts';
import type { CapsuleAccount } from '../../lab/capsule/manifest.ts';
import { type Replayed, replayCapsule } from '../../lab/capsule/replay-capsule.ts';
import { describeListings, isListing } from '../../sequencer/recovery.ts';
import type { Branch } from './start-exchange.ts';

export interface CapsuleBranch {
  readonly replayed: Replayed;
  readonly branch: Branch & Required<Pick<Branch, 'image'>>;
  readonly accounts: readonly DemoAccount[];
}

/** Throws CapsuleRefused when it does not come out as it did then. */
export async function capsuleBranch(capsule: Capsule, until?: number): Promise<CapsuleBranch> {
  const { replayed, history } = await replayWithHistory(capsule, until);
  if (!replayed.same) throw new CapsuleRefused(differenceText(replayed));
  const { accounts, identity } = await newIdentity(capsule.manifest.accounts, replayed.time);
  const { seq, time, exchange } = replayed;
  const { image, note } = identity;
  return {
    replayed,
    accounts,
    branch: {
      time,
      gapMs: Date.now() - time,
      image: { seq, state: saveState(exchange.state), note, identity: image, history },
    },
  };
}

export function differenceText({ differs, otherwise }: Replayed): string {
  const where =
    differs === undefined
      ? 'every command has the outcome it had, and the state is another one'
      : `command ${differs.seq} (${differs.type}) is the first that differs: ${differs.recorded} then, ${differs.replayed} now`;
  return ['the capsule does not come out as it did', where, ...otherwise].join('; ');
}

async function replayWithHistory(
  capsule: Capsule,
  until: number | undefined,
): Promise<{ readonly replayed: Replayed; readonly history: HistoryContents }> {
  const history = await openMemoryHistory({
    onFailure: (error) => {
      throw error;
    },
  });
  let described = false;
  try {
    const { first } = capsule.manifest;
    const replayed = await replayCapsule(capsule, {
      until,
      applied: (seq, { state }, events) => {
        if (!described) history.project({ seq: first.seq, time: first.time, events: [], gap: true });
        if (!described || isListing(events)) describeListings(history, state);
        described = true;
        history.project({ seq, time: state.now, events });
      },
    });
    // Also without a command, so that the exchange finds its history complete.
    if (!described) history.project({ seq: first.seq, time: first.time, events: [], gap: true });
    await history.flush();
    return { replayed, history: await history.contents() };
  } finally {
    await history.close();
  }
}

/** Users in the order of the state: a main account comes before its sub-accounts. */
async function newIdentity(users: readonly CapsuleAccount[], nowMs: number) {
  const identity = openMemoryIdentity();
  try {
    identity.replaceLost(
      users.map(({ uid, name, mainUid }) => ({
        uid,
        name: name || `account-${uid}`,
        mainUid: mainUid ?? undefined,
      })),
      nowMs,
    );
    const accounts = users.map((user) => demoAccount(keyName(user, users), 'of a capsule', {}));
    await Promise.all(users.map(({ uid }, n) => openFor(identity, uid, accounts[n]!, nowMs)));
    return { accounts, identity: { image: identity.image(), note: markToBytes(identity.mark) } };
  } finally {
    await identity.close();
  }
}

async function openFor(
  identity: LocalIdentity,
  uid: number,
  account: DemoAccount,
  nowMs: number,
): Promise<void> {
  const thawed = identity.setFrozen(uid, false, nowMs);
  if (!thawed.ok)
    throw new CapsuleRefused(`account ${uid} of the capsule cannot be opened: ${thawed.message}`);
  await installDemoKey(identity, uid, account, nowMs);
}

const KEY_NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** Its name, where that makes a key and no other account has it. */
function keyName({ uid, name, mainUid }: CapsuleAccount, users: readonly CapsuleAccount[]): string {
  const isOnly = mainUid === null && users.every((other) => other.uid === uid || other.name !== name);
  return isOnly && KEY_NAME.test(name) ? name : `account-${uid}`;
}
