/**
 * Opens a sub-account: identity holds its name and keys, the core its money and orders. Identity comes first, because it
 * assigns the uid. A crash in between leaves a user without an account in the core; the next start completes it, as does
 * opening it again or creating a key for it. Nothing is opened twice. When the core rejects the account, the new user is
 * removed.
 */
import { RejectReason } from '../core/model/reject-reason.ts';
import type { Identity, IdentityResult, NewUser, User } from '../identity/identity.ts';
import { type Sequencer, Unavailable } from '../sequencer/sequencer.ts';

/** The part of the sequencer that the services of accounts need; the operator's commands pass through the audit first. */
export type CommandSubmitter = Pick<Sequencer, 'state' | 'submit'> & Partial<Pick<Sequencer, 'shortage'>>;

export interface AccountServices {
  readonly sequencer: CommandSubmitter;
  readonly identity: Identity;
}

/** Resolves when the sub-account is durable in identity and core. */
export async function openSubAccount(
  { identity, sequencer }: AccountServices,
  parentUid: number,
  user: NewUser,
): Promise<IdentityResult<User>> {
  const { accountByUid } = sequencer.state;
  if (!accountByUid.has(parentUid)) {
    return { ok: false, reason: 'user_unknown', message: 'the main account itself is not open yet' };
  }
  const known = identity.findSubByName(parentUid, user.name);
  if (known !== undefined && !accountByUid.has(known.uid)) {
    await completeSubAccount(sequencer, known);
    return { ok: true, value: known };
  }
  // The sequencer would reject the command, and a user without an account would stay behind.
  const shortage = sequencer.shortage?.();
  if (shortage !== undefined) throw new Unavailable(shortage.reason);
  const created = await identity.change((to) => to.createSub(parentUid, user));
  if (!created.ok) return created;
  try {
    if (accountByUid.has(created.value.uid)) throw olderThanLog(created.value.uid);
    await completeSubAccount(sequencer, created.value);
    return created;
  } catch (error) {
    const isNew = !isOpenUnder(sequencer, created.value);
    if (isNew && (error instanceof NotOpened || error instanceof Unavailable))
      await identity.change((to) => to.withdrawUser(created.value.uid));
    throw error;
  }
}

/** Another node may have completed it. */
function isOpenUnder({ state }: CommandSubmitter, { uid, parentUid }: User): boolean {
  return state.accountByUid.get(uid)?.masterUid === parentUid;
}

/** The core has no account for the sub-account and never had one. */
class NotOpened extends Error {
  override name = 'NotOpened';
}

/** Opens the sub-account in the core unless it is open. */
export async function completeSubAccount(
  sequencer: CommandSubmitter,
  { uid, parentUid }: User,
): Promise<void> {
  const masterUid = parentUid!;
  const account = sequencer.state.accountByUid.get(uid);
  if (account !== undefined) {
    if (account.masterUid !== masterUid) throw olderThanLog(uid);
    return;
  }
  const result = await sequencer.submit({
    type: 'openAccount',
    uid,
    masterUid,
    marketMaker: false,
    house: false,
  });
  if (result.rejectReason !== RejectReason.none) {
    throw new NotOpened(
      `sub-account ${uid} was not opened: ${result.detail ?? `reason ${result.rejectReason}`}`,
    );
  }
}

/** Run at start: completes openings that an earlier run left unfinished; resolves with their number. */
export async function completeSubAccounts({ sequencer, identity }: AccountServices): Promise<number> {
  const { accountByUid } = sequencer.state;
  let completed = 0;
  let page = identity.listUsers();
  while (page.length !== 0) {
    for (const user of page) {
      const { uid, parentUid } = user;
      if (parentUid === undefined || accountByUid.has(uid) || !accountByUid.has(parentUid)) continue;
      await completeSubAccount(sequencer, user);
      completed += 1;
    }
    page = identity.listUsers({ afterUid: page.at(-1)!.uid });
  }
  return completed;
}

function olderThanLog(uid: number): Error {
  return new NotOpened(
    `account ${uid} of the command log is not that of the identity store: the store is older than the log; ` +
      'put back the newest copy of it',
  );
}
