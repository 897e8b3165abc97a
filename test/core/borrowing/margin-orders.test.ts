/** Margin orders: what they lock, what they borrow and within which limits (rules 4.2, 6.3-6.6, 6.9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCommand } from '../../../src/core/codec/command-codec.ts';
import { Exchange } from '../../../src/core/engine/exchange.ts';
import { accountRisk } from '../../../src/core/margin/margin-cache.ts';
import { previewCoinLeverage } from '../../../src/core/reads/coin-leverage-preview.ts';
import { units } from '../futures/futures-floor.ts';
import { MARGIN, MarginFloor, PAIRS, SPOT, TERMS, USDT_TERMS } from './margin-floor.ts';

test('100 USDT buy 300 USDT of BTC: the debt is 200 (rules 6.5)', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '100' });
  const order = floor.buy('ann', '0.005', '60000', MARGIN);
  assert.equal(order.stands, 'filled 0.005/0.005');
  assert.equal(floor.cash('ann', 'USDT'), '-200');
  assert.equal(floor.cash('ann', 'BTC'), '0.004995');
  assert.equal(floor.owed('USDT'), '200');
  assert.equal(floor.reserved('USDT'), '0');
});

test('nothing is borrowed while an order rests: it locks what is there and the rest counts as margin', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { USDT: '1000' });
  const order = floor.buy('ann', '0.05', '50000', MARGIN);
  assert.equal(order.stands, 'new 0/0.05');
  assert.equal(floor.cash('ann', 'USDT'), '0');
  assert.equal(floor.locked('ann', 'USDT'), '1000');
  assert.equal(floor.owed('USDT'), '0');
  assert.equal(floor.reserved('USDT'), '1500');
  // 1 500 / 3 and the haircut of 2 500 at 2.5 %.
  assert.equal(floor.risk('ann').initial, '562.5');
  assert.equal(floor.risk('ann').maintenance, '0');
  floor.cancel('ann', order);
  assert.equal(floor.cash('ann', 'USDT'), '1000');
  assert.equal(floor.reserved('USDT'), '0');
  assert.equal(floor.risk('ann').initial, '0');
});

test('margin and spot orders of a symbol meet in one book; the category stays with the order', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { USDT: '100' });
  floor.trader('bob', { BTC: '1' });
  const resting = floor.buy('ann', '0.005', '60000', MARGIN);
  assert.equal(floor.sell('bob', '0.005', '60000', SPOT).stands, 'filled 0.005/0.005');
  assert.equal(resting.stands, 'filled 0.005/0.005');
  const [fill] = floor.fillsOf('ann');
  assert.equal(fill!.category, 1);
  assert.equal(floor.fillsOf('bob')[0]!.category, 0);
  assert.equal(floor.cash('ann', 'USDT'), '-200');
});

test('a partly filled margin order spends its lock first and borrows last', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { USDT: '1000' });
  floor.trader('bob', { BTC: '1' });
  const order = floor.buy('ann', '0.05', '50000', MARGIN);
  floor.sell('bob', '0.01', '50000', SPOT);
  assert.equal(floor.locked('ann', 'USDT'), '500');
  assert.equal(floor.cash('ann', 'USDT'), '0');
  assert.equal(floor.reserved('USDT'), '1500');
  floor.sell('bob', '0.02', '50000', SPOT);
  assert.equal(floor.locked('ann', 'USDT'), '0');
  assert.equal(floor.cash('ann', 'USDT'), '-500');
  assert.equal(floor.reserved('USDT'), '1000');
  floor.cancel('ann', order);
  assert.equal(floor.owed('USDT'), '500');
  assert.equal(floor.reserved('USDT'), '0');
});

test('a better price than the limit borrows less', () => {
  const floor = new MarginFloor().stocked('50000');
  floor.trader('ann', { USDT: '1000' });
  assert.equal(floor.buy('ann', '0.05', '60000', MARGIN).stands, 'filled 0.05/0.05');
  assert.equal(floor.cash('ann', 'USDT'), '-1500');
});

test('cases 77 and 78: a spot sell of more than the cash is refused however rich the account; as MARGIN it borrows', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { USDT: '100000', BTC: '0.1' });
  floor.trader('bob', { USDT: '100000' });
  floor.buy('bob', '1', '60000', SPOT);
  assert.equal(floor.sell('ann', '0.5', '60000', SPOT).stands, 'refused insufficientBalance');
  assert.equal(floor.sell('ann', '0.5', '60000', MARGIN).stands, 'filled 0.5/0.5');
  assert.equal(floor.cash('ann', 'BTC'), '-0.4');
  assert.equal(floor.cash('ann', 'USDT'), '129970');
});

test('a market buy by amount and a market sell borrow as limit orders do', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000' });
  assert.equal(floor.marketBuy('ann', '3000', MARGIN).stands, 'filled 0.05');
  assert.equal(floor.cash('ann', 'USDT'), '-2000');
  floor.buy('market', '1', '59000', SPOT);
  assert.equal(floor.marketSell('ann', '0.06', MARGIN).stands, 'filled 0.06/0.06');
  assert.equal(floor.cash('ann', 'BTC'), '-0.01005');
});

test('an incoming coin repays by itself: sale, deposit, transfer in (rules 6.8)', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '100' });
  floor.buy('ann', '0.005', '60000', MARGIN);
  floor.deposit('ann', '50', 'USDT');
  assert.equal(floor.owed('USDT'), '150');
  floor.fund('ann', '50', 'USDT');
  floor.transfer('ann spot', 'ann uta', '50', 'USDT');
  assert.equal(floor.owed('USDT'), '100');
  floor.buy('market', '0.004995', '59000', SPOT);
  floor.sell('ann', '0.004995', '59000', SPOT);
  assert.equal(floor.owed('USDT'), '0');
  // 294.705 less a thousandth, less 100.
  assert.equal(floor.cash('ann', 'USDT'), '194.410295');
});

test('what is borrowed needs margin by the leverage of the coin', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000' });
  // b / 3 + 0.025 x (1 000 + b) <= 1 000 up to b = 2 720.93.
  assert.equal(floor.buy('ann', '0.0621', '60000', MARGIN).stands, 'refused insufficientBalance');
  assert.equal(floor.coinLeverage('ann', 5), 'none');
  // b / 5 + 0.025 x (1 000 + b) <= 1 000 up to b = 4 333.33.
  assert.equal(floor.buy('ann', '0.0889', '60000', MARGIN).stands, 'refused insufficientBalance');
  assert.equal(floor.buy('ann', '0.0888', '60000', MARGIN).stands, 'filled 0.0888/0.0888');
});

test('leverage of a coin obeys the pairs, the tier of the debt and the margin', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000' });
  assert.equal(floor.coinLeverage('ann', 6), 'leverageAboveMaximum');
  assert.equal(floor.coinLeverage('ann', 0), 'leverageAboveMaximum');
  assert.equal(floor.coinLeverage('ann', 2, 'XAU'), 'unknownCoin');
  floor.coinLeverage('ann', 5);
  floor.buy('ann', '0.05', '60000', MARGIN);
  assert.equal(floor.coinLeverage('ann', 2), 'leverageNeedsMargin');
  assert.equal(floor.risk('ann').initial, '400');
  assert.equal(floor.coinLeverage('ann', 4), 'none');
  assert.equal(floor.risk('ann').initial, '500');
});

test('the tier of the debt bounds the leverage, and the leverage the debt', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '200000' });
  floor.coinLeverage('ann', 5);
  // 200 000 of debt end the first tier, which is the last for leverage 5.
  assert.equal(floor.buy('ann', '6.7', '60000', MARGIN).stands, 'refused insufficientBalance');
  assert.equal(floor.coinLeverage('ann', 3), 'none');
  assert.equal(floor.buy('ann', '6.7', '60000', MARGIN).stands, 'filled 6.7/6.7');
  assert.equal(floor.coinLeverage('ann', 4), 'leverageAboveMaximum');
});

test('the pool bounds what all borrow together, open orders included (I44)', () => {
  const floor = new MarginFloor({ ...TERMS, USDT: { ...USDT_TERMS, poolLimit: '3000' } }).stocked();
  floor.trader('ann', { USDT: '1000' });
  floor.trader('bob', { USDT: '1000' });
  assert.equal(floor.buy('ann', '0.06', '50000', MARGIN).stands, 'new 0/0.06');
  const tooMuch = floor.buy('bob', '0.034', '60000', MARGIN);
  assert.equal(tooMuch.stands, 'refused insufficientBalance');
  // His own 1 000, and the 1 000 that are not spoken for.
  assert.equal(tooMuch.outcome.available, 2000_00000000n);
  assert.equal(floor.buy('bob', '0.033', '60000', MARGIN).stands, 'filled 0.033/0.033');
  assert.equal(floor.owed('USDT'), '980');
});

test('limits of the account and of a main account with its sub-accounts', () => {
  const terms = { ...TERMS, USDT: { ...USDT_TERMS, userLimit: '2000', masterSubLimit: '3000' } };
  const floor = new MarginFloor(terms).stocked();
  floor.trader('ann', { USDT: '10000' });
  floor.trader('kid', { USDT: '10000' }, { master: 'ann' });
  assert.equal(floor.buy('ann', '0.2001', '60000', MARGIN).stands, 'refused insufficientBalance');
  assert.equal(floor.buy('ann', '0.2', '60000', MARGIN).stands, 'filled 0.2/0.2');
  assert.equal(floor.buy('kid', '0.184', '60000', MARGIN).stands, 'refused insufficientBalance');
  assert.equal(floor.buy('kid', '0.183', '60000', MARGIN).stands, 'filled 0.183/0.183');
});

test('a loan below the smallest one is refused', () => {
  const pairs = PAIRS.map((spec) =>
    spec.margin === undefined ? spec : { ...spec, margin: { ...spec.margin, userMinBorrow: '10' } },
  );
  const floor = new MarginFloor(TERMS, pairs).stocked();
  floor.trader('ann', { USDT: '50.00000001' });
  floor.trader('bob', { USDT: '50' });
  // 60 USDT: ann lacks 9.99999999 and could pay with her own money only, bob lacks 10.
  const tooSmall = floor.buy('ann', '0.001', '60000', MARGIN);
  assert.equal(tooSmall.stands, 'refused insufficientBalance');
  assert.equal(floor.cash('ann', 'USDT'), '50.00000001');
  assert.equal(floor.buy('bob', '0.001', '60000', MARGIN).stands, 'filled 0.001/0.001');
  assert.equal(floor.cash('bob', 'USDT'), '-10');
});

test('where the smallest loan is the smallest unit, that much is lent', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '59.99999999' });
  assert.equal(floor.buy('ann', '0.001', '60000', MARGIN).stands, 'filled 0.001/0.001');
  assert.equal(floor.cash('ann', 'USDT'), '-0.00000001');
});

test('amending a margin order borrows more or less within the same limits', () => {
  const floor = new MarginFloor({ ...TERMS, USDT: { ...USDT_TERMS, poolLimit: '2000' } });
  floor.trader('ann', { USDT: '1000' });
  const order = floor.buy('ann', '0.05', '50000', MARGIN);
  assert.equal(floor.amend('ann', order, { qty: '0.061' }), 'insufficientBalance');
  assert.equal(floor.amend('ann', order, { qty: '0.06' }), 'none');
  assert.equal(floor.reserved('USDT'), '2000');
  assert.equal(floor.amend('ann', order, { qty: '0.01', price: '40000' }), 'none');
  assert.equal(floor.reserved('USDT'), '0');
  assert.equal(floor.locked('ann', 'USDT'), '400');
  assert.equal(floor.cash('ann', 'USDT'), '600');
});

test('whoever has no margin left borrows nothing more, and may still sell', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000' });
  floor.buy('ann', '0.06', '60000', MARGIN);
  floor.index('52000', 'BTCUSD');
  assert.ok(floor.risk('ann').available.startsWith('-'));
  assert.equal(floor.buy('ann', '0.001', '60000', MARGIN).stands, 'refused insufficientMargin');
  assert.equal(floor.transfer('ann uta', 'ann spot', '0.001', 'BTC'), 'insufficientBalance');
  floor.buy('market', '1', '52000', SPOT);
  assert.equal(floor.sell('ann', '0.01', '52000', SPOT).stands, 'filled 0.01/0.01');
});

test('a haircut is lost when a coin is given for one that counts for less (rules 6.3)', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { BTC: '1', USDT: '1000' });
  floor.trader('bob', { USDT: '1000000' });
  floor.deal('ann', 'bob', '0.1', '60000');
  const before = floor.risk('ann').initial;
  floor.buy('ann', '10', '0.05', { on: 'ETHBTC', ...SPOT });
  // 30 000 dollars of a 0.975 coin for ETH, which reaches the slice of 0.9: 7.5 %.
  assert.equal(floor.haircut('ann'), '2250');
  assert.equal(Number(floor.risk('ann').initial), Number(before) + 2250);
});

test('a spot order must leave the margin of crossed positions and debts', () => {
  const floor = new MarginFloor().stocked('100', 'XAUUSDT');
  floor.trader('ann', { USDT: '10000' });
  floor.trader('bob', { USDT: '1000000' });
  floor.deal('ann', 'bob', '1', '60000');
  // 3 928 are free; gold counts for nothing, so that every dollar of it is lost as margin.
  const tooMuch = floor.buy('ann', '39.29', '100', { on: 'XAUUSDT', ...SPOT });
  assert.equal(tooMuch.stands, 'refused insufficientBalance');
  assert.equal(tooMuch.outcome.available, 3928_00000000n);
  assert.equal(floor.buy('ann', '39.28', '100', { on: 'XAUUSDT', ...SPOT }).stands, 'filled 39.28/39.28');
  assert.equal(floor.risk('ann').available, '0');
});

test('an account that owes nothing and holds no position spends all its cash on spot', () => {
  const floor = new MarginFloor().stocked('100', 'XAUUSDT');
  floor.trader('ann', { USDT: '1000' });
  floor.buy('ann', '0.001', '50000', MARGIN);
  floor.cancelAll('ann', { category: 'MARGIN' });
  assert.equal(floor.buy('ann', '10', '100', { on: 'XAUUSDT', ...SPOT }).stands, 'filled 10/10');
});

test('cases 79 and 80: money that debts stand on cannot leave, nor can locked money', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { BTC: '1' });
  floor.buy('ann', '0.5', '60000', MARGIN);
  // Owes 30 000, which need 10 000; 1.4995 BTC count 87 720.75 less the debt.
  assert.equal(floor.risk('ann').available, '47720.75');
  assert.equal(floor.withdraw('ann', '0.9', 'BTC'), 'insufficientBalance');
  floor.sell('ann', '1.4', '70000', SPOT);
  assert.equal(floor.withdraw('ann', '0.2', 'BTC'), 'insufficientBalance');
  assert.equal(floor.withdraw('ann', '0.09', 'BTC'), 'none');
});

test('a leverage can be looked at before it is chosen', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000' });
  floor.buy('ann', '0.03', '60000', MARGIN);
  const { state } = floor;
  const preview = (leverage: number) =>
    previewCoinLeverage(state, floor.account('ann'), state.coinByName.get('USDT')!, leverage);
  // Owes 800; worth 0.02997 x 58 500 - 800 = 953.245.
  assert.deepEqual(preview(4), {
    borrowable: units('3012.98'),
    required: units('200'),
    change: units('-66.66666667'),
  });
  assert.equal(preview(1).borrowable, units('153.245'));
  assert.equal(floor.risk('ann').initial, '266.66666667');
});

test('an account in debt survives a snapshot with its locks and reserves', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000' });
  floor.coinLeverage('ann', 4);
  floor.buy('ann', '0.03', '60000', MARGIN);
  floor.buy('ann', '0.01', '50000', MARGIN);
  const before = [floor.owed('USDT'), floor.reserved('USDT'), floor.risk('ann').initial];
  floor.restart();
  assert.deepEqual([floor.owed('USDT'), floor.reserved('USDT'), floor.risk('ann').initial], before);
});

test('a spot order takes the cash that margin orders count on: what they borrow then needs margin, whoever looked before', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { USDT: '10000' });
  // 5 000 would be borrowed, until they come in.
  floor.buy('ann', '0.3', '50000', MARGIN);
  floor.deposit('ann', '5000', 'USDT');
  // The few lots above the mark make the kept margin an estimate until somebody reads it.
  floor.buy('ann', '2.9', '30000');
  floor.buy('ann', '0.001', '66000');
  assert.equal(floor.risk('ann').available, '5860.1604');
  // XAU is no collateral: 5 000 of haircut and 5 000 / 3 for the debt.
  const order = floor.buy('ann', '50', '100', { ...SPOT, on: 'XAUUSDT' });
  assert.equal(order.stands, 'refused insufficientBalance');
  const outcomes = (look: (exchange: Exchange) => void) => {
    const exchange = new Exchange();
    return floor.log.map((bytes) => {
      const { rejectReason } = exchange.apply(decodeCommand(bytes));
      look(exchange);
      return rejectReason;
    });
  };
  const readers = ({ state }: Exchange) => {
    for (const account of state.accountByUid.values()) accountRisk(state, account);
  };
  assert.deepEqual(
    outcomes(readers),
    outcomes(() => {}),
  );
});
