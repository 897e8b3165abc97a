/**
 * Pledge loans with the unmodified SDK against the real server on a manual clock: borrow, hours that pass, pledges
 * moved both ways, repayments, a price fall, an empty pool, a crash. Every number is held against `loan-by-hand.ts`,
 * and the books must agree after every step.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { command } from '../app/bourse-process.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { refusalOf, type SdkClient, sdkClient } from './clients.ts';
import { decimal, units } from './ledger-by-hand.ts';
import { HandLoan, pledgeFor } from './loan-by-hand.ts';

const START = Date.UTC(2026, 5, 25, 7);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ARGS = ['--clock', 'manual', '--clock-start', '2026-06-25T07:00:00Z', '--rate-limits', 'off'];
/** Of the catalogue: flexible USDT at 3.05 % a year, BTC lent at 65 %. */
const RATE = '0.00000349';
const INIT = '0.65';
const PAIR = { loanCoin: 'USDT', pledgeCoin: 'BTC' } as const;

const data = temporaryDirectory();
let server: TestServer;
let operator: Operator;
let sdk: SdkClient;
let bob: SdkClient;

async function open(): Promise<void> {
  server = await startHosted({ data, args: ARGS });
  operator = new Operator(server);
  operator.keepsPrices = true;
  sdk = sdkClient(server.url, server.account('alice'));
  bob = sdkClient(server.url, server.account('bob'));
}

before(async () => {
  await open();
  await priceMoves('60000');
});

afterEach(() => operator.assertBooksAgree());

/** The log, replayed from its first command, comes to the same loans, books and records. */
after(async () => {
  await server.stop();
  const { code, stdout, stderr } = await command(['verify', '--data', data, '--json']);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /"history: loanRecords","ok":true/);
});

async function priceMoves(price: string): Promise<void> {
  await operator.setPrice('BTCUSDT', price);
  await operator.advanceClock('1s');
}

/** Everything of the last days. */
async function window(): Promise<{ startTime: string; endTime: string }> {
  const now = await operator.time();
  return { startTime: String(now - 60 * DAY), endTime: String(now) };
}

async function balance(coin: string, client = sdk): Promise<string> {
  const { assets } = (await client.getBalances()).data;
  return assets.find((each) => each.coin === coin)!.balance;
}

async function ongoing(orderId: string, client = sdk) {
  return (await client.getLoanBorrowOngoing({ orderId })).data[0];
}

test('the desk says what it lends, what it takes and what an hour costs', async () => {
  const { loanInfos, pledgeInfos } = (await sdk.getLoanCoins()).data;
  assert.deepEqual(loanInfos.map(({ coin }) => coin).sort(), pledgeInfos.map(({ coin }) => coin).sort());
  assert.equal(loanInfos.length, 12);
  const [usdt] = (await sdk.getLoanCoins({ coin: 'USDT' })).data.loanInfos;
  assert.deepEqual(usdt, {
    coin: 'USDT',
    hourRateFlexible: RATE,
    rateFlexible: '0.0305',
    hourRate7D: '0.00000617',
    rate7D: '0.054',
    hourRate30D: '0.00000879',
    rate30D: '0.077',
    minBorrowAmount: '200',
    maxBorrowAmount: '1000000',
    minBorrowLimit: '200',
    maxBorrowLimit: '1000000',
  });
  const [btc] = (await sdk.getLoanCoins({ coin: 'btc' })).data.pledgeInfos;
  assert.deepEqual(btc, {
    coin: 'BTC',
    initRate: '0.65',
    supRate: '0.75',
    forceRate: '0.83',
    minPledgeAmount: '0',
    maxPledgeAmount: '5000000',
  });
  const quote = { ...PAIR, daily: 'FLEXIBLE', pledgeAmount: '0.25641026' } as const;
  assert.deepEqual((await sdk.getLoanInterest(quote)).data, {
    hourInterest: '0.03490001',
    loanAmount: '10000.00014',
  });
});

