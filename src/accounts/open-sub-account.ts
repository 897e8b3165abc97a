/**
 * Opens a sub-account: identity holds its name and keys, the core its money and orders. Identity comes first, because it
 * assigns the uid. A crash in between leaves a user without an account in the core; the next start completes it, as does
 * opening it again or creating a key for it. Nothing is opened twice. When the core rejects the account, the new user is
 * withdrawn.
 *
 * Nodes of a cluster may do this at the same time for the same name. Only who created a user withdraws it, only when nothing of
 * its own was sequenced, and not when another has claimed the user before opening its account. Changes of identity have one
 * order, so an account is never left without a user.
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
  mainUid: number,
  user: NewUser,
): Promise<IdentityResult<User>> {
  const { accountByUid } = sequencer.state;
  if (!accountByUid.has(mainUid)) {
    return { ok: false, reason: 'user_unknown', message: 'the main account itself is not open yet' };
  }
  const known = identity.findSubByName(mainUid, user.name);
  if (known !== undefined && !accountByUid.has(known.uid)) {
    const isThere = await completeSubAccount({ identity, sequencer }, known);
    if (isThere) return { ok: true, value: known };
  }
  // The sequencer would reject the command, and a user without an account would stay behind.
  const shortage = sequencer.shortage?.();
  if (shortage !== undefined) throw new Unavailable(shortage.reason);
  const created = await identity.change((to) => to.createSub(mainUid, user));
  if (!created.ok) return created;
  const { uid } = created.value;
  try {
    await openInCore(sequencer, created.value);
    return created;
  } catch (error) {
    // Only after these nothing was sequenced. When another node has claimed the user, its command decides.
    const isCertain = error instanceof NotOpened || error instanceof Unavailable;
    const isWithdrawn = isCertain && (await identity.change((to) => to.withdrawUser(created.value)));
    if (accountByUid.has(uid) && isWithdrawn) throw olderThanLog(uid);
    if (isOpenedByAnother(error, sequencer, created.value)) return created;
    throw error;
  }
}

/** The core has no account for the sub-account and never had one. */
class NotOpened extends Error {
  override name = 'NotOpened';
}

/**
 * Opens the sub-account in the core unless it is open. Whoever created it may be about to withdraw it on another node, so it is
 * claimed first; false when it was withdrawn.
 */
export async function completeSubAccount(
  { identity, sequencer }: AccountServices,
  sub: User,
): Promise<boolean> {
  const { state } = sequencer;
  const account = state.accountByUid.get(sub.uid);
  if (account !== undefined) {
    if (account.masterUid !== sub.mainUid) throw olderThanLog(sub.uid);
    return true;
  }
  const claimed = await identity.change((to) => to.claimUser(sub.uid, state.now));
  if (claimed === undefined) return false;
  try {
    await openInCore(sequencer, claimed);
  } catch (error) {
    if (!isOpenedByAnother(error, sequencer, claimed)) throw error;
  }
  return true;
}

/** The core rejected the account because another node, or an earlier try of which nothing was known, was first. */
function isOpenedByAnother(error: unknown, { state }: CommandSubmitter, { uid, mainUid }: User): boolean {
  return error instanceof NotOpened && state.accountByUid.get(uid)?.masterUid === mainUid;
}

/** Throws NotOpened. */

async function openInCore(sequencer: CommandSubmitter, { uid, mainUid }: User): Promise<void> {
  const result = await sequencer.submit({
    type: 'openAccount',
    uid,
    masterUid: mainUid!,
    marketMaker: false,
    house: false,
  });
  if (result.rejectReason !== RejectReason.none)
    throw new NotOpened(
      `sub-account ${uid} was not opened: ${result.detail ?? `reason ${result.rejectReason}`}`,
    );
}

/**
 * Run at start: completes openings that an earlier run left unfinished; resolves with their number. Without space a start accepts
 * nothing, and a later one completes them.
 */
export async function completeSubAccounts(services: AccountServices): Promise<number> {
  const { sequencer, identity } = services;
  if (sequencer.shortage?.() !== undefined) return 0;
  const { accountByUid } = sequencer.state;
  let completed = 0;
  let page = identity.listUsers();
  while (page.length !== 0) {
    for (const user of page) {
      const { uid, mainUid } = user;
      if (mainUid === undefined || accountByUid.has(uid) || !accountByUid.has(mainUid)) continue;
      if (await completeSubAccount(services, user)) completed += 1;
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
