/** The end of a quarter (rules 5.15, edge cases 106 to 108, I42). Every command is followed by `checkInvariants`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTRUMENT_STATUS_NAMES } from '../../../src/core/model/enums.ts';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { moneyUnits, priceText, refusalName } from '../dsl/words.ts';
import { assertRestartAnywhere } from '../restart-anywhere.ts';
import { BTC_COIN, FuturesFloor } from './futures-floor.ts';

const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Last Fridays, 08:00 UTC. */
const MARCH = Date.UTC(2026, 2, 27, 8);
const JUNE = Date.UTC(2026, 5, 26, 8);
const SEPTEMBER = Date.UTC(2026, 8, 25, 8);
const DECEMBER = Date.UTC(2026, 11, 25, 8);
const START = OPENING_BELL + HOUR;
const H26 = { on: 'BTCUSDH26' } as const;

function quarter(
  symbol: string,
  deliveryPeriod: 'this_quarter' | 'next_quarter',
  time: number,
): InstrumentSpec {
  return {
    ...BTC_COIN,
    symbol,
    futures: {
      ...BTC_COIN.futures!,
      type: 'delivery',
      fundInterval: '',
      deliveryTime: String(time),
      deliveryStartTime: String(START),
      deliveryPeriod,
    },
  };
}

class DeliveryFloor extends FuturesFloor {
  constructor(traders: Readonly<Record<string, string>> = { ann: '1', bob: '1', cat: '1' }) {
    super();
    this.list(quarter('BTCUSDH26', 'this_quarter', MARCH));
    this.list(quarter('BTCUSDM26', 'next_quarter', JUNE));
    for (const [name, btc] of Object.entries(traders)) this.trader(name, { BTC: btc });
  }

  list(spec: InstrumentSpec): void {
    this.carryOut({ type: 'listInstrument', time: this.now, spec });
  }

  /** A report that no second has seen yet. */
  report(price: string, time: number): void {
    this.now = time;
    const index = this.state.indexByName.get('BTCUSD')!;
    this.carryOut({
      type: 'componentPrice',
      time,
      index,
      component: 0,
      price: moneyUnits(price),
      volume: 0n,
    });
  }

  /** Two hours before delivery the index is so much. */
  before(price: string): this {
    this.at(MARCH - 2 * HOUR);
    this.index(price, 'BTCUSD');
    return this;
  }

  /** The last nine seconds of an hour at 60 000 see ten times as much, unseen by the mark: 61 350 on average. */
  surprise(): void {
    this.report('600000', MARCH - 9 * SECOND - 500);
    this.at(MARCH);
  }

  settledAt(name: string): string[] {
    return this.executions(name).filter((line) => line.startsWith('delivery'));
  }

  status(symbol: string): string {
    return INSTRUMENT_STATUS_NAMES[this.instrument(symbol).status];
  }

  told(name: string, kind: string): string[] {
    return this.lines(name).filter((line) => line.startsWith(kind));
  }

  stakeAtHighest(name: string): void {
    this.isolate(name, H26.on);
    this.leverage(name, 125, H26.on);
  }
}

test('before it starts a contract takes no orders, then all of them', () => {
  const floor = new DeliveryFloor();
  floor.index('60000', 'BTCUSD');
  assert.equal(floor.buy('ann', '0.1', '59000', H26).rejectReason, 'instrumentListed');
  floor.at(START);
  const order = floor.buy('ann', '0.1', '59000', H26);
  assert.equal(order.stands, 'new 0/0.1');
  assert.equal(floor.amend('ann', order, { price: '58000' }), 'none');
  assert.equal(floor.cancel('ann', order), 'none');
});

test('case 106: ten minutes before delivery nothing new and nothing modified; a cancel works', () => {
  const floor = new DeliveryFloor().before('60000');
  const early = MARCH - 10 * MINUTE;
  floor.at(early - 1);
  const one = floor.buy('ann', '0.1', '59000', H26);
  const two = floor.buy('ann', '0.1', '59000', H26);
  floor.at(early);
  assert.equal(floor.buy('ann', '0.1', '59000', H26).rejectReason, 'deliveryNear');
  assert.equal(floor.amend('ann', one, { price: '58000' }), 'deliveryNear');
  assert.equal(floor.cancel('ann', one), 'none');
  assert.equal(two.stands, 'new 0/0.1');
});