test('a loan is borrowed, grows by the hour, is revised both ways, paid in part, and paid back', async () => {
  const before = { usdt: await balance('USDT'), btc: await balance('BTC') };
  const { orderId } = (await sdk.loanBorrow({ ...PAIR, daily: 'FLEXIBLE', loanAmount: '10000' })).data;
  const hand = new HandLoan('10000', pledgeFor('10000', '60000', INIT), RATE);
  const borrowTime = String(await operator.time());
  assert.deepEqual(await ongoing(orderId), {
    orderId,
    ...PAIR,
    loanAmount: '10000',
    interestAmount: '0.0349',
    hourInterestRate: '0.000349',
    pledgeAmount: '0.25641026',
    pledgeRate: hand.rate('60000'),
    supRate: '75',
    forceRate: '83',
    borrowTime,
    expireTime: '0',
  });
  assert.equal(await balance('USDT'), decimal(units(before.usdt) + units('10000')));
  assert.equal(await balance('BTC'), decimal(units(before.btc) - hand.pledge));
  assert.deepEqual(await operator.loanPool('USDT').then(({ lent, loans }) => [lent, loans]), ['10000', 1]);

  await operator.advanceClock('42h', '1m');
  hand.hour(42);
  assert.equal((await ongoing(orderId))!.interestAmount, '1.5007');
  // A crash and a restart charge nothing again.
  await server.kill();
  await open();
  assert.equal((await ongoing(orderId))!.interestAmount, '1.5007');
  const { data: debts } = await sdk.getLoanDebts();
  assert.deepEqual(debts, {
    pledgeInfos: [{ coin: 'BTC', amount: '0.25641026', amountUsdt: '15384.62' }],
    loanInfos: [{ coin: 'USDT', amount: '10001.5007', amountUsdt: '10001.5' }],
  });

  const revise = { orderId, pledgeCoin: 'BTC' };
  const refused = await refusalOf(
    sdk.loanRevisePledge({ ...revise, amount: '0.00000001', reviseType: 'OUT' }),
  );
  assert.equal(refused.body.code, '25218');
  const rates: string[][] = [];
  for (const [reviseType, amount] of [
    ['IN', '0.05'],
    ['OUT', '0.0123'],
  ] as const) {
    const beforeRate = hand.rate('60000');
    hand.pledge += reviseType === 'IN' ? units(amount) : -units(amount);
    rates.unshift([amount, beforeRate, hand.rate('60000')]);
    const { data: revised } = await sdk.loanRevisePledge({ ...revise, amount, reviseType });
    assert.deepEqual(revised, { ...PAIR, afterPledgeRate: hand.rate('60000') });
  }
  await priceMoves('70000');
  const most = hand.free('70000', INIT);
  rates.unshift([most, hand.rate('70000'), '65']);
  await sdk.loanRevisePledge({ ...revise, amount: most, reviseType: 'OUT' });
  hand.pledge -= units(most);
  const { data: history } = await sdk.getLoanPledgeRateHistory({ ...(await window()), orderId });
  assert.deepEqual(
    history.map((row) => [row.reviseAmount, row.beforePledgeRate, row.afterPledgeRate]),
    rates,
  );
  assert.deepEqual(
    history.map(({ reviseSide }) => reviseSide),
    ['up', 'up', 'down'],
  );
  await priceMoves('60000');

  const { data: part } = await sdk.loanRepay({
    orderId,
    method: 'borrowed_coin',
    repayAll: 'no',
    amount: '4000',
    repayUnlock: 'yes',
  });
  const paid = hand.pay('4000');
  const unlocked = hand.free('60000', INIT);
  hand.pledge -= units(unlocked);
  assert.deepEqual(part, {
    ...PAIR,
    repayAmount: '4000',
    payInterest: paid.interest,
    repayLoanAmount: paid.principal,
    repayUnlockAmount: unlocked,
  });
  assert.deepEqual((await sdk.getLoanBorrowHistory(await window())).data, []);
  await operator.advanceClock('1h');
  hand.hour();
  const rest = decimal(hand.debt);
  const { data: last } = await sdk.loanRepay({ orderId, method: 'borrowed_coin', repayAll: 'yes' });
  assert.deepEqual(
    [last.repayAmount, last.payInterest, last.repayUnlockAmount],
    [rest, decimal(hand.interest), decimal(hand.pledge)],
  );
  assert.equal(await balance('BTC'), before.btc);
  const interest = units(part.payInterest) + units(last.payInterest);
  assert.equal(await balance('USDT'), decimal(units(before.usdt) - interest));
  assert.deepEqual((await sdk.getLoanDebts()).data, { pledgeInfos: [], loanInfos: [] });

  const { data: repayments } = await sdk.getLoanRepayHistory({ ...(await window()), orderId });
  assert.deepEqual(
    repayments.map(({ repayTime: _time, ...row }) => row),
    [
      { orderId, ...last },
      { orderId, ...part },
    ],
  );
  const { data: closed } = await sdk.getLoanBorrowHistory({ ...(await window()), status: 'REPAY' });
  assert.deepEqual(closed, [
    {
      orderId,
      ...PAIR,
      initPledgeAmount: '0.25641026',
      initLoanAmount: '10000',
      hourRate: '0.000349',
      pledgeDays: '',
      daily: 'FLEXIBLE',
      borrowTime,
      status: 'REPAY',
    },
  ]);
});

