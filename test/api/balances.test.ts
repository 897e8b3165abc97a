/** Balances move by exactly what a ledger kept by hand says, for both clients, to the last of eight decimals. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { type CcxtClient, ccxtClient, type SdkClient, sdkClient } from './clients.ts';
import { HandLedger, type Holding, product } from './ledger-by-hand.ts';

let server: TestServer;
let alice: Trader;
let bob: Trader;

/** An account seen through both clients, beside the ledger that says what it should hold. */
interface Trader {
  readonly ccxt: CcxtClient;
  readonly sdk: SdkClient;
  readonly ledger: HandLedger;
}

async function trader(name: string): Promise<Trader> {
  const keys = server.account(name);
  // `number: String` is ccxt's own way to keep decimals as they came.
  const ccxt = ccxtClient(server.url, keys, { number: String });
  const sdk = sdkClient(server.url, keys);
  return { ccxt, sdk, ledger: new HandLedger(await holdings(sdk)) };
}

async function holdings(sdk: SdkClient): Promise<Holding[]> {
  const { assets } = (await sdk.getBalances()).data;
  return assets.map(({ coin, balance, locked, available }) => ({ coin, balance, locked, available }));
}

/** Every coin of the account, not only the two that traded. */
async function agrees({ ccxt, sdk, ledger }: Trader): Promise<void> {
  const expected = ledger.holdings();
  assert.deepEqual(await holdings(sdk), expected);
  const balance = await ccxt.fetchBalance();
  assert.deepEqual(
    expected.map(({ coin }) => {
      const { total, used, free } = balance[coin]! as unknown as Record<'total' | 'used' | 'free', string>;
      return { coin, balance: total, locked: used, available: free };
    }),
    expected,
  );
}

before(async () => {
  server = await startHostedInMemory();
  alice = await trader('alice');
  bob = await trader('bob');
  await alice.ccxt.loadMarkets();
  bob.ccxt.setMarketsFromExchange(alice.ccxt);
});

after(() => server.stop());

const ETHUSDT = { base: 'ETH', quote: 'USDT', feeRate: '0.001' };
const DOGEUSDT = { base: 'DOGE', quote: 'USDT', feeRate: '0.001' };
const ETHBTC = { base: 'ETH', quote: 'BTC', feeRate: '0.001' };
const USDCUSDT = { base: 'USDC', quote: 'USDT', feeRate: '0.0002' };

test('a first look shows the funds that the account was opened with', async () => {
  assert.deepEqual(alice.ledger.holding('USDT'), {
    coin: 'USDT',
    balance: '100000',
    locked: '0',
    available: '100000',
  });
  await agrees(alice);
  await agrees(bob);
});

test('resting orders lock price times size of the buyer and the size of the seller, until they are cancelled', async () => {
  const bid = await alice.sdk.submitNewOrder({
    category: 'SPOT',
    symbol: 'ETHUSDT',
    side: 'buy',
    orderType: 'limit',
    qty: '0.1234',
    price: '2444.44',
  });
  const ask = await bob.ccxt.createOrder('ETH/USDT', 'limit', 'sell', 1.5, 2555.55);
  alice.ledger.locks('USDT', product('0.1234', '2444.44'));
  bob.ledger.locks('ETH', '1.5');
  await agrees(alice);
  await agrees(bob);

  await alice.sdk.modifyOrder({ orderId: bid.data.orderId, price: '2450.01', qty: '0.2' });
  alice.ledger.locks('USDT', product('0.2', '2450.01'));
  await agrees(alice);

  await alice.sdk.cancelOrder({ orderId: bid.data.orderId });
  await bob.ccxt.cancelOrder(ask.id!, 'ETH/USDT');
  alice.ledger.locks('USDT', '0');
  bob.ledger.locks('ETH', '0');
  await agrees(alice);
  await agrees(bob);
});