test('case 107: at the very instant the exchange cancels what is left, a cancel comes too late', () => {
  const floor = new DeliveryFloor().before('60000');
  const order = floor.buy('ann', '0.1', '59000', H26);
  floor.at(MARCH - 1);
  assert.equal(order.stands, 'new 0/0.1');
  floor.now = MARCH;
  assert.equal(floor.cancel('ann', order), 'unknownOrder');
  assert.equal(order.stands, 'cancelled 0/0.1 delivery_order_cancel');
  assert.equal(floor.buy('ann', '0.1', '59000', H26).rejectReason, 'deliveryNear');
});

test('the worked example: a long of 1 at 95 000, settled at 96 500', () => {
  const floor = new DeliveryFloor().before('95000');
  floor.deal('ann', 'bob', '1', '95000', H26);
  assert.equal(floor.cash('ann', 'BTC'), '0.9994');
  floor.at(MARCH - HOUR - SECOND);
  floor.index('96500', 'BTCUSD');
  floor.at(MARCH);
  assert.deepEqual(floor.settledAt('ann'), ['delivery close 1 @ 96500 fee 0.0006 pnl 0.01554404']);
  assert.deepEqual(floor.settledAt('bob'), ['delivery close 1 @ 96500 fee 0.0006 pnl -0.01554405']);
  assert.equal(floor.cash('ann', 'BTC'), '1.01434404');
  // Rounding of the coin-margined profit belongs to the fund.
  assert.equal(floor.insurance('BTC'), '0.00000001');
  assert.equal(floor.house('sys:clearing', 'BTC'), '0');
});

test('case 143: a delivery is in no public fills, candles or ticker', () => {
  const floor = new DeliveryFloor().before('95000');
  floor.deal('ann', 'bob', '1', '95000', H26);
  const seen = () => [floor.publicFills(H26.on), floor.ticker(H26.on), floor.runningCandle('1D', H26.on)];
  const before = seen();
  floor.at(MARCH - HOUR - SECOND);
  floor.index('96500', 'BTCUSD');
  floor.at(MARCH);
  assert.equal(floor.settledAt('ann').length, 1);
  assert.deepEqual(seen(), before);
});

test('the price is the mean of 3 600 seconds', () => {
  const floor = new DeliveryFloor().before('60000');
  floor.deal('ann', 'bob', '0.1', '60000', H26);
  floor.at(MARCH - HOUR - SECOND);
  for (let n = 0; n < 3600; n++) floor.index(String(60_000 + n), 'BTCUSD');
  assert.equal(floor.now, MARCH - SECOND);
  // What is of the delivery instant itself does not count.
  floor.index('90000', 'BTCUSD');
  assert.match(floor.settledAt('ann')[0]!, /^delivery close 0.1 @ 61799.5 /);
});

test('seconds that nobody saw repeat the last index, also those right before delivery', () => {
  const floor = new DeliveryFloor().before('60000');
  floor.deal('ann', 'bob', '0.1', '60000', H26);
  floor.at(MARCH - 1801 * SECOND);
  floor.index('63600', 'BTCUSD');
  floor.at(MARCH);
  assert.match(floor.settledAt('ann')[0]!, /^delivery close 0.1 @ 61800 /);
});

test('case 108: without any sample in the hour the price is the last index before', () => {
  const floor = new DeliveryFloor().before('60000');
  floor.deal('ann', 'bob', '0.1', '60000', H26);
  floor.at(MARCH - HOUR - 2 * SECOND);
  floor.index('61000', 'BTCUSD');
  floor.at(MARCH);
  assert.match(floor.settledAt('ann')[0]!, /^delivery close 0.1 @ 61000 /);
});

test('the mean is rounded to the tick once', () => {
  const floor = new DeliveryFloor().before('60000');
  floor.deal('ann', 'bob', '0.1', '60000', H26);
  floor.at(MARCH - HOUR - SECOND);
  floor.index('60000.05', 'BTCUSD');
  floor.at(MARCH - 2 * SECOND);
  // A hair below the half: 60 000.05 less 10^-8 / 3 600.
  floor.index('60000.04999999', 'BTCUSD');
  floor.at(MARCH);
  assert.match(floor.settledAt('ann')[0]!, /^delivery close 0.1 @ 60000 /);
});

test('in the last hour the mark is the settlement to be expected', () => {
  const floor = new DeliveryFloor().before('96400');
  floor.at(MARCH - 1201 * SECOND);
  floor.index('96700', 'BTCUSD');
  const instrument = floor.instrument(H26.on);
  assert.equal(priceText(instrument, floor.state.market(instrument).futures!.markTicks), '96500');
});

