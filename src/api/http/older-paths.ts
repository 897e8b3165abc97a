/**
 * Hints for paths of older versions of the interface: the error names the path of version 3 that replaces them.
 * Versions 1 and 2 order and spell the same terms differently (`/api/mix/v1/order/placeOrder`,
 * `/api/v2/mix/order/place-order`), so a path is recognised by its last segments.
 */

/** A path of version 3 and its names in older versions. */
export const FORMER_NAMES: Readonly<Record<string, readonly string[]>> = {
  'GET /api/v3/public/time': ['public/time'],
  'GET /api/v2/spot/public/coins': ['public/coins', 'public/currencies'],
  'GET /api/v3/market/instruments': [
    'public/symbols',
    'public/products',
    'public/product',
    'market/contracts',
  ],
  'GET /api/v3/market/tickers': ['market/ticker', 'market/tickers'],
  'GET /api/v3/market/orderbook': ['market/orderbook', 'market/depth', 'market/merge-depth'],
  'GET /api/v3/market/candles': ['market/candles'],
  'GET /api/v3/market/history-candles': [
    'market/history-candles',
    'market/history-index-candles',
    'market/history-mark-candles',
  ],
  'GET /api/v3/market/fills': ['market/fills', 'market/fills-history'],
  'GET /api/v3/market/current-fund-rate': ['market/current-fund-rate', 'market/funding-time'],
  'GET /api/v3/market/history-fund-rate': ['market/history-fund-rate'],
  'GET /api/v3/market/open-interest': ['market/open-interest'],
  'GET /api/v3/market/oi-limit': ['market/oi-limit'],
  'GET /api/v3/market/discount-rate': ['market/discount-rate'],
  'GET /api/v3/market/position-tier': ['market/query-position-lever', 'market/query-position-tier'],
  'POST /api/v3/trade/place-order': ['trade/place-order', 'trade/orders'],
  'POST /api/v3/trade/place-batch': ['trade/batch-orders', 'trade/batch-place-order'],
  'POST /api/v3/trade/modify-order': ['trade/modify-order', 'trade/cancel-replace-order'],
  'POST /api/v3/trade/batch-modify-order': ['trade/batch-cancel-replace-order'],
  'POST /api/v3/trade/cancel-order': ['trade/cancel-order'],
  'POST /api/v3/trade/cancel-batch': [
    'trade/batch-cancel-order',
    'trade/batch-cancel-orders',
    'trade/cancel-batch-orders',
  ],
  'POST /api/v3/trade/cancel-symbol-order': [
    'trade/cancel-symbol-order',
    'trade/cancel-all-orders',
    'trade/cancel-symbol-orders',
  ],
  'POST /api/v3/trade/close-positions': ['trade/close-positions', 'trade/close-all-positions'],
  'GET /api/v3/trade/order-info': ['trade/order-info', 'trade/detail'],
  'GET /api/v3/trade/unfilled-orders': [
    'trade/unfilled-orders',
    'trade/open-orders',
    'trade/orders-pending',
    'trade/current',
    'trade/margin-coin-current',
  ],
  'GET /api/v3/trade/history-orders': [
    'trade/history-orders',
    'trade/orders-history',
    'trade/history',
    'trade/history-product-type',
  ],
  'GET /api/v3/trade/fills': ['trade/fills', 'trade/fill-history', 'trade/all-fills'],
  'POST /api/v3/trade/place-strategy-order': [
    'trade/place-plan-order',
    'trade/place-plan',
    'trade/place-tpsl-order',
    'trade/place-tpsl',
    'trade/place-pos-tpsl',
    'trade/place-trail-stop',
  ],
  'POST /api/v3/trade/modify-strategy-order': [
    'trade/modify-plan-order',
    'trade/modify-plan',
    'trade/modify-tpsl-order',
    'trade/modify-tpsl-plan',
  ],
  'POST /api/v3/trade/cancel-strategy-order': [
    'trade/cancel-plan-order',
    'trade/cancel-plan',
    'trade/batch-cancel-plan-order',
    'trade/cancel-all-plan',
  ],
  'GET /api/v3/trade/unfilled-strategy-orders': [
    'trade/current-plan-order',
    'trade/current-plan',
    'trade/orders-plan-pending',
  ],
  'GET /api/v3/trade/history-strategy-orders': [
    'trade/history-plan-order',
    'trade/history-plan',
    'trade/orders-plan-history',
  ],
  'GET /api/v3/trade/strategy-sub-orders': ['trade/plan-sub-order'],
  'GET /api/v3/position/current-position': [
    'position/all-position',
    'position/single-position',
    'position/all-position-v2',
    'position/single-position-v2',
  ],
  'GET /api/v3/position/history-position': ['position/history-position'],
  'GET /api/v3/position/adlRank': ['position/adl-rank'],
  'GET /api/v3/account/assets': [
    'account/assets',
    'account/assets-lite',
    'account/accounts',
    'account/account',
    'trade/assets',
  ],
  'GET /api/v3/account/info': ['account/info', 'account/get-info'],
  'GET /api/v3/account/financial-records': [
    'account/bill',
    'account/bills',
    'account/account-bill',
    'account/account-business-bill',
    'trade/financial-records',
  ],
  'GET /api/v3/account/sub-unified-assets': ['account/subaccount-assets', 'account/sub-account-assets'],
  'GET /api/v3/account/fee-rate': ['trade/trade-rate', 'market/vip-fee-rate', 'common/trade-rate'],
  'GET /api/v3/account/deduct-info': ['account/deduct-info'],
  'POST /api/v3/account/switch-deduct': ['account/switch-deduct'],
  'POST /api/v3/account/set-leverage': ['account/set-leverage'],
  'POST /api/v3/account/set-hold-mode': ['account/set-position-mode'],
  'POST /api/v3/account/max-open-available': ['account/max-open', 'account/open-count'],
  'POST /api/v3/account/transfer': ['wallet/transfer', 'wallet/transfer-v2'],
  'POST /api/v3/account/sub-transfer': ['wallet/subaccount-transfer', 'wallet/sub-transfer'],
  'GET /api/v3/account/sub-transfer-record': ['account/sub-main-trans-record'],
  'POST /api/v3/account/withdrawal': ['wallet/withdrawal', 'wallet/withdrawal-v2'],
  'POST /api/v3/account/cancel-withdrawal': ['wallet/cancel-withdrawal'],
  'GET /api/v3/account/withdrawal-records': ['wallet/withdrawal-records', 'wallet/withdrawal-list'],
  'GET /api/v3/account/deposit-address': ['wallet/deposit-address'],
  'GET /api/v3/account/sub-deposit-address': ['wallet/subaccount-deposit-address'],
  'GET /api/v3/account/deposit-records': ['wallet/deposit-records', 'wallet/deposit-list'],
  'POST /api/v3/account/sub-deposit-records': ['wallet/subaccount-deposit-records'],
  'POST /api/v3/account/deposit-account': ['wallet/modify-deposit-account'],
  'GET /api/v3/account/transferable-coins': ['wallet/transfer-coin-info'],
};

