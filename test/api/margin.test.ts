/**
 * Margin trading with the unmodified clients against the real server on a manual clock: buying beyond the own balance,
 * selling short, hours of interest, a crash, repayment, forced conversion. The books must agree after every step.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import ccxt from 'ccxt';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import {
  type CcxtClient,
  ccxtClients,
  refusalOf,
  refusesWith,
  type SdkClient,
  sdkClient,
} from './clients.ts';
import { decimal, units } from './ledger-by-hand.ts';

const ARGS = ['--clock', 'manual', '--clock-start', '2026-06-25T07:30:00Z', '--rate-limits', 'off'];
/** Of the catalogue: USDT at 8.76 % a year, which is 0.001 % an hour. */
const HOUR_RATE = '0.00001';
const PAIR = { category: 'MARGIN', symbol: 'BTCUSDT' } as const;

const data = temporaryDirectory();
let server: TestServer;
let operator: Operator;
let keys: DemoKeys;
let sdk: SdkClient;
let maker: SdkClient;
let trader: CcxtClient;

async function open(): Promise<void> {
  server = await startHosted({ data, args: ARGS });
  operator = new Operator(server);
  maker = sdkClient(server.url, server.account('maker'));
}

before(async () => {
  await open();
  keys = await operator.openSub('borrower', 'alice', ['uta_trade', 'uta_mgt']);
  await operator.deposit({ account: String(keys.uid), coin: 'USDT', amount: '1000', reference: 'start' });
  sdk = sdkClient(server.url, keys);
  [trader] = (await ccxtClients(server.url, [keys])) as [CcxtClient];
  await prices('60000');
});

afterEach(() => operator.assertBooksAgree());

after(async () => {
  await server.stop();
});

async function prices(price: string): Promise<void> {
  await operator.setPrice('BTCUSDT', price);
  await operator.advanceClock('1s');
}

/** The market maker offers or bids; its own money only. */
const quote = (side: 'buy' | 'sell', qty: string, price: string) =>
  maker.submitNewOrder({ category: 'SPOT', symbol: 'BTCUSDT', side, orderType: 'limit', qty, price });

async function asset(coin: string) {
  const { assets } = (await sdk.getBalances()).data;
  return assets.find((each) => each.coin === coin)!;
}

async function owed(): Promise<string> {
  const { repayableCoinList, maxSelection } = (await sdk.getRepayableCoins()).data;
  assert.equal(maxSelection, '1');
  return repayableCoinList.map(({ coin, size, amount }) => `${size} ${coin} = ${amount}`).join();
}

test('what is lent, at what price and within which limits', async () => {
  const loans = (await sdk.getMarginLoans({ coin: 'USDT' })).data;
  assert.deepEqual(
    [loans.dailyInterest, loans.annualInterest, loans.limit, loans.platformRemaingQuota],
    // Half of what the venue holds.
    ['0.00024', '0.0876', '2000000', '11150500'],
  );
  const rate = await trader.fetchCrossBorrowRate('USDT');
  assert.equal(rate.currency, 'USDT');
  const tiers = (await sdk.getPositionTier({ category: 'MARGIN', coin: 'USDT' } as never)).data;
  assert.deepEqual(tiers[0], {
    tier: '1',
    minTierValue: '0',
    maxTierValue: '100000',
    leverage: '5',
    mmr: '0.04',
  });
  const [first] = await trader.fetchMarketLeverageTiers('BTC/USDT', { marginMode: 'cross' });
  assert.deepEqual([first!.maxLeverage, first!.maintenanceMarginRate], [5, 0.04]);
});

test('leverage is set per coin and shown in the settings', async () => {
  await sdk.setLeverage({ category: 'MARGIN', coin: 'USDT', leverage: '4' } as never);
  const { coinConfigList } = (await sdk.getAccountSettings()).data;
  assert.equal(coinConfigList.find(({ coin }) => coin === 'USDT')!.leverage, '4');
  const refused = sdk.setLeverage({ category: 'MARGIN', coin: 'USDT', leverage: '6' } as never);
  assert.equal((await refusalOf(refused)).body.code, '25223');
});

