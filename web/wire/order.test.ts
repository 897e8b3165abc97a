import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programOf } from './code.ts';
import { amount, textOf } from './decimal.ts';
import { baseSize, estimate, liquidationEstimate, onTick, quoteWorth, shareOf } from './order-math.ts';
import { fieldOf, ORDER_TYPES, type OrderDraft, orderType, requestOf } from './order-types.ts';
import type { Instrument } from './types.ts';

const BTC: Instrument = {
  symbol: 'BTCUSDT',
  category: 'USDT-FUTURES',
  baseCoin: 'BTC',
  quoteCoin: 'USDT',
  pricePrecision: '1',
  quantityPrecision: '4',
  priceMultiplier: '0.5',
  quantityMultiplier: '0.0001',
  minOrderQty: '0.0001',
  minOrderAmount: '5',
  status: 'online',
};

const NO_LEG = { price: '', by: 'market', limit: '' } as const;
const DRAFT: OrderDraft = {
  type: 'limit',
  category: 'USDT-FUTURES',
  symbol: 'BTCUSDT',
  side: 'buy',
  price: '60000',
  size: '0.25',
  quoteAmount: '15000',
  timeInForce: 'gtc',
  reduceOnly: false,
  triggerPrice: '',
  triggerBy: 'market',
  sends: 'market',
  callbackRatio: '1',
  activationPrice: '',
  scope: 'full',
  attached: false,
  takeProfit: NO_LEG,
  stopLoss: NO_LEG,
  hedged: false,
  posSide: 'long',
};
const market = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' };

test('one request a row of the table, without what was left empty', () => {
  assert.deepEqual(requestOf(DRAFT), {
    path: 'trade/place-order',
    body: {
      ...market,
      side: 'buy',
      reduceOnly: 'no',
      orderType: 'limit',
      price: '60000',
      qty: '0.25',
      timeInForce: 'gtc',
    },
  });
  assert.deepEqual(requestOf({ ...DRAFT, type: 'market', side: 'sell', reduceOnly: true }).body, {
    ...market,
    side: 'sell',
    reduceOnly: 'yes',
    orderType: 'market',
    qty: '0.25',
  });
  assert.deepEqual(
    requestOf({ ...DRAFT, type: 'trigger', triggerPrice: '61000', sends: 'limit', triggerBy: 'mark' }),
    {
      path: 'trade/place-strategy-order',
      body: {
        ...market,
        side: 'buy',
        reduceOnly: 'no',
        type: 'trigger',
        qty: '0.25',
        triggerPrice: '61000',
        triggerBy: 'mark',
        triggerOrderType: 'limit',
        triggerOrderPrice: '60000',
      },
    },
  );
  assert.deepEqual(requestOf({ ...DRAFT, type: 'trailing' }).body, {
    ...market,
    side: 'buy',
    reduceOnly: 'no',
    type: 'trailing',
    qty: '0.25',
    callbackRatio: '1',
    triggerBy: 'market',
  });
  const legs = {
    takeProfit: { ...NO_LEG, price: '66000' },
    stopLoss: { price: '58000', by: 'mark', limit: '57900' },
  } as const;
  assert.deepEqual(requestOf({ ...DRAFT, type: 'tpsl', ...legs }).body, {
    ...market,
    type: 'tpsl',
    tpslMode: 'full',
    posSide: 'long',
    side: 'sell',
    takeProfit: '66000',
    tpTriggerBy: 'market',
    tpOrderType: 'market',
    stopLoss: '58000',
    slTriggerBy: 'mark',
    slOrderType: 'limit',
    slLimitPrice: '57900',
  });
});

test('with a long and a short at once, an order names the one that it opens or closes', () => {
  const posSide = (side: 'buy' | 'sell', reduceOnly: boolean) =>
    requestOf({ ...DRAFT, hedged: true, side, reduceOnly }).body.posSide;
  assert.deepEqual(
    [posSide('buy', false), posSide('sell', false), posSide('buy', true), posSide('sell', true)],
    ['long', 'short', 'short', 'long'],
  );
});

