/**
 * What a broker may withhold from a sub-account, whatever its keys say (wire 4.5). Here for orders, by category;
 * the wallet routes ask for their rights themselves. Cancelling is never withheld.
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

/** Undefined when nothing is withheld; the body has passed the route's schema. */
export function deniedToSubAccount(path: string, user: User, body: unknown): WireError | undefined {
  if (user.rights.length === SUB_RIGHTS.length || !ORDER_PATHS.has(path)) return undefined;
  const missing = rightsFor(body).find((right) => !user.rights.includes(right));
  return missing === undefined ? undefined : lacksRight(user, missing);
}

/** Has nobody taken this category from the account? */
export function mayTrade(user: User, category: CategoryName): boolean {
  return user.rights.includes(RIGHT_OF_CATEGORY[category]);
}

/** A change of an order need not name the category; then it could be any. */
function rightsFor(body: unknown): SubRight[] {
  const items = (Array.isArray(body) ? body : [body]) as readonly { readonly category?: CategoryName }[];
  return items.flatMap(({ category }) =>
    category === undefined ? Object.values(RIGHT_OF_CATEGORY) : [RIGHT_OF_CATEGORY[category]],
  );
}