test('a margin buy beyond the own balance borrows the rest; a spot buy is refused', async () => {
  assert.equal(await owed(), '');
  await quote('sell', '0.05', '60000');
  const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.05', price: '60000' } as const;
  const spot = await refusalOf(sdk.submitNewOrder({ category: 'SPOT', ...order }));
  assert.equal(spot.body.code, '25202');
  const room = (
    await sdk.getMaxOpenAvailable({ ...PAIR, orderType: 'limit', side: 'buy', price: '60000' } as never)
  ).data as { available: string; maxBuyAvailable?: string };
  assert.equal(room.available, '1000');
  assert.ok(Number(room.maxBuyAvailable) > 4000, room.maxBuyAvailable);

  const { orderId } = (await sdk.submitNewOrder({ category: 'MARGIN', ...order })).data;
  const placed = (await sdk.getOrderInfo({ orderId })).data;
  assert.deepEqual([placed.category, placed.orderStatus], ['MARGIN', 'filled']);
  const usdt = await asset('USDT');
  assert.deepEqual([usdt.balance, usdt.debt, usdt.available], ['-2000', '2000', '0']);
  assert.equal((await asset('BTC')).balance, '0.04995');
  assert.equal(await owed(), '2000 USDT = 2000');
  const account = (await sdk.getBalances()).data;
  // 2 000 / 4, and 4 %.
  assert.deepEqual([account.imr, account.mmr], ['500', '80']);
});

test('an order that the margin cannot carry is refused by both clients', async () => {
  const tooMuch = { ...PAIR, side: 'buy', orderType: 'limit', qty: '1', price: '59000' } as const;
  assert.equal((await refusalOf(sdk.submitNewOrder(tooMuch))).body.code, '25202');
  const order = trader.createOrder('BTC/USDT', 'limit', 'buy', 1, 59_000, { marginMode: 'cross' });
  await refusesWith(order, ccxt.ExchangeError, '25202');
});

test('margin trading is crossed: isolated is refused, not bent', async () => {
  const isolated = { marginMode: 'isolated' };
  const order = { ...PAIR, side: 'buy', orderType: 'limit', qty: '0.001', price: '59000', ...isolated };
  const leverage = { category: 'MARGIN', coin: 'BTC', leverage: '3', ...isolated };
  // One after the other: of two requests under way the second may be refused first, and nobody waits for it yet.
  for (const call of [() => sdk.submitNewOrder(order as never), () => sdk.setLeverage(leverage as never)]) {
    const { body } = await refusalOf(call());
    assert.deepEqual([body.code, /marginMode isolated/.test(body.msg)], ['25240', true]);
  }
  assert.deepEqual((await sdk.getUnfilledOrders()).data.list, []);
});

test('ccxt places, finds and cancels a margin order', async () => {
  const { id } = await trader.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 58_000, { marginMode: 'cross' });
  const [open] = (await sdk.getUnfilledOrders({ category: 'MARGIN' } as never)).data.list;
  assert.deepEqual([open!.orderId, open!.category], [id, 'MARGIN']);
  await trader.cancelOrder(id!, 'BTC/USDT', { marginMode: 'cross' });
  assert.equal((await sdk.getUnfilledOrders({ category: 'MARGIN' } as never)).data.list.length, 0);
  assert.equal((await asset('USDT')).balance, '-2000');
});

test('every full hour costs interest, once, also over a crash', async () => {
  const before = (await sdk.getLoanData()).data;
  assert.equal(before.currentLoans, '2000');
  assert.equal(before.interestPaymentTime, String(Date.UTC(2026, 5, 25, 8)));
  assert.deepEqual(before.debtCoinList, [
    { coin: 'USDT', debt: '2000', interestFreeAmount: '0', interestRateNextHour: HOUR_RATE },
  ]);
  await operator.advanceClock('90m', '1m');
  let debt = units('2000');
  for (let hour = 0; hour < 2; hour++) debt += (debt + 99_999n) / 100_000n;
  assert.equal((await asset('USDT')).debt, decimal(debt));

  await server.kill();
  await open();
  sdk = sdkClient(server.url, keys);
  assert.equal((await asset('USDT')).debt, decimal(debt));
  await operator.advanceClock('1h', '1m');
  debt += (debt + 99_999n) / 100_000n;
  assert.equal((await asset('USDT')).debt, decimal(debt));
  const { list } = (
    await sdk.getFinancialRecords({ category: 'OTHER', type: 'INTEREST_SETTLEMENT_OUT' } as never)
  ).data;
  assert.equal(list.length, 3);
  assert.ok(list.every((line) => Number(line.ts) % 3_600_000 === 0));
});