test('a market buy on spot is sent as money, a sale as coins', () => {
  const spot = { ...DRAFT, category: 'SPOT', type: 'market' } as const;
  assert.equal(requestOf(spot).body.qty, '15000');
  assert.equal(requestOf({ ...spot, side: 'sell' }).body.qty, '0.25');
  assert.equal(requestOf({ ...spot, type: 'limit' }).body.qty, '0.25');
  assert.equal(requestOf(spot).body.reduceOnly, undefined);
});

test('a refusal is shown at the field that caused it', () => {
  const { fields } = orderType('limit');
  assert.equal(fieldOf('margin is insufficient: 48.10 available', fields), 'size');
  assert.equal(fieldOf('price must be a multiple of 0.1', fields), 'price');
  assert.equal(fieldOf('takeProfit must be above the price', fields), 'takeProfit');
  assert.equal(fieldOf('takeProfit must be above the price', orderType('tpsl').fields), 'takeProfit');
  assert.equal(fieldOf('something else', fields), undefined);
});

test('sizes in coins, money and lots come to the same lot', () => {
  const price = amount('60000');
  assert.equal(baseSize('0.25009', 'base', price, BTC), '0.2500');
  assert.equal(baseSize('15000', 'quote', price, BTC), '0.2500');
  assert.equal(baseSize('2500', 'lots', price, BTC), '0.2500');
  assert.equal(baseSize('', 'base', price, BTC), '');
  assert.equal(shareOf('0.33333', 50, BTC), '0.1666');
  assert.equal(quoteWorth('0.25', price, { ...BTC, quotePrecision: '2' }), '15000.00');
  assert.equal(onTick(amount('60000.26'), BTC), '60000.5');
});

test('margin, fee and liquidation of an order', () => {
  const facts = {
    instrument: BTC,
    side: 'buy',
    size: '1',
    price: amount('60000'),
    leverage: amount('10'),
    feeRate: amount('0.0006'),
  } as const;
  const { cost, fee, value } = estimate(facts);
  assert.deepEqual([Number(textOf(cost)), Number(textOf(fee)), Number(textOf(value))], [6000, 36, 60000]);
  const isolated = { equity: amount('0'), maintenance: amount('0'), rate: amount('0.004'), isolated: true };
  // 60000 - 6000 must be 0.996 of the price.
  assert.equal(textOf(liquidationEstimate(facts, isolated)!), '54216.8');
  assert.equal(textOf(liquidationEstimate({ ...facts, side: 'sell' }, isolated)!), '65737.0');
  const rich = { ...isolated, isolated: false, equity: amount('1000000') };
  assert.equal(liquidationEstimate(facts, rich), undefined, 'no price takes a million with one coin');
});

test('every call is written as a program, with keys only where they are public', () => {
  const call = {
    method: 'POST',
    path: '/api/v3/trade/place-order',
    query: {},
    body: { qty: '1' },
    signed: 'x',
  } as const;
  const keys = { apiKey: 'demo-alice', secretKey: 'demo-alice-secret', passphrase: 'demo' };
  const url = 'http://127.0.0.1:8787';
  assert.match(
    programOf('ccxt JS', call, url, keys),
    /privateUtaPostV3TradePlaceOrder\(\{\n {2}"qty": "1"\n\}\)/,
  );
  assert.match(programOf('ccxt Python', call, url, keys), /privateUtaPostV3TradePlaceOrder/);
  assert.match(programOf('SDK', call, url, keys), /client\.submitNewOrder\(\{\n {2}"qty": "1"\n\}\)/);
  assert.match(programOf('curl', call, url, keys), /openssl dgst -sha256 -hmac "demo-alice-secret"/);
  const open = {
    ...call,
    method: 'GET',
    path: '/api/v3/market/tickers',
    body: undefined,
    query: { symbol: 'A' },
    signed: '',
  } as const;
  assert.equal(programOf('curl', open, url, keys), `curl '${url}/api/v3/market/tickers?symbol=A'\n`);
  assert.match(programOf('ccxt JS', open, url, keys), /publicUtaGetV3MarketTickers/);
  assert.ok(ORDER_TYPES.every(({ path }) => path.startsWith('trade/place-')));
});
