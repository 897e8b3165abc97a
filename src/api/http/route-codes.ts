/**
 * The error codes that a call can answer with, for the OpenAPI document. What all calls, all private ones or all with
 * parameters have in common follows from the route; the rest is this table. The contract tests hold every refusal that
 * they meet against it (`test/contract/venue.ts`).
 */
import type { TSchema } from '../../validation/schema.ts';
import type { Route } from '../route.ts';
import { CATALOGUE, type WireCode } from '../wire/error-catalogue.ts';

const EVERY = '429 40017 25000';
const SIGNED = '40001 40003 40005 40008 40009 40011 40012 40014 40018 40031 40037 40068';
const PARAMETERS = '40019 40020';

/** The pair, as it stands. */
const PAIR = '25013 25101 25102 25103 25104 25105 25106';
const VALUES = '25200 25205 25206 25207 25208 25244 25610 25611';
/** What the account has, owes and may. */
const MEANS = '25005 25008 25202 25203 25218 25233 25620 25654 25655';
const ENTRY = `${PAIR} ${VALUES} ${MEANS} 25010 25108 25211 25212 25225 25227 25229 25232 25236 25240`;
const LEGS =
  '25585 25586 25587 25588 25589 25590 25591 25592 25602 25603 25604 25605 25606 25607 25608 25609';
/** A `triggerPrice` makes a strategy order of an order. */
const PRESET = `${LEGS} 25599 25612`;
const PROTECTION = `${LEGS} 25579 25580 25581 25582 25593 25594 25595 25599 25601`;
const AMEND = `${PAIR} ${VALUES} ${MEANS} 25204 25225 25568 25571 25572 25573 25612`;
const TRANSFER = '25005 25108 25200 25201 25203 25212 25240 43117';
const WITHDRAWAL = '11000 13001 13002 13003 25005 25108 25200 25202 25203 25212 25611 25620 40034';
const LOAN = '25005 25008 25108 25200 25202 25204';
const SUB = '25005';
const KEY = '25005 40034 40036 40070';

/** By path, without `/api/v3/`. */
const OWN: Readonly<Record<string, string>> = {
  'trade/order-info': '25204',
  'trade/place-order': `${ENTRY} ${PRESET}`,
  'trade/place-batch': `${ENTRY} ${PRESET} 40306`,
  // With a strategy order's id it changes that one.
  'trade/modify-order': `${AMEND} ${LEGS} 25597 25598 25600`,
  'trade/batch-modify-order': `${AMEND} 40306`,
  'trade/cancel-order': '25005 25204',
  'trade/cancel-batch': '25005 25204 40306',
  'trade/cancel-symbol-order': '25005',
  'trade/countdown-cancel-all': '25005',
  'trade/place-strategy-order': `${ENTRY} ${PROTECTION}`,
  'trade/modify-strategy-order': `${PAIR} ${VALUES} ${MEANS} ${PROTECTION} 25108 25225 25597 25598 25600`,
  'trade/cancel-strategy-order': '25005 25597 25598',
  'trade/strategy-sub-orders': '25597',
  'trade/close-positions': `${PAIR} ${MEANS} 25108`,
  'trade/loan-data': '25005',
  'account/move-positions':
    '25005 25008 25010 25106 25108 25203 25212 25218 25225 25227 25229 25233 25240 25620 40306',
  'account/switch': '25009',
  'account/adjust-account-mode': '25009',
  'account/set-collateral-type': '25240',
  'account/set-leverage': '25005 25010 25200 25201 25223 25228 25240',
  'account/pre-set-leverage': '25010 25201 25223',
  'account/set-hold-mode': '25005 25010',
  'account/set-margin': '25005 25108 25200 25202 25203 25227 25610',
  'account/max-open-available': '25200 25201 25223 25244',
  'account/repay': '25005 25008 25108 25200 25201 25202',
  'account/transfer': TRANSFER,
  'account/sub-transfer': TRANSFER,
  'account/sub-master-transfer': `${TRANSFER} 25002`,
  'account/sub-transfer-record': SUB,
  'account/sub-unified-assets': SUB,
  'account/deposit-address': '25110 25201 25620 40034',
  'account/sub-deposit-address': '25005 25110 25201 25620 40034',
  'account/sub-deposit-records': SUB,
  'account/deposit-account': '25201',
  'account/withdrawal': WITHDRAWAL,
  'account/withdraw': WITHDRAWAL,
  'account/cancel-withdrawal': '25005 40034',
  'account/max-transferable': '25201',
  'account/max-withdrawal': '25201',
  'user/create-sub': '25002',
  'user/sub-account/agent-create': '25002 40070',
  'user/freeze-sub': SUB,
  'user/create-sub-api': KEY,
  'user/update-sub-api': KEY,
  'user/delete-sub-api': KEY,
  'user/sub-api-list': SUB,
  'user/rate-limit-quota': SUB,
  'user/set-rate-limit-quota': SUB,
  'broker/create-sub': '25002',
  'broker/modify-sub': SUB,
  'broker/create-sub-apikey': KEY,
  'broker/modify-sub-apikey': KEY,
  'broker/delete-sub-apikey': KEY,
  'broker/query-sub-apikey': '25005 40034',
  'broker/sub-deposit-address': '25005 25110 25201 25620 40034',
  'broker/sub-withdrawal': WITHDRAWAL,
  'loan/interest': '25108 25201 25240',
  'loan/borrow': `${LOAN} 25201 25203 25207 25208 25211 25238 25240`,
  'loan/repay': LOAN,
  'loan/revise-pledge': `${LOAN} 25218`,
  'v2/mix/account/set-margin-mode': '25005 25010',
  'v2/mix/account/set-margin': '25005 25108 25200 25202 25203 25227 25610',
  'v2/mix/account/set-auto-margin': '25005 25200 25227',
};

/** In the order of the catalogue, which goes from the door to the order. */
export function codesOf(route: Route): WireCode[] {
  const { access, query, body, changesState: acts } = route;
  const named = [
    EVERY,
    access !== 'public' && SIGNED,
    access.startsWith('broker') && '40029',
    (query ?? body) !== undefined && PARAMETERS,
    body !== undefined && '40007',
    acts && '40010',
    [query, body].some((schema) => schema !== undefined && hasSymbol(schema)) && '25100',
    OWN[route.path.replace(/^\/api\/(?:v3\/)?/, '')],
  ];
  const codes = new Set(named.filter((text) => typeof text === 'string').flatMap((text) => text.split(' ')));
  return (Object.keys(CATALOGUE) as WireCode[]).filter((code) => codes.has(code));
}

function hasSymbol(schema: TSchema): boolean {
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema };
  if (items !== undefined) return hasSymbol(items);
  return Object.entries(properties ?? {}).some(([name, field]) => name === 'symbol' || hasSymbol(field));
}