test('a repayment sells the coin named, as far as the debt goes', async () => {
  await prices('60001');
  const { paymentCoinList } = (await sdk.getPaymentCoins()).data;
  assert.deepEqual(
    paymentCoinList.map(({ coin, size }) => [coin, size]),
    [['BTC', '0.04995']],
  );
  const wrong = sdk.submitRepay({ repayableCoinList: ['ETH'], paymentCoinList: ['BTC'] });
  assert.equal((await refusalOf(wrong)).body.code, '25200');
  const both = sdk.submitRepay({ repayableCoinList: ['USDT'], paymentCoinList: ['BTC', 'ETH'] });
  assert.equal((await refusalOf(both)).body.code, '40020');
  const { debt } = await asset('USDT');
  const repaid = (await sdk.submitRepay({ repayableCoinList: ['USDT'], paymentCoinList: ['BTC'] })).data;
  assert.deepEqual(repaid, { result: 'YES', repayAmount: debt });
  assert.equal(await owed(), '');
  const { list } = (await sdk.getConvertRecords({ fromCoin: 'BTC', toCoin: 'USDT' })).data;
  assert.equal(list.length, 1);
  assert.deepEqual([list[0]!.toCoin, list[0]!.toCoinSize], ['USDT', debt]);
  assert.equal(units((await asset('BTC')).balance), units('0.04995') - units(list[0]!.fromCoinSize));
});

test('a debt in coin is liquidated by a rise: coins are sold for it, and the records say so', async () => {
  await quote('buy', '0.03', '60000');
  await sdk.submitNewOrder({ ...PAIR, side: 'sell', orderType: 'limit', qty: '0.03', price: '60000' });
  const { debt } = await asset('BTC');
  assert.ok(Number(debt) > 0, debt);
  await prices('130000');
  assert.equal(await owed(), '');
  const { list } = (await sdk.getConvertRecords({ fromCoin: 'USDT', toCoin: 'BTC' })).data;
  assert.equal(list.length, 1);
  assert.equal(list[0]!.toCoinSize, debt);
  const lines = (await sdk.getFinancialRecords({ category: 'OTHER', type: 'LIQ_CONVERT_OUT' } as never)).data
    .list;
  assert.equal(lines[0]!.amount, `-${list[0]!.fromCoinSize}`);
});

const RECORD_TYPES = {
  USDT: [
    'EXCHANGE_TARGET_TOKEN_USER_IN',
    'INTEREST_SETTLEMENT_OUT',
    'LIQ_CONVERT_OUT',
    'ORDER_DEALT_FROZEN_OUT',
    'ORDER_DEALT_IN',
    'TRANSFER_IN',
  ],
  BTC: ['EXCHANGE_SOURCE_TOKEN_USER_OUT', 'LIQ_CONVERT_IN', 'ORDER_DEALT_FROZEN_OUT', 'ORDER_DEALT_IN'],
};

test('a debt is the negative balance of the records: trades, interest and conversions add up to what is there', async () => {
  const bought = { category: 'MARGIN', coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT' };
  const [first] = (await sdk.getFinancialRecords(bought as never)).data.list.slice(-1);
  // The buy of 3 000 with 1 000 in hand: what it borrowed is in no other line, or it would count twice.
  assert.deepEqual([first!.amount, first!.balance], ['-3000', '-2000']);
  for (const coin of ['USDT', 'BTC'] as const) {
    let sum = 0n;
    const types = new Set<string>();
    for (const category of ['SPOT', 'MARGIN', 'OTHER']) {
      const { list } = (await sdk.getFinancialRecords({ category, coin } as never)).data;
      for (const { amount, fee, type } of list) {
        sum += units(amount) + units(fee);
        types.add(type);
      }
    }
    assert.equal(decimal(sum), (await asset(coin))?.balance ?? '0', coin);
    assert.deepEqual([...types].sort(), RECORD_TYPES[coin], coin);
  }
});
