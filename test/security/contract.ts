/**
 * What the documents say about every call, written down by hand so that the route table can be held against it:
 * access and calls a second (`interface-v3.md` 4 and 8, `wire.md` 4). Calls that are not served yet have their row
 * already.
 */
import type { Access } from '../../src/gateway/route.ts';

export const CONTRACT: Readonly<Record<string, readonly [Access, number]>> = {
  'GET /api/v3/public/time': ['public', 20],
  'GET /api/v2/public/time': ['public', 20],
  'GET /api/v3/market/time': ['public', 20],
  'GET /api/v2/spot/public/coins': ['public', 3],
  'GET /api/v3/market/candles': ['public', 20],
  'GET /api/v3/market/instruments': ['public', 20],
  'GET /api/v3/market/tickers': ['public', 20],
  'GET /api/v3/market/index-components': ['public', 10],
  'GET /api/v3/market/fills': ['public', 20],
  'GET /api/v3/market/orderbook': ['public', 20],

  'GET /api/v3/trade/unfilled-orders': ['trade_read', 20],
  'GET /api/v3/trade/history-orders': ['trade_read', 20],
  'GET /api/v3/trade/order-info': ['trade_read', 20],
  'GET /api/v3/trade/fills': ['trade_read', 20],
  'GET /api/v3/trade/history-strategy-orders': ['trade_read', 20],
  'POST /api/v3/trade/place-order': ['trade_write', 10],
  'POST /api/v3/trade/place-batch': ['trade_write', 5],
  'POST /api/v3/trade/modify-order': ['trade_write', 10],
  'POST /api/v3/trade/batch-modify-order': ['trade_write', 10],
  'POST /api/v3/trade/cancel-order': ['trade_write', 10],
  'POST /api/v3/trade/cancel-batch': ['trade_write', 5],
  'POST /api/v3/trade/cancel-symbol-order': ['trade_write', 5],
  'POST /api/v3/trade/countdown-cancel-all': ['trade_write', 1],
  'GET /api/v3/position/current-position': ['trade_read', 20],
  'GET /api/v3/position/adlRank': ['trade_write', 1],
  'POST /api/v3/account/set-leverage': ['mgt_write', 10],

  'GET /api/v3/account/info': ['none', 5],
  'GET /api/v3/account/assets': ['mgt_read', 20],
  'GET /api/v3/account/settings': ['mgt_read', 20],
  'GET /api/v3/account/fee-rate': ['mgt_read', 3],
  'GET /api/v3/account/all-fee-rate': ['mgt_read', 3],
  'POST /api/v3/account/set-hold-mode': ['mgt_write', 10],
  'GET /api/v3/account/repayable-coins': ['mgt_read', 10],
  'GET /api/v3/loan/borrow-history': ['mgt_read', 10],
  'GET /api/v3/loan/pledge-rate-history': ['mgt_read', 10],
  'GET /api/v3/loan/debts': ['mgt_read', 10],

  'POST /api/v3/user/create-sub': ['main_write', 10],
  'POST /api/v3/user/freeze-sub': ['main_write', 10],
  'GET /api/v3/user/sub-list': ['main_read', 10],
  'POST /api/v3/user/create-sub-api': ['main_write', 10],
  'POST /api/v3/user/update-sub-api': ['main_write', 10],
  'POST /api/v3/user/delete-sub-api': ['main_write', 10],
  'GET /api/v3/user/sub-api-list': ['main_read', 10],

  'POST /api/v3/broker/create-sub': ['broker_write', 20],
  'GET /api/v3/broker/sub-list': ['broker_read', 20],
  'POST /api/v3/broker/modify-sub': ['broker_write', 20],
  'POST /api/v3/broker/create-sub-apikey': ['broker_write', 20],
  'POST /api/v3/broker/modify-sub-apikey': ['broker_write', 20],
  'POST /api/v3/broker/delete-sub-apikey': ['broker_write', 20],
  'GET /api/v3/broker/query-sub-apikey': ['broker_read', 20],

  'POST /api/v3/account/transfer': ['mgt_write', 5],
  'POST /api/v3/account/sub-transfer': ['main_write', 5],
  'POST /api/v3/account/sub-master-transfer': ['mgt_write', 5],
  'GET /api/v3/account/sub-transfer-record': ['mgt_read', 5],
  'GET /api/v2/spot/account/transferRecords': ['mgt_read', 20],
  'GET /api/v3/account/transferable-coins': ['mgt_read', 10],
  'GET /api/v3/account/max-transferable': ['mgt_read', 3],
  'GET /api/v3/account/funding-assets': ['mgt_read', 20],
  'GET /api/v3/account/sub-unified-assets': ['main_read', 1],
  'GET /api/v3/account/deduct-info': ['mgt_read', 1],
  'POST /api/v3/account/switch-deduct': ['mgt_write', 1],
  'GET /api/v3/account/deposit-address': ['mgt_read', 10],
  'GET /api/v3/account/sub-deposit-address': ['main_read', 10],
  'GET /api/v3/account/deposit-records': ['mgt_read', 10],
  'GET /api/v3/account/sub-deposit-records': ['main_read', 10],
  'POST /api/v3/account/sub-deposit-records': ['main_read', 10],
  'POST /api/v3/account/withdrawal': ['withdraw', 1],
  'POST /api/v3/account/withdraw': ['withdraw', 1],
  'POST /api/v3/account/cancel-withdrawal': ['withdraw', 1],
  'GET /api/v3/account/withdrawal-records': ['mgt_read', 10],
  'GET /api/v3/account/max-withdrawal': ['mgt_read', 10],
  'GET /api/v3/account/financial-records': ['mgt_read', 20],
  'GET /api/v3/account/funding-financial-records': ['mgt_read', 10],
};

/** Every route that must exist (`interface-v3.md` 4.5 and `wire.md` 4.4, 4.5 as far as they are about accounts). */
export const ACCOUNT_CALLS = Object.keys(CONTRACT).filter((call) =>
  /\/(?:user|broker)\/|account\/info/.test(call),
);
