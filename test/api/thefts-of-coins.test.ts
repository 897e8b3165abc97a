/**
 * The thefts of rules 13 and 16 that went through borrowed coins, the desks and fees, carried out against a running exchange by
 * people with clients: none leaves the family with more than it brought, and strangers keep what is theirs. What the old
 * rules gave is measured by the tests of the core that each theft names.
 */
import assert from 'node:assert/strict';
import { units } from './ledger-by-hand.ts';
import { codeOf, gainOf, MARGIN, PERPETUAL, type Person, SPOT, theft, type Venue } from './theft-venue.ts';

const RISK = 'delegated_risk_order_cancel';
const TOO_OLD = '25108';
const NOT_ENOUGH = '25202';

/** Old rule: +26 856 USDT, and a debt that nobody pays (`resting-risk.test.ts`, "a borrowed coin is sold to a friend"). */
theft(
  'R1: a friend buys borrowed coin below its index, and leaves the debt behind',
  {
    poor: { brings: { USDT: '21000' } },
    friend: { brings: { USDT: '200000' } },
    saver: { brings: { BTC: '10', USDT: '1000' } },
  },
  async (venue, { poor, friend, saver }) => {
    await venue.btc('60000');
    await poor.coinLeverage(5, 'BTC');
    const resting = await poor.sell('1.6', '60000', MARGIN);
    assert.equal(await poor.stands(resting), 'new 0');
    await venue.btc('90000');
    await friend.buy('1.6', '60000', SPOT);
    assert.equal(await poor.stands(resting), `cancelled 0 ${RISK}`);
    assert.equal(gainOf(await venue.takeHome([poor, friend], '90000'), '221000'), '0');
    assert.equal(gainOf(await venue.worth(saver, '90000'), '901000'), '0');
  },
);

const BORROWERS = {
  short: { brings: { USDT: '200000' } },
  friend: { brings: { USDT: '1000000' } },
  saver: { brings: { BTC: '100', USDT: '1000' } },
} as const;

/** The short sells a bitcoin that it borrows to its friend. */
async function borrowAndSell(short: Person, friend: Person, price: string, qty = '1'): Promise<void> {
  await friend.buy(qty, price, SPOT);
  const sold = await short.sell(qty, price, MARGIN);
  assert.equal(await short.stands(sold), `filled ${qty}`);
}

/** Old rule: 485 USDT a BTC and turn (`stablecoins.test.ts`, "with a depeg of 1 %"). */
theft(
  'R3: USDT is worth 0.99, and the desk that takes debts counts it as a dollar',
  BORROWERS,
  async (venue, { short, friend, saver }) => {
    await venue.btc('60606', '60000');
    await venue.operator.advanceClock('61s');
    await venue.btc('60606', '60000');
    for (let turn = 0; turn < 2; turn++) {
      await borrowAndSell(short, friend, '60606');
      await short.repay('BTC', 'USDT');
    }
    assert.equal((await venue.account(short)).balances.find(({ coin }) => coin === 'BTC')!.unified, '0');
    // Fees of both sides and of the desk, 0.1 % of 60 606 each; the desk's is rounded up.
    const lost = units('1200000') - (await venue.takeHome([short, friend], '60606'));
    assert.ok(lost >= 6n * units('60.606'), String(lost));
    assert.equal(gainOf(await venue.worth(saver, '60606'), '6061600'), '0');
  },
);

/** Within the first minute the price of USDT has not followed, and the desk does not trade. */
theft(
  'R3: in the first seconds of a depeg the desk refuses what is 1 % away from the direct price',
  BORROWERS,
  async (venue, { short, friend, saver }) => {
    await venue.btc('60000');
    await venue.operator.advanceClock('60s');
    await venue.btc('60606', '60000');
    await borrowAndSell(short, friend, '60606');
    assert.equal(await codeOf(short.repay('BTC', 'USDT')), TOO_OLD);
    const lost = units('1200000') - (await venue.takeHome([short, friend], '60606'));
    assert.equal(lost, 2n * units('60.606'));
    assert.equal(gainOf(await venue.worth(saver, '60606'), '6061600'), '0');
  },
);

/** What the venue holds of bitcoin. */
async function custody(venue: Venue): Promise<bigint> {
  return -units((await venue.books('BTC')).external!);
}

