/**
 * Opens an account: a user in identity first, because it gives the uid, then its account in the exchange. A crash in
 * between leaves a user without an account; opening it again under the same name completes it.
 */
import type { Identity, Outcome, User } from '../identity/identity.ts';
import type { Deed } from './route.ts';
import { Refused, refusedByIdentity } from './refused.ts';
import type { Venue } from '../venue/venue.ts';

export interface NewAccount {
  readonly name: string;
  readonly master: User | undefined;
  readonly broker: boolean;
  readonly marketMaker: boolean;
  readonly note: string;
}

export async function openAccount(
  venue: Venue,
  identity: Identity,
  deed: Deed,
  account: NewAccount,
): Promise<User | Refused> {
  const user = userOf(venue, identity, account);
  if (!user.ok) return refusedByIdentity(user);
  const { uid } = user.value;
  const given = await deed.give({
    type: 'openAccount',
    time: 0,
    uid,
    masterUid: account.master?.uid ?? 0,
    marketMaker: account.marketMaker,
    house: false,
  });
  return given instanceof Refused ? given : user.value;
}

function userOf(venue: Venue, identity: Identity, account: NewAccount): Outcome<User> {
  const { name, master, broker, note } = account;
  const known =
    master === undefined ? identity.findUserByName(name) : identity.findSubByName(master.uid, name);
  const unfinished = known !== undefined && !venue.state.accountByUid.has(known.uid);
  if (unfinished && known.broker === broker) return { ok: true, value: known };
  const user = { name, nowMs: venue.clock.now(), note };
  return master === undefined ? identity.createUser({ ...user, broker }) : identity.createSub(master.uid, user);
}