test('isolated holders get back their margin with what it earned or lost', () => {
  const floor = new DeliveryFloor().before('60000');
  for (const name of ['ann', 'bob']) {
    floor.isolate(name, H26.on);
    floor.leverage(name, 10, H26.on);
  }
  floor.deal('ann', 'bob', '1', '60000', H26);
  assert.equal(floor.isolatedMargin('bob', 'BTC'), '0.1');
  floor.at(MARCH - HOUR - 2 * SECOND);
  floor.index('61000', 'BTCUSD');
  floor.at(MARCH);
  assert.deepEqual(floor.settledAt('ann'), ['delivery close 1 @ 61000 fee 0.0006 pnl 0.01639344']);
  assert.deepEqual(floor.told('ann', 'marginRemoved'), ['marginRemoved 0.11579344 fee 0 BTC = 1.01519344']);
  assert.equal(floor.cash('ann', 'BTC'), '1.01519344');
  assert.equal(floor.cash('bob', 'BTC'), '0.98280655');
  for (const name of ['ann', 'bob']) assert.equal(floor.isolatedMargin(name, 'BTC'), '0');
});

test('an isolated position that ends with nothing is closed once', () => {
  const floor = new DeliveryFloor().before('60000');
  floor.stakeAtHighest('ann');
  floor.deal('bob', 'ann', '1', '60000', H26);
  assert.equal(floor.addMargin('ann', '0.01460489', H26), 'none');
  floor.surprise();
  assert.equal(floor.isolatedMargin('ann', 'BTC'), '0');
  assert.equal(floor.eventsOf('positionClosed').filter(({ uid }) => uid === floor.uid('ann')).length, 1);
});

test('an isolated shortage is paid by the fund, then by the winners', () => {
  const floor = new DeliveryFloor({ ann: '0.01', bob: '1', cat: '1' }).before('60000');
  floor.stakeAtHighest('ann');
  floor.insure('0.01', 'BTC');
  floor.sell('ann', '1', '60000', H26);
  floor.buy('bob', '0.75', '60000', H26);
  floor.buy('cat', '0.25', '60000', H26);
  const kept = floor.cash('ann', 'BTC');
  floor.surprise();
  assert.deepEqual(floor.settledAt('ann'), ['delivery close 1 @ 61350 fee 0.0006 pnl -0.02200489']);
  // 0.008 - 0.02200489 - 0.0006: the fund has 0.01 of it, the winners give three and one quarter of the rest.
  assert.deepEqual(floor.lines('ann').slice(-2), [
    'liquidation 0.01460489 fee 0 BTC = 0.01640489',
    `marginAdded -0.01460489 fee 0 BTC = ${kept}`,
  ]);
  assert.equal(floor.cash('ann', 'BTC'), kept);
  const shares = ['bob', 'cat'].map((name) => floor.told(name, 'liquidation')[0]!.split(' ')[1]);
  assert.deepEqual(shares, ['-0.00345367', '-0.00115123']);
  // Rounding: a hundred millionth of the shares, and what the profits left in clearing.
  assert.equal(floor.house('sys:clearing', 'BTC'), '0');
  assert.equal(floor.insurance('BTC'), '0.00000002');
});

test('nobody in profit and an empty fund: the loss stays with the loser', () => {
  const floor = new DeliveryFloor({ ann: '0.01', bob: '1', cat: '1' }).before('60000');
  floor.stakeAtHighest('ann');
  floor.deal('bob', 'ann', '1', '60000', H26);
  const kept = floor.cash('ann', 'BTC');
  // Bob leaves with his profit before; cat loses a little.
  floor.deal('cat', 'bob', '1', '61400', H26);
  floor.surprise();
  assert.match(floor.settledAt('cat')[0]!, /pnl -0.000815/);
  assert.equal(moneyUnits(floor.cash('ann', 'BTC')), moneyUnits(kept) - moneyUnits('0.01460489'));
  assert.ok(floor.cash('ann', 'BTC').startsWith('-'));
  assert.deepEqual(floor.told('ann', 'liquidation'), []);
  assert.equal(floor.isolatedMargin('ann', 'BTC'), '0');
});