/** Old rule: custody -1.49995 BTC as first run; borrowed and withdrawn (`custody-limits.test.ts`, "borrowed coin was withdrawn"). */
theft(
  'R5: coin that is borrowed and sold to a friend is withdrawn, although the venue holds none',
  { short: { brings: { USDT: '1000000' } }, friend: { brings: { USDT: '1000000' } }, saver: {} },
  async (venue, { short, friend, saver }) => {
    await venue.btc('60000');
    await friend.buy('1.5', '60000', SPOT);
    assert.equal(await codeOf(short.sell('1.5', '60000', MARGIN)), NOT_ENOUGH);
    assert.equal(await codeOf(short.sell('0.001', '60000', MARGIN)), NOT_ENOUGH);
    assert.notEqual(await codeOf(friend.withdraw('1.5', 'BTC', 'BTC')), '');
    assert.equal(await custody(venue), 0n);
    // A stranger brings 2 BTC: half of them is lent, and no more.
    const deposit = { account: saver.uid, coin: 'BTC', amount: '2', reference: 'brought' };
    await venue.operator.deposit(deposit);
    assert.equal(await codeOf(short.sell('1.5', '60000', MARGIN)), NOT_ENOUGH);
    await friend.cancelAll();
    await borrowAndSell(short, friend, '60000');
    const taken = await friend.withdraw('0.999', 'BTC', 'BTC');
    assert.equal(await venue.operator.settle(taken, 'gone'), 200);
    const left = await custody(venue);
    assert.ok(left > units('1'), String(left));
    await friend.buy('0.001', '60000', SPOT);
    assert.equal(await codeOf(short.sell('0.001', '60000', MARGIN)), NOT_ENOUGH);
    // What is there is the stranger's at once, the rest when the debt is paid with coin.
    assert.notEqual(await codeOf(saver.withdraw('1.9', 'BTC', 'BTC')), '');
    const first = await saver.withdraw('1', 'BTC', 'BTC');
    assert.equal(await venue.operator.settle(first, 'first'), 200);
    assert.ok((await custody(venue)) >= 0n);
    await venue.operator.deposit({ account: short.uid, coin: 'BTC', amount: '1', reference: 'repaid' });
    const second = await saver.withdraw('1', 'BTC', 'BTC');
    assert.equal(await venue.operator.settle(second, 'second'), 200);
    // 0.99895 BTC are outside, 1 BTC came in: the family lost its fees.
    const now = (await venue.takeHome([short, friend], '60000')) + units('59937');
    assert.equal(gainOf(now, '2060000'), '-123');
  },
);

/** Old rule: 6 779 USDT on one bitcoin (`live-prices.test.ts`, "a debt was paid at a price of ten minutes ago"). */
theft(
  'R6: a debt is paid at a price of ten minutes ago, while the world is at another',
  BORROWERS,
  async (venue, { short, friend, saver }) => {
    await venue.btc('60000');
    await borrowAndSell(short, friend, '60000');
    await venue.operator.advanceClock('10m', '10s');
    const before = await venue.takeHome([short, friend], '66779');
    assert.equal(await codeOf(short.repay('BTC', 'USDT')), TOO_OLD);
    assert.equal(await venue.takeHome([short, friend], '66779'), before);
    // Told again, the desk trades, at the price of the world and for its fee.
    await venue.btc('66779');
    await short.repay('BTC', 'USDT');
    const lost = before - (await venue.takeHome([short, friend], '66779'));
    assert.ok(lost >= units('66.779'), String(lost));
    assert.equal(gainOf(await venue.worth(saver, '66779'), '6678900'), '0');
  },
);

/** Old rule: pledge sold at the price of ten minutes ago (`live-prices.test.ts`, "a loan was paid from its pledge"). */
theft(
  'R6: a loan is paid from its pledge at a price of ten minutes ago',
  { thief: { brings: { BTC: '1' } }, saver: { brings: { BTC: '10', USDT: '1000' } } },
  async (venue, { thief, saver }) => {
    await venue.operator.fundLoans('USDT', '100000', 'pool');
    await venue.btc('60000');
    const wish = { loanCoin: 'USDT', pledgeCoin: 'BTC', daily: 'FLEXIBLE', loanAmount: '10000' } as const;
    const { orderId } = (await thief.sdk.loanBorrow(wish)).data;
    await venue.operator.advanceClock('10m', '10s');
    const before = await venue.worth(thief, '50000');
    const repay = () => thief.sdk.loanRepay({ orderId, method: 'collateral', repayAll: 'yes' });
    assert.equal(await codeOf(repay()), TOO_OLD);
    assert.equal(await venue.worth(thief, '50000'), before);
    // At 60 000 the pledge would have paid 1 667 USDT of the debt that it is not worth.
    await venue.btc('50000');
    await repay();
    const lost = before - (await venue.worth(thief, '50000'));
    assert.ok(lost >= units('10'), String(lost));
    assert.equal((await venue.operator.loanPool('USDT')).lost, '0');
    assert.equal(gainOf(await venue.worth(saver, '50000'), '501000'), '0');
  },
);