test('a fixed term keeps its rate, costs double when it is over, and can be paid out of its collateral', async () => {
  await operator.setLoanRate('USDT', 'SEVEN', '0.0876');
  const { orderId } = (await sdk.loanBorrow({ ...PAIR, daily: 'SEVEN', pledgeAmount: '0.5' })).data;
  await operator.setLoanRate('USDT', 'SEVEN', '0.054');
  const opened = (await ongoing(orderId))!;
  assert.equal(opened.loanAmount, '19500');
  assert.equal(opened.hourInterestRate, '0.001');
  const expireTime = Math.floor((Number(opened.borrowTime) + 7 * DAY) / HOUR) * HOUR - 1;
  assert.equal(opened.expireTime, String(expireTime));
  await operator.advanceClock('7d', '1m');
  const late = (await ongoing(orderId))!;
  // 168 hours of 0.195 and the first one that costs double.
  assert.equal(late.interestAmount, decimal(168n * units('0.195') + units('0.39')));
  assert.equal(late.hourInterestRate, '0.002');

  const usdt = await balance('USDT');
  const { data: repaid } = await sdk.loanRepay({ orderId, method: 'collateral', repayAll: 'yes' });
  const debt = units('19500') + units(late.interestAmount);
  // At 60 000, less the fee of a conversion: 0.1 %.
  const sold = (debt * 1000n + 60_000n * 999n - 1n) / (60_000n * 999n);
  assert.deepEqual(
    [repaid.repayAmount, repaid.repayUnlockAmount],
    [decimal(debt), decimal(units('0.5') - sold)],
  );
  assert.equal(await balance('USDT'), usdt);
  const { data: records } = await sdk.getLoanBorrowHistory({ ...(await window()), orderId });
  assert.deepEqual(
    records.map((row) => [row.daily, (row as { pledgeDays?: string }).pledgeDays, row.hourRate, row.status]),
    [['SEVEN', '7', '0.001', 'REPAY']],
  );
});

test('a price fall closes a loan by force, and the record says how', async () => {
  const btc = await balance('BTC');
  const { orderId } = (await sdk.loanBorrow({ ...PAIR, daily: 'FLEXIBLE', loanAmount: '10000' })).data;
  const hand = new HandLoan('10000', pledgeFor('10000', '60000', INIT), RATE);
  await priceMoves('50000');
  assert.equal((await ongoing(orderId))!.pledgeRate, hand.rate('50000'));
  await priceMoves('46900');
  assert.equal(await ongoing(orderId), undefined);
  const { sold, fee, rest } = hand.force('46900');
  const all = await window();
  const { data: reduces } = await sdk.getLoanReduces({ ...all, status: 'COMPLETE' });
  assert.deepEqual(
    reduces.map(({ reduceTime: _time, ...row }) => row),
    [
      {
        orderId,
        ...PAIR,
        pledgeRate: hand.rate('46900'),
        pledgePrice: '46900',
        status: 'COMPLETE',
        pledgeAmount: sold,
        reduceFee: fee,
        residueAmount: '0',
        runlockAmount: rest,
        repayLoanAmount: decimal(hand.debt),
      },
    ],
  );
  assert.equal(await balance('BTC'), decimal(units(btc) - units(sold)));
  const { data: forced } = await sdk.getLoanBorrowHistory({ ...all, status: 'FORCE' });
  assert.deepEqual(
    forced.map((row) => [row.orderId, row.status]),
    [[orderId, 'FORCE']],
  );
  assert.deepEqual((await sdk.getLoanReduces({ ...all, status: 'WAIT' })).data, []);
  assert.equal((await operator.loanPool('USDT')).lost, '0');
  await priceMoves('60000');
});