test('winners give no more than they won; the rest stays with the loser', () => {
  const floor = new DeliveryFloor({ ann: '0.01', bob: '1', cat: '1' }).before('60000');
  floor.stakeAtHighest('ann');
  floor.deal('bob', 'ann', '1', '60000', H26);
  const kept = floor.cash('ann', 'BTC');
  floor.deal('cat', 'bob', '0.9', '61400', H26);
  const before = floor.cash('bob', 'BTC');
  floor.surprise();
  assert.deepEqual(floor.settledAt('bob'), ['delivery close 0.1 @ 61350 fee 0.00006 pnl 0.00220048']);
  assert.equal(floor.cash('bob', 'BTC'), before);
  const unpaid = moneyUnits('0.01460489') - moneyUnits('0.00214048');
  assert.equal(moneyUnits(floor.cash('ann', 'BTC')), moneyUnits(kept) - unpaid);
});

test('a crossed loser without anything left is paid for as well', () => {
  const floor = new DeliveryFloor({ ann: '0.0125', bob: '1' }).before('60000');
  floor.leverage('ann', 125, H26.on);
  floor.insure('0.001', 'BTC');
  floor.deal('bob', 'ann', '1', '60000', H26);
  const lacking = moneyUnits('0.02200489') + moneyUnits('0.0006') - moneyUnits(floor.cash('ann', 'BTC'));
  floor.surprise();
  assert.equal(floor.cash('ann', 'BTC'), '0');
  const share = moneyUnits(floor.told('bob', 'liquidation')[0]!.split(' ')[1]!);
  assert.equal(-share, lacking - moneyUnits('0.001'));
});

test('a crossed loser pays with its other coins before the fund does', () => {
  const floor = new DeliveryFloor({ ann: '0.0125', bob: '1' }).before('60000');
  floor.deposit('ann', '5', 'USDT');
  floor.leverage('ann', 125, H26.on);
  floor.insure('1', 'BTC');
  floor.deal('bob', 'ann', '1', '60000', H26);
  const due = moneyUnits(floor.cash('ann', 'BTC')) - moneyUnits('0.02200489') - moneyUnits('0.0006');
  floor.surprise();
  assert.ok(due < 0n);
  assert.equal(floor.cash('ann', 'USDT'), '0');
  assert.equal(floor.cash('ann', 'BTC'), '0');
  assert.ok(moneyUnits(floor.insurance('BTC')) > moneyUnits('1') + due);
  assert.deepEqual(floor.told('bob', 'liquidation'), []);
});

test('both sides of a hedge are settled, and only what they won together counts', () => {
  const floor = new DeliveryFloor({ ann: '0.01', bob: '1', cat: '1' }).before('60000');
  floor.stakeAtHighest('ann');
  floor.holdMode('bob', 'hedge_mode');
  floor.sell('ann', '1', '60000', H26);
  floor.buy('bob', '1', '60000', { ...H26, posSide: 'long' });
  floor.buy('cat', '1', '60000', H26);
  floor.sell('bob', '1', '60000', { ...H26, posSide: 'short' });
  const before = moneyUnits(floor.cash('bob', 'BTC'));
  floor.surprise();
  assert.equal(floor.settledAt('bob').length, 2);
  // Profit and loss differ by the rounding; the fees are all that bob pays.
  assert.equal(moneyUnits(floor.cash('bob', 'BTC')), before - moneyUnits('0.0012') - 1n);
  assert.deepEqual(floor.told('bob', 'liquidation'), []);
  assert.equal(floor.told('cat', 'liquidation').length, 1);
});

