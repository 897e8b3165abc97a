/**
 * Rights that a broker denies to a sub-account, whatever its keys allow (wire 4.5). This file covers orders, by
 * category; the wallet routes check their own rights. Cancelling is never denied.
 */
import type { CategoryName } from '../../core/model/enums.ts';
import { SUB_RIGHTS, type SubRight, type User } from '../../identity/identity.ts';
import { lacksRight } from '../wire/money-input.ts';
import type { WireError } from '../wire/wire-error.ts';

const RIGHT_OF_CATEGORY: Readonly<Record<CategoryName, SubRight>> = {
  SPOT: 'spot_trade',
  MARGIN: 'margin_trade',
  'USDT-FUTURES': 'contract_trade',
  'COIN-FUTURES': 'contract_trade',
  'USDC-FUTURES': 'contract_trade',
};

const ORDER_PATHS: ReadonlySet<string> = new Set([
  '/api/v3/trade/place-order',
  '/api/v3/trade/place-batch',
  '/api/v3/trade/modify-order',
  '/api/v3/trade/batch-modify-order',
  '/api/v3/trade/close-positions',
  '/api/v3/trade/place-strategy-order',
  '/api/v3/trade/modify-strategy-order',
]);

/** Undefined when nothing is denied. The body has passed the route's schema. */
export function deniedToSubAccount(path: string, user: User, body: unknown): WireError | undefined {
  if (user.rights.length === SUB_RIGHTS.length || !ORDER_PATHS.has(path)) return undefined;
  const missing = rightsFor(body).find((right) => !user.rights.includes(right));
  return missing === undefined ? undefined : lacksRight(user, missing);
}

/** May the account trade this category? */
export function mayTrade(user: User, category: CategoryName): boolean {
  return user.rights.includes(RIGHT_OF_CATEGORY[category]);
}

/** A modification of an order need not name the category; then every category right is required. */
function rightsFor(body: unknown): SubRight[] {
  const items = (Array.isArray(body) ? body : [body]) as readonly { readonly category?: CategoryName }[];
  return items.flatMap(({ category }) =>
    category === undefined ? Object.values(RIGHT_OF_CATEGORY) : [RIGHT_OF_CATEGORY[category]],
  );
}
