/** Lookups by name for the operator's routes; an unknown name is an error value. */

import type { CategoryName } from '../core/model/enums.ts';
import type { Instrument } from '../core/model/instrument.ts';
import type { Account } from '../core/state/account.ts';
import type { State } from '../core/state/state.ts';
import type { Identity, User } from '../identity/identity.ts';
import { AdminError } from './admin-error.ts';

/**
 * By uid, else by name. A sub-account is given as MAIN/SUB: its owner chose the name, and a sub-account that is called like
 * another account must not get what was meant for that one.
 */
export function findUser(identity: Identity, text: string): User | AdminError {
  const main = findMain(identity, text);
  if (main !== undefined) return main;
  const [sub, ...others] = subsNamed(identity, text);
  if (sub === undefined) return unknownAccount(identity, text);
  if (others.length === 0) return sub;
  const uids = [sub, ...others].map(({ uid }) => uid).join(', ');
  return new AdminError('unknown_account', `${JSON.stringify(text)} may mean ${uids}: give the uid`);
}

function findMain(identity: Identity, text: string): User | undefined {
  return /^[0-9]{1,15}$/.test(text) ? identity.findUser(Number(text)) : identity.findUserByName(text);
}

/** Names may hold a slash themselves, so each of them may be the one between the two names. */
function subsNamed(identity: Identity, text: string): User[] {
  const found: User[] = [];
  for (let at = text.indexOf('/'); at !== -1; at = text.indexOf('/', at + 1)) {
    const main = findMain(identity, text.slice(0, at));
    const sub = main && identity.findSubByName(main.uid, text.slice(at + 1));
    if (sub !== undefined) found.push(sub);
  }
  return found;
}

/** Sub-accounts of one name that a message lists. */
const LISTED_MAX = 5;

function unknownAccount(identity: Identity, text: string): AdminError {
  const missing = `there is no account ${JSON.stringify(text)}`;
  const subs = identity.findSubsByName(text, LISTED_MAX).map((sub) => {
    const main = identity.findUser(sub.mainUid!)?.name ?? sub.mainUid;
    return `${JSON.stringify(`${main}/${text}`)} (${sub.uid})`;
  });
  if (subs.length === 0) return new AdminError('unknown_account', missing);
  const hint = `a sub-account is named after its main account: ${subs.join(', ')}`;
  return new AdminError('unknown_account', `${missing}; ${hint}`);
}

/** An account that can hold money: known to identity and open in the core. */
export function findAccount(identity: Identity, state: State, text: string): Account | AdminError {
  const user = findUser(identity, text);
  if (user instanceof AdminError) return user;
  const unopened = `account ${user.uid} is not open yet: create it again under the same name to complete it`;
  return state.accountByUid.get(user.uid) ?? new AdminError('not_allowed', unopened);
}

export function findCoin(state: State, name: string): number | AdminError {
  return (
    state.coinByName.get(name) ?? new AdminError('unknown_coin', `coin ${JSON.stringify(name)} is not listed`)
  );
}

export function findInstrument(
  state: State,
  category: CategoryName,
  symbol: string,
): Instrument | AdminError {
  const missing = `there is no ${category} instrument ${JSON.stringify(symbol)}`;
  return state.instrument(category, symbol) ?? new AdminError('unknown_instrument', missing);
}
