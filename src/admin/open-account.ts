/**
 * Opens an account: a user in identity first, because it gives the uid, then its account in the exchange. A crash in
 * between leaves a user without an account; opening it again under the same name completes it. When the exchange says no,
 * the new user is taken back.
 */
import type { Identity, User } from '../identity/identity.ts';
import { type Sequencer, Unavailable } from '../sequencer/sequencer.ts';
import { AdminError, refusedByIdentity } from './admin-error.ts';
import type { AdminContext, AuditedAction } from './route.ts';

export interface NewMainAccount {
  readonly name: string;
  readonly broker: boolean;
  readonly marketMaker: boolean;
  readonly note: string;
}

export async function openMainAccount(
  { sequencer, identity }: AdminContext,
  deed: AuditedAction,
  account: NewMainAccount,
): Promise<User | AdminError> {
  const shortage = sequencer.shortage();
  if (shortage !== undefined) return new AdminError('unavailable', shortage.reason);
  const unfinished = unfinishedUser(sequencer, identity, account);
  const user = unfinished ?? createUser(sequencer, identity, account);
  if (user instanceof AdminError) return user;
  try {
    const given = await deed.give({
      type: 'openAccount',
      uid: user.uid,
      masterUid: 0,
      marketMaker: account.marketMaker,
      house: false,
    });
    if (!(given instanceof AdminError)) return user;
    if (unfinished === undefined) identity.withdrawUser(user.uid);
    return given;
  } catch (error) {
    // Nothing was sequenced then; of any other failure nobody knows whether the log holds the account.
    if (error instanceof Unavailable && unfinished === undefined) identity.withdrawUser(user.uid);
    throw error;
  }
}

/** What an earlier run left half done. */
function unfinishedUser(
  sequencer: Sequencer,
  identity: Identity,
  { name, broker }: NewMainAccount,
): User | undefined {
  const known = identity.findUserByName(name);
  if (known === undefined || sequencer.state.accountByUid.has(known.uid)) return undefined;
  return known.broker === broker ? known : undefined;
}

function createUser(sequencer: Sequencer, identity: Identity, account: NewMainAccount): User | AdminError {
  const { name, broker, note } = account;
  const created = identity.createUser({ name, nowMs: sequencer.clock.now(), note, broker });
  return created.ok ? created.value : refusedByIdentity(created);
}

export async function openSubAccount(
  { sequencer, identity, openSub }: AdminContext,
  deed: AuditedAction,
  master: User,
  name: string,
  note: string,
): Promise<User | AdminError> {
  const shortage = sequencer.shortage();
  if (shortage !== undefined) return new AdminError('unavailable', shortage.reason);
  const submitter = { state: sequencer.state, submit: deed.submit.bind(deed) };
  const user = { name, nowMs: sequencer.clock.now(), note };
  const opened = await openSub({ sequencer: submitter, identity }, master.uid, user);
  return opened.ok ? opened.value : refusedByIdentity(opened);
}