test('a trade pays the buyer in base and the seller in quote, each less its fee, and returns the better price', async () => {
  // Fees with a ninth decimal: 0.1111 x 0.001 and 0.1111 x 2499.99 x 0.001 = 0.277748889.
  await bob.ccxt.createOrder('ETH/USDT', 'limit', 'sell', 0.3333, 2499.99);
  await alice.ccxt.createOrder('ETH/USDT', 'limit', 'buy', 0.1111, 2520);
  const part = { ...ETHUSDT, size: '0.1111', price: '2499.99' };
  alice.ledger.buys(part);
  bob.ledger.sells(part);
  bob.ledger.locks('ETH', '0.2222');
  await agrees(alice);
  await agrees(bob);

  await bob.ccxt.cancelAllOrders('ETH/USDT');
  bob.ledger.locks('ETH', '0');
  await agrees(bob);
});

test('a sell order that walks down the book pays a fee on each fill', async () => {
  const buy = { category: 'SPOT', symbol: 'DOGEUSDT', side: 'buy', orderType: 'limit' } as const;
  await alice.sdk.submitNewOrder({ ...buy, qty: '101.01', price: '0.18123' });
  await alice.sdk.submitNewOrder({ ...buy, qty: '777.77', price: '0.18001' });
  await bob.sdk.submitNewOrder({
    category: 'SPOT',
    symbol: 'DOGEUSDT',
    side: 'sell',
    orderType: 'limit',
    qty: '500.5',
    price: '0.18',
  });
  for (const fill of [
    { ...DOGEUSDT, size: '101.01', price: '0.18123' },
    { ...DOGEUSDT, size: '399.49', price: '0.18001' },
  ]) {
    alice.ledger.buys(fill);
    bob.ledger.sells(fill);
  }
  alice.ledger.locks('USDT', product('378.28', '0.18001'));
  await agrees(alice);
  await agrees(bob);

  await alice.sdk.cancelAllOrders({ category: 'SPOT' });
  alice.ledger.locks('USDT', '0');
  await agrees(alice);
});

test('a market buy takes from its money what it spent and no more', async () => {
  await bob.ccxt.createOrder('ETH/BTC', 'limit', 'sell', 2, 0.04167);
  await alice.ccxt.createMarketBuyOrderWithCost('ETH/BTC', 0.05);
  // 0.05 / 0.04167 = 1.1999..., in lots of 0.001.
  const fill = { ...ETHBTC, size: '1.199', price: '0.04167' };
  alice.ledger.buys(fill);
  bob.ledger.sells(fill);
  bob.ledger.locks('ETH', '0.801');
  await agrees(alice);
  await agrees(bob);
  await bob.ccxt.cancelAllOrders('ETH/BTC');
  bob.ledger.locks('ETH', '0');
});

test('an ioc order gets back the money of what it did not buy, at the fee rate of its pair', async () => {
  await bob.ccxt.createOrder('USDC/USDT', 'limit', 'sell', 33.33, 1.0003);
  await alice.ccxt.createOrder('USDC/USDT', 'limit', 'buy', 1000, 1.001, { timeInForce: 'IOC' });
  const fill = { ...USDCUSDT, size: '33.33', price: '1.0003' };
  alice.ledger.buys(fill);
  bob.ledger.sells(fill);
  await agrees(alice);
  await agrees(bob);
});

test('the fees of fills and orders add up to what the balances lost', async () => {
  const { list } = (await bob.sdk.getTradeFills()).data;
  const fees = list.map(({ symbol, feeDetail }) => [symbol, feeDetail[0]!.feeCoin, feeDetail[0]!.fee]);
  const sold = (size: string, price: string, rate: string) => product(product(size, price), rate);
  assert.deepEqual(fees, [
    ['USDCUSDT', 'USDT', sold('33.33', '1.0003', '0.0002')],
    ['ETHBTC', 'BTC', sold('1.199', '0.04167', '0.001')],
    ['DOGEUSDT', 'USDT', sold('399.49', '0.18001', '0.001')],
    ['DOGEUSDT', 'USDT', sold('101.01', '0.18123', '0.001')],
    ['ETHUSDT', 'USDT', sold('0.1111', '2499.99', '0.001')],
  ]);
  const trades = await alice.ccxt.fetchMyTrades('ETH/USDT');
  const fee = trades[0]!.fee as unknown as { currency: string; cost: string };
  assert.deepEqual([fee.currency, fee.cost], ['ETH', '-0.0001111'], 'ccxt shows a charged fee as negative');
});
