/** Lookups by name; an unknown name is an error value, not an exception. */

import { CATEGORY_NAMES, type Category, type CategoryName } from '../../core/model/enums.ts';
import type { Instrument } from '../../core/model/instrument.ts';
import type { Account } from '../../core/state/account.ts';
import type { State } from '../../core/state/state.ts';
import { type WireError, wireError } from './wire-error.ts';

export function findInstrument(state: State, category: CategoryName, symbol: string): Instrument | WireError {
  return state.instrument(category, symbol) ?? unknownSymbol(symbol, category);
}

/** Undefined when the symbol filter of a list exists in the category, or in any category when none is given. */
export function checkSymbol(
  state: State,
  category: CategoryName | undefined,
  symbol: string | undefined,
): WireError | undefined {
  if (symbol === undefined) return undefined;
  const categories = category === undefined ? CATEGORY_NAMES : [category];
  const known = categories.some((each) => state.instrument(each, symbol) !== undefined);
  return known ? undefined : unknownSymbol(symbol, category);
}

export function unknownSymbol(symbol: string, category?: CategoryName): WireError {
  const pair = [...(category === undefined ? [] : [category]), printable(symbol)].join(' ');
  return wireError('25100', `trading pair ${pair} is not known`);
}

/** The caller's account in the core; a user whose opening was interrupted has none yet. */
export function findAccount(state: State, uid: number): Account | WireError {
  return state.accountByUid.get(uid) ?? wireError('25005', 'the account is not open yet');
}

export function categoryCode(name: CategoryName): Category {
  return CATEGORY_NAMES.indexOf(name) as Category;
}

export function instrumentsOf(state: State, category: CategoryName): Instrument[] {
  const code = categoryCode(category);
  return state.instruments.filter((instrument) => instrument.category === code);
}

/** Text of a client, made safe to repeat in a message. */
function printable(text: string): string {
  return /^[\w.:/-]{1,32}$/.test(text) ? text : '(not printable)';
}