test('afterwards the contract is offline and empty (I42), and the quarters have moved along', () => {
  const floor = new DeliveryFloor().before('60000');
  floor.deal('ann', 'bob', '1', '60000', H26);
  floor.buy('cat', '0.1', '59000', H26);
  const later = floor.buy('cat', '0.1', '59000', { on: 'BTCUSDM26' });
  floor.deal('ann', 'bob', '0.5', '60000', { on: 'BTCUSDM26' });
  floor.at(MARCH);
  assert.equal(floor.status('BTCUSDH26'), 'offline');
  for (const name of ['ann', 'bob']) assert.equal(floor.position(name, H26), 'none');
  assert.deepEqual(floor.depth('BTCUSDH26'), { asks: [], bids: [] });
  assert.deepEqual(floor.openOrders('cat'), [later.orderId]);
  assert.equal(floor.position('ann', { on: 'BTCUSDM26' }), 'long 0.5 @ 60000');

  const terms = (symbol: string) => {
    const { futures } = floor.instrument(symbol).spec;
    return [futures!.deliveryPeriod, Number(futures!.deliveryTime), floor.status(symbol)];
  };
  assert.deepEqual(terms('BTCUSDM26'), ['this_quarter', JUNE, 'online']);
  assert.deepEqual(terms('BTCUSDU26'), ['next_quarter', SEPTEMBER, 'online']);
  assert.equal(floor.instrument('BTCUSDU26').spec.futures!.deliveryStartTime, String(MARCH));
  floor.index('60001', 'BTCUSD');
  assert.equal(floor.buy('cat', '0.1', '59000', { on: 'BTCUSDU26' }).stands, 'new 0/0.1');

  floor.restart();
  floor.at(JUNE);
  assert.equal(floor.status('BTCUSDM26'), 'offline');
  assert.equal(floor.position('ann', { on: 'BTCUSDM26' }), 'none');
  assert.deepEqual(terms('BTCUSDU26'), ['this_quarter', SEPTEMBER, 'online']);
  assert.deepEqual(terms('BTCUSDZ26'), ['next_quarter', DECEMBER, 'online']);
});

test('a quarter of the first edition is succeeded on its terms, although its fees would not be listed any more (rules 13.12)', () => {
  const floor = new DeliveryFloor({});
  const paying = { makerFeeRate: '-0.0003', takerFeeRate: '0.0002' };
  const ether = { ...paying, baseCoin: 'ETH' };
  floor.list({ ...quarter('ETHUSDH26', 'this_quarter', MARCH), ...ether });
  floor.send({ type: 'setEdition', time: floor.now, edition: 2 });
  const refused = floor.send({
    type: 'listInstrument',
    time: floor.now,
    spec: { ...quarter('ETHUSDZ26', 'next_quarter', DECEMBER), ...ether },
  });
  assert.match(refused.detail!, /must not sum below zero/);
  floor.at(MARCH);
  assert.equal(floor.status('ETHUSDM26'), 'online');
});

test('a replay, and a snapshot before any command with the rest, give the same state and events', () => {
  const floor = new DeliveryFloor({ ann: '0.01', bob: '1', cat: '1' }).before('60000');
  floor.stakeAtHighest('ann');
  floor.deal('bob', 'ann', '1', '60000', H26);
  floor.deal('cat', 'bob', '0.5', '61400', H26);
  floor.buy('cat', '0.1', '59000', H26);
  floor.at(MARCH - HOUR);
  floor.at(MARCH - 30 * MINUTE);
  floor.surprise();
  floor.index('60000', 'BTCUSD');
  assertRestartAnywhere(floor);
});

test('a contract that the operator switches off before its day is settled then, at the mark, and never delivered', () => {
  const floor = new DeliveryFloor().before('60000');
  floor.deal('ann', 'bob', '1', '60000', H26);
  floor.setStatus('offline', H26.on, 'COIN-FUTURES');
  assert.equal(floor.position('ann', H26), 'none');
  assert.match(floor.executions('ann').at(-1)!, /^delisting close 1 @ 60000 fee 0 pnl 0$/);
  floor.at(MARCH);
  assert.deepEqual(floor.settledAt('ann'), []);
  assert.equal(floor.status(H26.on), 'offline');
});

test('what has been delivered stays offline: its status cannot be changed any more', () => {
  const floor = new DeliveryFloor().before('60000');
  floor.at(MARCH);
  const instrument = floor.instrument(H26.on).index;
  const outcome = floor.send({ type: 'setInstrumentStatus', time: floor.now, instrument, status: 'online' });
  assert.equal(refusalName(outcome.rejectReason), 'instrumentOffline');
  assert.match(outcome.detail!, /has been delivered/);
  assert.equal(floor.status(H26.on), 'offline');
});

test('at the instant of delivery a contract is settled before anybody is liquidated on it (rules 9.4)', () => {
  const floor = new DeliveryFloor().before('60000');
  floor.stakeAtHighest('ann');
  floor.deal('ann', 'bob', '1', '60000', H26);
  // The last second before T sees a price that would liquidate; the mean of the hour barely moves.
  floor.at(MARCH - 1);
  floor.report('57000', MARCH - 1);
  floor.at(MARCH);
  assert.equal(floor.settledAt('ann').length, 1);
  assert.ok(!floor.executions('ann').some((line) => line.startsWith('liquidation')));
});
