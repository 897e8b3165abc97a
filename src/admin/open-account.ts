/**
 * Opens an account: a user in identity first, because it gives the uid, then its account in the exchange. A crash in
 * between leaves a user without an account; opening it again under the same name completes it. When the exchange says no,
 * the new user is taken back.
 */
import type { Identity, User } from '../identity/identity.ts';
import { Unavailable, type Venue } from '../sequencer/sequencer.ts';
import { Refused, refusedByIdentity } from './admin-error.ts';
import type { Deed, Desk } from './route.ts';

export interface NewMainAccount {
  readonly name: string;
  readonly broker: boolean;
  readonly marketMaker: boolean;
  readonly note: string;
}

export async function openMainAccount(
  { venue, identity }: Desk,
  deed: Deed,
  account: NewMainAccount,
): Promise<User | Refused> {
  const shortage = venue.shortage();
  if (shortage !== undefined) return new Refused('unavailable', shortage.reason);
  const unfinished = unfinishedUser(venue, identity, account);
  const user = unfinished ?? createUser(venue, identity, account);
  if (user instanceof Refused) return user;
  try {
    const given = await deed.give({
      type: 'openAccount',
      time: 0,
      uid: user.uid,
      masterUid: 0,
      marketMaker: account.marketMaker,
      house: false,
    });
    if (!(given instanceof Refused)) return user;
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
  venue: Venue,
  identity: Identity,
  { name, broker }: NewMainAccount,
): User | undefined {
  const known = identity.findUserByName(name);
  if (known === undefined || venue.state.accountByUid.has(known.uid)) return undefined;
  return known.broker === broker ? known : undefined;
}

function createUser(venue: Venue, identity: Identity, account: NewMainAccount): User | Refused {
  const { name, broker, note } = account;
  const created = identity.createUser({ name, nowMs: venue.clock.now(), note, broker });
  return created.ok ? created.value : refusedByIdentity(created);
}

export async function openSubAccount(
  { venue, identity, openSub }: Desk,
  deed: Deed,
  master: User,
  name: string,
  note: string,
): Promise<User | Refused> {
  const shortage = venue.shortage();
  if (shortage !== undefined) return new Refused('unavailable', shortage.reason);
  const sequencer = { state: venue.state, submit: deed.submit.bind(deed) };
  const user = { name, nowMs: venue.clock.now(), note };
  const opened = await openSub({ venue: sequencer, identity }, master.uid, user);
  return opened.ok ? opened.value : refusedByIdentity(opened);
}