test('an empty pool, or a pledge that is not there, leaves a record and nothing else', async () => {
  const { free } = await operator.loanPool('USDT');
  await operator.fundLoans('USDT', `-${free}`, 'closing time');
  const before = { usdt: await balance('USDT'), btc: await balance('BTC') };
  const empty = (await sdk.loanBorrow({ ...PAIR, daily: 'THIRTY', loanAmount: '10000' })).data;
  await operator.fundLoans('USDT', '500000', 'opening time');
  const poor = (await sdk.loanBorrow({ ...PAIR, daily: 'THIRTY', loanAmount: '400000' })).data;
  assert.deepEqual({ usdt: await balance('USDT'), btc: await balance('BTC') }, before);
  const { data: rolledBack } = await sdk.getLoanBorrowHistory({ ...(await window()), status: 'ROLLBACK' });
  assert.deepEqual(
    rolledBack.map((row) => [row.orderId, row.initLoanAmount, row.status]),
    [
      [poor.orderId, '400000', 'ROLLBACK'],
      [empty.orderId, '10000', 'ROLLBACK'],
    ],
  );
  assert.deepEqual((await sdk.getLoanBorrowOngoing()).data, []);
});

test('history comes in pages by number, newest first, and is chosen by coins, status and time', async () => {
  await operator.setPrice('ETHUSDT', '3000');
  await priceMoves('60000');
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) {
    const pledgeCoin = n % 3 === 0 ? 'ETH' : 'BTC';
    const wish = { loanCoin: 'USDT', pledgeCoin, daily: 'FLEXIBLE', loanAmount: '200' } as const;
    const { orderId } = (await bob.loanBorrow(wish)).data;
    await bob.loanRevisePledge({ orderId, pledgeCoin, amount: '0.1', reviseType: 'IN' });
    await bob.loanRevisePledge({ orderId, pledgeCoin, amount: '0.05', reviseType: 'OUT' });
    await bob.loanRepay({ orderId, method: 'borrowed_coin', repayAll: 'yes' });
    ids.unshift(orderId);
    await operator.advanceClock('1m');
  }
  const all = await window();
  const page = async (more: object) =>
    (await bob.getLoanBorrowHistory({ ...all, ...more })).data.map(({ orderId }) => orderId);
  assert.deepEqual(await page({}), ids.slice(0, 10));
  assert.deepEqual(await page({ pageNum: '2' }), ids.slice(10));
  assert.deepEqual(await page({ pageNum: '2', pageSize: '5' }), ids.slice(5, 10));
  assert.deepEqual(await page({ pageSize: '1000' }), ids);
  assert.deepEqual(await page({ pageNum: '99' }), []);
  assert.deepEqual(await page({ pledgeCoin: 'ETH' }), [ids[2], ids[5], ids[8], ids[11]]);
  assert.deepEqual(await page({ loanCoin: 'usdt', orderId: ids[3] }), [ids[3]]);
  assert.deepEqual(await page({ loanCoin: 'USDC' }), []);
  assert.deepEqual(await page({ status: 'repay', pageSize: '2' }), ids.slice(0, 2));
  assert.deepEqual(await page({ status: 'FORCE' }), []);
  assert.deepEqual(await page({ startTime: String(Number(all.endTime) - 61_000) }), ids.slice(0, 1));

  const revisions = async (more: object) =>
    (await bob.getLoanPledgeRateHistory({ ...all, ...more })).data.map(
      (row) => `${row.orderId} ${row.reviseSide}`,
    );
  const both = ids.flatMap((id) => [`${id} up`, `${id} down`]);
  assert.deepEqual(await revisions({ pageSize: '100' }), both);
  assert.deepEqual(await revisions({ pageNum: '3' }), both.slice(20));
  assert.deepEqual(await revisions({ reviseSide: 'up', orderId: ids[4] }), [`${ids[4]} up`]);
  assert.deepEqual(await revisions({ pledgeCoin: 'ETH', reviseSide: 'down' }), [
    `${ids[2]} down`,
    `${ids[5]} down`,
    `${ids[8]} down`,
    `${ids[11]} down`,
  ]);
  // Alice does not see Bob's.
  assert.equal((await sdk.getLoanBorrowHistory({ ...all, orderId: ids[0]! })).data.length, 0);
});

