/**
 * Opens an account: a user in identity first, because it gives the uid, then its account in the exchange. A crash in
 * between leaves a user without an account; opening it again under the same name completes it.
 */
import type { Identity, Outcome, User } from '../identity/identity.ts';
import type { Venue } from '../venue/venue.ts';
import { Refused, refusedByIdentity } from './refused.ts';
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
  const user = userOf(venue, identity, account);
  if (!user.ok) return refusedByIdentity(user);
  const { uid } = user.value;
  const { marketMaker } = account;
  const given = await deed.give({
    type: 'openAccount',
    time: 0,
    uid,
    masterUid: 0,
    marketMaker,
    house: false,
  });
  return given instanceof Refused ? given : user.value;
}

function userOf(venue: Venue, identity: Identity, account: NewMainAccount): Outcome<User> {
  const { name, broker, note } = account;
  const known = identity.findUserByName(name);
  const unfinished = known !== undefined && !venue.state.accountByUid.has(known.uid);
  if (unfinished && known.broker === broker) return { ok: true, value: known };
  return identity.createUser({ name, nowMs: venue.clock.now(), note, broker });
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