const SUCCESSORS: ReadonlyMap<string, string> = new Map(
  Object.entries(FORMER_NAMES).flatMap(([call, names]) => names.map((name) => [spelling(name), call])),
);

/** Older names of groups; a path without one is about orders. */
const GROUPS: Readonly<Record<string, string>> = { order: 'trade', plan: 'trade' };
const PRODUCTS: ReadonlySet<string> = new Set(['spot', 'mix', 'margin', 'crossed', 'isolated', 'cross']);
const OLDER_STREAM = /^\/(v[12]\/ws|(spot|mix)\/v1\/stream)(\/|$)/;

/** The replacement of an older path; undefined for any other path. */
export function olderPathHint(path: string): string | undefined {
  const version = 'this exchange serves version 3 of the interface';
  if (OLDER_STREAM.test(path)) return `${version}, whose streams are at /v3/ws/public and /v3/ws/private`;
  if (!/^\/api\/(?!v3(\/|$))/.test(path)) return undefined;
  const call = successorOf(path);
  return call === undefined ? `${version}: /docs shows what there is` : `${version}, where it is ${call}`;
}

function successorOf(path: string): string | undefined {
  const words = path
    .split('/')
    .slice(2)
    .filter((word) => !/^v[0-9]$/.test(word) && !PRODUCTS.has(word));
  const [group = '', name] = words.slice(-2);
  if (name === undefined) return SUCCESSORS.get(spelling(`trade/${group}`));
  return SUCCESSORS.get(spelling(`${GROUPS[group] ?? group}/${name}`));
}

function spelling(name: string): string {
  return name.toLowerCase().replaceAll('-', '');
}
