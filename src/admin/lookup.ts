/** Lookups by name for the operator's routes; an unknown name is an error value. */

import type { CategoryName } from '../core/model/enums.ts';
import type { Instrument } from '../core/model/instrument.ts';
import type { Account } from '../core/state/account.ts';
import type { State } from '../core/state/state.ts';
import type { Identity, User } from '../identity/identity.ts';
import { AdminError } from './admin-error.ts';

/** By uid, else by name. */
export function findUser(identity: Identity, text: string): User | AdminError {
  const user = /^[0-9]{1,15}$/.test(text) ? identity.findUser(Number(text)) : identity.findUserByName(text);
  return user ?? new AdminError('unknown_account', `there is no account ${JSON.stringify(text)}`);
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
