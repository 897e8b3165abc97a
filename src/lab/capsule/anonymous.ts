/**
 * A session under other numbers of accounts and without names. Users get ascending numbers in the order of those they had,
 * because the order of some work follows them; accounts of the house keep theirs. The session is run once more so, and must
 * come to the same outcomes; the hashes of the capsule are of this run.
 */
import { decodeCommand, encodeCommand } from '../../core/codec/command-codec.ts';
import type { Command } from '../../core/model/command.ts';
import type { NewUid } from '../../core/snapshot/renumber.ts';
import type { State } from '../../core/state/state.ts';
import type { LoggedRecord } from '../../journal/command-journal.ts';
import type { CapsuleAccount } from './manifest.ts';

/** No exchange gives these numbers, so that none is taken for one that somebody has. */
const UID_BEFORE_FIRST = 2_000_000_000;
const UID_FIELDS = ['uid', 'masterUid', 'initiatorUid', 'fromUid', 'toUid'] as const;
/** Who was the operator; that there was one decides whether a reference counts. */
const SOMEBODY = 'operator';

/** `state` is the one at the end: it has every account. Numbers of no account stay as they are. */
export function newUids(state: State): NewUid {
  const users = [...state.accountByUid.values()].filter(({ house }) => !house).map(({ uid }) => uid);
  const sorted = users.sort((a, b) => a - b);
  const numbers = new Map(sorted.map((uid, n) => [uid, UID_BEFORE_FIRST + 1 + n]));
  return (uid) => numbers.get(uid) ?? uid;
}

export function anonymousRecords(records: readonly LoggedRecord[], newUid: NewUid): LoggedRecord[] {
  return records.map(({ seq, payload }) => ({
    seq,
    payload: encodeCommand(anonymous(decodeCommand(payload), newUid)).slice(),
  }));
}

function anonymous(command: Command, newUid: NewUid): Command {
  const fields: Record<string, unknown> = { ...command };
  for (const name of UID_FIELDS) if (typeof fields[name] === 'number') fields[name] = newUid(fields[name]);
  if (typeof fields.by === 'string' && fields.by !== '') fields.by = SOMEBODY;
  return fields as unknown as Command;
}

export function anonymousAccounts(accounts: readonly CapsuleAccount[], newUid: NewUid): CapsuleAccount[] {
  return accounts
    .map(({ uid, mainUid }) => ({ uid: newUid(uid), mainUid: mainUid === null ? null : newUid(mainUid) }))
    .sort((a, b) => a.uid - b.uid)
    .map((account, n) => ({ ...account, name: `account-${n + 1}` }));
}
