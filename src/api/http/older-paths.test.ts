import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORMER_NAMES, olderPathHint } from './older-paths.ts';
import { ROUTES } from './routes.ts';

const IS = 'this exchange serves version 3 of the interface, where it is ';

test('calls of versions 1 and 2 are named as version 3 has them', () => {
  const CASES: Readonly<Record<string, string>> = {
    '/api/v2/spot/trade/place-order': 'POST /api/v3/trade/place-order',
    '/api/v2/mix/order/place-order': 'POST /api/v3/trade/place-order',
    '/api/v2/margin/crossed/place-order': 'POST /api/v3/trade/place-order',
    '/api/spot/v1/trade/orders': 'POST /api/v3/trade/place-order',
    '/api/mix/v1/order/placeOrder': 'POST /api/v3/trade/place-order',
    '/api/mix/v1/plan/placeTPSL': 'POST /api/v3/trade/place-strategy-order',
    '/api/v2/spot/trade/orderInfo': 'GET /api/v3/trade/order-info',
    '/api/v2/spot/market/tickers': 'GET /api/v3/market/tickers',
    '/api/spot/v1/market/ticker': 'GET /api/v3/market/tickers',
    '/api/v1/market/tickers': 'GET /api/v3/market/tickers',
    '/api/v2/mix/market/contracts': 'GET /api/v3/market/instruments',
    '/api/v2/spot/account/assets': 'GET /api/v3/account/assets',
    '/api/v2/mix/position/all-position': 'GET /api/v3/position/current-position',
    '/api/spot/v1/wallet/withdrawal-v2': 'POST /api/v3/account/withdrawal',
    '/api/spot/v1/public/time': 'GET /api/v3/public/time',
  };
  for (const [path, call] of Object.entries(CASES)) assert.equal(olderPathHint(path), IS + call, path);
});

test('an older path without a successor says at least which version this is', () => {
  for (const path of [
    '/api/v2/earn/savings/product',
    '/api/v1',
    '/api/v2/',
    '/api/mix/v1/trace/x',
    '/api/',
    '/api/v30/x',
  ]) {
    assert.equal(
      olderPathHint(path),
      'this exchange serves version 3 of the interface: /docs shows what there is',
      path,
    );
  }
});

test('older streams are named, other paths are not', () => {
  for (const path of ['/v2/ws/public', '/v2/ws/private', '/spot/v1/stream', '/mix/v1/stream']) {
    assert.match(olderPathHint(path)!, /streams are at \/v3\/ws\/public and \/v3\/ws\/private/);
  }
  for (const path of ['/api/v3', '/api/v3/nowhere', '/', '/nowhere', '/v3/ws', '/API/V2/x', '//api/v2/x']) {
    assert.equal(olderPathHint(path), undefined, path);
  }
});

test('every successor is served', () => {
  const served = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`));
  assert.deepEqual(
    Object.keys(FORMER_NAMES).filter((call) => !served.has(call)),
    [],
  );
});