/** Old rule: the 50 000, and a debt that nobody pays (`other-wallets.test.ts`, "the example"). */
theft(
  '16.1: the funding wallet is emptied beside a debt whose price is old, while the world is at another',
  { ...BORROWERS, short: { brings: { USDT: '66000' } } },
  async (venue, { short, friend, saver }) => {
    await venue.btc('60000');
    const aside = { fromType: 'uta', toType: 'spot', amount: '50000', coin: 'USDT' } as const;
    await short.sdk.submitTransfer(aside);
    await short.coinLeverage(5, 'BTC');
    await borrowAndSell(short, friend, '60000');
    const most = async () => (await short.sdk.getMaxWithdrawal({ coin: 'USDT' })).data.spotMaxWithdrawal;
    assert.equal(await most(), '50000');
    // A word by hand holds for a quarter of an hour.
    await venue.operator.advanceClock('16m');
    const before = await venue.takeHome([short, friend], '90000');
    assert.equal(await codeOf(short.withdraw('50000', 'USDT', 'TRC20')), TOO_OLD);
    assert.equal(await most(), '0');
    await short.sdk.submitTransfer({ ...aside, fromType: 'spot', toType: 'uta', amount: '1' });
    await venue.btc('90000');
    const lost = before - (await venue.takeHome([short, friend], '90000'));
    assert.ok(lost >= 0n, String(lost));
    assert.equal(gainOf(await venue.worth(saver, '90000'), '9001000'), '0');
  },
);

/** Old rule: the stranger has 1 965.1 of 10 000, and the long leaves with the 50 000 (`forced-margin.test.ts`, "the example"). */
theft(
  '16.2: a long that is lost keeps its money in the funding wallet, and the short against it pays',
  { long: { brings: { USDT: '52036' } }, saver: { brings: { USDT: '100000' } } },
  async (venue, { long, saver }) => {
    await venue.btc('60000');
    const aside = { fromType: 'uta', toType: 'spot', amount: '50000', coin: 'USDT' } as const;
    await long.sdk.submitTransfer(aside);
    await long.leverage(100, PERPETUAL);
    await saver.sell('1', '60000', PERPETUAL);
    await long.buy('1', '60000', PERPETUAL);
    await venue.btc('50000');
    // The fee of 12 is the saver's; W is below the mark.
    const won = (await venue.worth(saver, '50000')) - units('100000');
    assert.ok(won >= units('10000') - units('12'), String(won));
    const ofFunding = '/api/v3/account/funding-financial-records';
    const [taken] = (await long.sdk.getPrivate(ofFunding, { coin: 'USDT' })).data.list;
    assert.deepEqual([taken.type, taken.groupType], ['forced_transfer_out', 'transfer']);
    const lines = { category: 'OTHER', type: 'FORCED_TRANSFER_IN' } as never;
    const [received] = (await long.sdk.getFinancialRecords(lines)).data.list;
    assert.deepEqual([`-${received!.amount}`, received!.balance], [taken.amount, '0']);
    const query = { coin: 'USDT', fromType: 'spot' };
    const [moved] = (await long.sdk.getPrivate('/api/v2/spot/account/transferRecords', query)).data;
    assert.deepEqual([moved.size, moved.toType], [received!.amount, 'uta']);
    // What is left after that is the owner's.
    await long.withdraw(taken.balance, 'USDT', 'TRC20');
    assert.equal(units(taken.balance), units('50000') - units(received!.amount));
  },
);

const WASHERS = {
  maker: { brings: { USDT: '1000000', BTC: '10' } },
  taker: { brings: { USDT: '1000000', BTC: '10' } },
  stranger: { brings: { USDT: '1000', BTC: '1' } },
} as const;

/** Old rule: +120 USDT in ten pairs of trades, 600 as first run (`fee-floors.test.ts`, "wash trades on a table below zero"). */
theft('R10: two friends trade with each other for the rebate', WASHERS, async (venue, people) => {
  const { maker, taker, stranger } = people;
  await venue.btc('60000');
  await venue.fees(maker, SPOT, '-0.0003', '0.001');
  // The operator cannot give a table that pays a trade.
  assert.notEqual(await venue.tryFees(taker, SPOT, '0', '0.0002'), 200);
  assert.notEqual(await venue.tryFees(taker, SPOT, '0', '-0.0001'), 200);
  await venue.fees(taker, SPOT, '0', '0.0003');
  for (let n = 0; n < 5; n++) {
    await maker.buy('1', '60000', SPOT);
    await taker.sell('1', '60000', SPOT);
    await maker.sell('1', '60000', SPOT);
    await taker.buy('1', '60000', SPOT);
  }
  // Away from the index, where a fee in bitcoin seems to be worth more than it is.
  await maker.sell('1', '63000', SPOT);
  await taker.buy('1', '63000', SPOT);
  const lost = units('3200000') - (await venue.takeHome([maker, taker], '60000'));
  assert.ok(lost >= 0n, String(lost));
  assert.equal(gainOf(await venue.worth(stranger, '60000'), '61000'), '0');
});