test('a request that is wrong is answered with what would be right', async () => {
  const all = await window();
  const old = { ...all, startTime: String(START - 400 * DAY) };
  const codes = async (call: Promise<unknown>) => {
    const { code, body } = await refusalOf(call);
    return `${code} ${body.code} ${body.msg}`;
  };
  const missing = { ...all, startTime: undefined } as unknown as typeof all;
  assert.match(await codes(sdk.getLoanBorrowHistory(missing)), /^400 40019 .*startTime/);
  assert.match(await codes(sdk.getLoanBorrowHistory(old)), /^400 40017 startTime must lie within/);
  assert.match(await codes(sdk.getLoanReduces({ ...all, pageNum: '0' })), /^400 40020 pageNum/);
  assert.match(await codes(sdk.getLoanRepayHistory({ ...all, pageSize: '0' })), /^400 40020 pageSize/);
  const wish = { ...PAIR, daily: 'FLEXIBLE' } as const;
  assert.match(await codes(sdk.loanBorrow(wish)), /^400 40019 loanAmount or pledgeAmount/);
  assert.match(await codes(sdk.loanBorrow({ ...wish, loanAmount: '1', pledgeAmount: '1' })), /^400 25238/);
  assert.match(await codes(sdk.loanBorrow({ ...wish, loanAmount: '199' })), /^400 25207 .*200 USDT/);
  assert.match(await codes(sdk.loanBorrow({ ...wish, loanAmount: '1000001' })), /^400 25208 .*1000000 USDT/);
  assert.match(await codes(sdk.loanBorrow({ ...wish, pledgeCoin: 'USDT', loanAmount: '500' })), /^400 25240/);
  assert.match(
    await codes(sdk.loanBorrow({ ...wish, pledgeCoin: 'NONE', loanAmount: '500' })),
    /^400 25201 pledgeCoin/,
  );
  const { orderId } = (await sdk.loanBorrow({ ...wish, loanAmount: '500' })).data;
  const repay = { orderId, method: 'borrowed_coin', repayAll: 'no' } as const;
  assert.match(await codes(sdk.loanRepay(repay)), /^400 40019 .*amount/);
  assert.match(await codes(bob.loanRepay({ ...repay, repayAll: 'yes' })), /^400 25204 orderId/);
  assert.match(
    await codes(sdk.loanRevisePledge({ orderId, pledgeCoin: 'ETH', amount: '1' })),
    /^400 40017 pledgeCoin/,
  );
  assert.match(
    await codes(bob.loanRevisePledge({ orderId, pledgeCoin: 'BTC', amount: '0.1', reviseType: 'OUT' })),
    /^400 25204/,
  );
  const fromPledge = { orderId, method: 'collateral', repayAll: 'yes' } as const;
  operator.keepsPrices = false;
  await operator.advanceClock('61s');
  assert.match(await codes(sdk.loanRepay(fromPledge)), /^400 25108 .* index prices of the last minute/);
  operator.keepsPrices = true;
  await priceMoves('60000');
  await sdk.loanRepay(fromPledge);
});

test('at a stale price nothing is lent or returned; the operator makes it fresh by reporting it again', async () => {
  await priceMoves('60000');
  const wish = { ...PAIR, daily: 'FLEXIBLE', loanAmount: '200' } as const;
  const { orderId } = (await bob.loanBorrow(wish)).data;
  const move = (reviseType: 'IN' | 'OUT', amount: string) =>
    bob.loanRevisePledge({ orderId, pledgeCoin: 'BTC', amount, reviseType });
  operator.keepsPrices = false;
  await operator.advanceClock('16m');
  for (const refused of [() => bob.loanBorrow(wish), () => move('OUT', '0.001')]) {
    const { body } = await refusalOf(refused());
    assert.equal(body.code, '25108');
    assert.match(body.msg, /no fresh index price/);
  }
  await move('IN', '0.002');
  await priceMoves('60000');
  await move('OUT', '0.001');
  await bob.loanRepay({ orderId, method: 'borrowed_coin', repayAll: 'yes' });
  operator.keepsPrices = true;
});
