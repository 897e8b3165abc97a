/**
 * Compares the accounts of the core with the users of identity. A user is on disk before its account is opened, so an
 * account without a user means that `identity.sqlite` is lost or older than the journal: the next new user would get
 * that uid, and its money.
 */
import type { Account } from '../../core/state/account.ts';
import type { State } from '../../core/state/state.ts';
import type { Identity } from '../../identity/identity.ts';
import { IDENTITY_FILE } from '../../identity/sqlite-identity.ts';
import { DataDamaged } from '../exit-codes.ts';

const NAMED_MAX = 5;

/** Returns how many accounts got a placeholder user. Throws DataDamaged. */
export async function reconcileUsers(
  state: State,
  identity: Identity,
  acceptGap: boolean,
  nowMs: number,
): Promise<number> {
  if (!acceptGap) refuseLostUsers(state, identity);
  const accounts = usersIn(state);
  const lost = accounts.filter(({ uid }) => identity.findUser(uid) === undefined);
  refuseOtherFamilies(accounts, identity);
  await identity.change((to) => {
    // Main accounts come first in the core as well: a sub-account is opened under an existing one.
    const places = lost.map(({ uid, masterUid }) => ({
      uid,
      mainUid: masterUid === 0 ? undefined : masterUid,
    }));
    if (lost.length > 0) to.replaceLost(places, nowMs);
    to.reserveUids(accounts.reduce((highest, { uid }) => Math.max(highest, uid), 0));
  });
  return lost.length;
}

/** Throws DataDamaged. */
export function refuseLostUsers(state: State, identity: Identity): void {
  const accounts = usersIn(state);
  const lost = accounts.filter(({ uid }) => identity.findUser(uid) === undefined);
  if (lost.length > 0) {
    throw new DataDamaged(
      `${IDENTITY_FILE} lacks ${lost.length} of ${accounts.length} accounts of the exchange (${uidsOf(lost)}): it is ` +
        'lost or older than the log. Restore it from a backup, or start once with --accept-identity-gap: these accounts ' +
        'keep their money and orders, nobody has a key to them, and their uids are not given out again',
    );
  }
  refuseOtherFamilies(accounts, identity);
}

function usersIn(state: State): Account[] {
  return [...state.accountByUid.values()].filter(({ house }) => !house);
}

/** A sub-account must not become visible to another main account. */
function refuseOtherFamilies(accounts: readonly Account[], identity: Identity): void {
  for (const { uid, masterUid } of accounts) {
    const user = identity.findUser(uid);
    if (user === undefined || (user.mainUid ?? 0) === masterUid) continue;
    throw new DataDamaged(
      `${IDENTITY_FILE} has account ${uid} under ${user.mainUid ?? 'no main account'}, the exchange under ` +
        `${masterUid === 0 ? 'none' : masterUid}: it is of another exchange. Restore the one of this directory from a backup`,
    );
  }
}

function uidsOf(accounts: readonly Account[]): string {
  const named = accounts.slice(0, NAMED_MAX).map(({ uid }) => uid);
  return accounts.length > NAMED_MAX ? `${named.join(', ')} …` : named.join(', ');
}