/**
 * A commission never came on top of a rebate, under no rule: the broker has a share of what the rebate leaves of a fee
 * (`fee-floors.test.ts`, "a broker has a share"). Held fast beside the others because three accounts of one owner share it.
 */
theft(
  'R10: a broker takes the fees of its sub-account as commission, while a friend has the rebate',
  {
    broker: { broker: true },
    client: { brings: { USDT: '1000000' }, of: 'broker' },
    maker: { brings: { USDT: '1000000' } },
    stranger: { brings: { USDT: '1000' } },
  },
  async (venue, { broker, client, maker, stranger }) => {
    await venue.btc('60000');
    await venue.operator.setCommission(broker.uid, '1');
    await venue.fees(maker, PERPETUAL, '-0.0004', '0.0006');
    for (let n = 0; n < 3; n++) {
      await venue.deal(client, maker, '1', '60000', PERPETUAL);
      await maker.buy('1', '60000', PERPETUAL);
      await client.sell('1', '60000', PERPETUAL);
    }
    // Of 36 of each fee 24 go to the maker and 12 to the broker: nothing is won.
    assert.equal(gainOf(await venue.takeHome([broker, client, maker], '60000'), '2000000'), '0');
    assert.equal(gainOf(await venue.worth(stranger, '60000'), '1000'), '0');
  },
);

/** Old rule: fifty purchases without any fee (`fee-floors.test.ts`, "a purchase in pieces"). */
theft('R10: a purchase in pieces so small that their fees are cut off', WASHERS, async (venue, people) => {
  const { maker, taker, stranger } = people;
  await venue.btc('60000');
  await venue.fees(taker, SPOT, '0', '0.0001');
  await maker.sell('0.1', '60000', SPOT);
  for (let n = 0; n < 20; n++) await taker.buy('0.000099', '60000', SPOT);
  const { balances } = await venue.account(taker);
  const btc = units(balances.find(({ coin }) => coin === 'BTC')!.unified!);
  // 0.00198 bought, 20 units paid; one purchase would have cost 19.8.
  assert.equal(btc, units('10.00198') - 20n);
  assert.equal(gainOf(await venue.worth(stranger, '60000'), '61000'), '0');
});

/** Old rule: the last price went as far as they liked (`fee-floors.test.ts`, "the reference of the spot band"). */
theft(
  'R10: two friends walk the last price of a pair away from the index',
  WASHERS,
  async (venue, people) => {
    const { maker, taker, stranger } = people;
    await venue.btc('60000');
    const codes: string[] = [];
    for (const price of ['63000', '66150', '69457.5', '70000']) {
      codes.push(await codeOf(maker.sell('0.001', price, SPOT)));
      codes.push(await codeOf(taker.buy('0.001', price, SPOT)));
    }
    assert.deepEqual(
      codes.map((code) => code === ''),
      [true, true, true, true, true, false, true, false],
    );
    const lost = units('3200000') - (await venue.takeHome([maker, taker], '60000'));
    assert.ok(lost >= 0n, String(lost));
    assert.equal(gainOf(await venue.worth(stranger, '60000'), '61000'), '0');
  },
);

/** Old rule: no interest at all (`fee-floors.test.ts`, "1 000 USDT owed from 10:01 to 10:59"). */
theft(
  'R10: money is borrowed after the full hour and paid back before the next',
  { thief: { brings: { USDT: '500' } }, saver: { brings: { BTC: '10', USDT: '10000' } } },
  async (venue, { thief, saver }) => {
    await venue.btc('60000');
    await saver.sell('0.025', '60000', SPOT);
    await thief.buy('0.025', '60000', MARGIN);
    const usdt = async () =>
      (await venue.account(thief)).balances.find(({ coin }) => coin === 'USDT')!.unified;
    assert.equal(await usdt(), '-1000');
    await venue.operator.advanceClock('57m', '1m');
    await venue.operator.deposit({
      account: thief.uid,
      coin: 'USDT',
      amount: '1000',
      reference: 'paid back',
    });
    assert.equal(await usdt(), '0');
    await venue.operator.advanceClock('2m', '1m');
    assert.equal(await usdt(), '-0.01');
    // The sale cost the saver 1.5 of fee.
    assert.equal(gainOf(await venue.worth(saver, '60000'), '610000'), '-1.5');
  },
  '2026-03-02T10:01:00Z',
);
