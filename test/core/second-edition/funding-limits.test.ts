/** Funding by backed orders, within what margins bear, and paid by isolated positions too (rules 13.8). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { formatRate, parseUnits } from '../../../src/core/model/units.ts';
import { money, moneyUnits, refusalName } from '../dsl/words.ts';
import { BTC_PERPETUAL } from '../futures/futures-floor.ts';
import { PriceFloor } from './price-floor.ts';

const HOUR = 3_600_000;
const RICH = { USDT: '10000000' };

function rated(min: string, max: string, hours = '8'): InstrumentSpec {
  const futures = {
    ...BTC_PERPETUAL.futures!,
    minFundingRate: min,
    maxFundingRate: max,
    fundInterval: hours,
  };
  return { ...BTC_PERPETUAL, futures };
}

class FundingFloor extends PriceFloor {
  get futures() {
    return this.state.market(this.instrument()).futures!;
  }

  get rate(): string {
    return formatRate(this.futures.rate);
  }

  /** On to the next settlement, with a price that was just told. */
  toFunding(price: string): void {
    const next = this.futures.nextFunding;
    this.at(next - 2000);
    this.tell(price, 'BTCUSDT', 'ops');
    this.at(next - 1000);
    this.at(next);
  }

  owed(name: string): string {
    const account = this.state.accountByUid.get(this.uid(name))!;
    return money([...account.positions.values()][0]?.fundingOwed ?? 0n);
  }
}

/** `ann` is long 2 BTC isolated at 100x from 60 000, the mark is 63 000, funding 0.003; so much cash is left to her. */
function rider(cash: string, without: readonly SecondEditionRule[] = []) {
  const floor = new FundingFloor(rated('0.003', '0.003'), without, []);
  floor.trader('ann', { USDT: '3000' });
  for (const name of ['bob', 'cat']) floor.trader(name, RICH);
  floor.isolate('ann');
  floor.leverage('ann', 100);
  floor.deal('ann', 'bob', '2', '60000');
  // Margin 1 200, fee 72: the rest but for what the example leaves goes to the other wallet.
  floor.transfer('ann uta', 'ann spot', String(3000 - 1272 - Number(cash)), 'USDT');
  floor.index('63000');
  floor.wait(60_000);
  return floor;
}

test('R8: the example of rules 13.8 with cash: 378 from cash each time', () => {
  const floor = rider('1000');
  floor.toFunding('63000');
  floor.toFunding('63000');
  assert.equal(floor.cash('ann', 'USDT'), '244');
  assert.equal(floor.position('ann'), 'long 2 @ 60000 iso 1200');
});

test('R8 (c): the example of rules 13.8: an isolated payer without cash pays from its margin, then owes, and is liquidated by what it owes', () => {
  const floor = rider('0');
  const seen: string[] = [];
  for (let n = 1; n <= 4; n++) {
    floor.toFunding('63000');
    seen.push(`${floor.position('ann')} owes ${floor.owed('ann')}`);
  }
  assert.deepEqual(seen, [
    'long 2 @ 60000 iso 822 owes 0',
    'long 2 @ 60000 iso 444 owes 0',
    'long 2 @ 60000 iso 66 owes 0',
    'long 2 @ 60000 iso 0 owes 312',
  ]);
  const before = floor.image();
  floor.restart();
  assert.deepEqual(floor.image(), before);
  for (let n = 5; n <= 17; n++) floor.toFunding('63000');
  // 6 000 - 5 226 = 774 are more than the 579.6 that it must keep.
  assert.equal(`${floor.position('ann')} owes ${floor.owed('ann')}`, 'long 2 @ 60000 iso 0 owes 5226');
  floor.toFunding('63000');
  assert.equal(floor.position('ann'), 'none');
});

test('R8 (c): a close pays what is owed first, after its fee, to the fund', () => {
  const floor = rider('0');
  for (let n = 1; n <= 6; n++) floor.toFunding('63000');
  assert.equal(floor.owed('ann'), '1068');
  const fund = moneyUnits(floor.insurance());
  floor.buy('cat', '2', '63000');
  // A tenth releases 600 of profit; 7.56 are its fee.
  assert.equal(floor.marketOrder('ann', 'sell', '0.2', { reduceOnly: true }).stands, 'filled 0.2/0.2');
  assert.equal(floor.cash('ann', 'USDT'), '0');
  assert.equal(floor.owed('ann'), '475.56');
  assert.equal(money(moneyUnits(floor.insurance()) - fund), '592.44');
  floor.marketOrder('ann', 'sell', '1.8', { reduceOnly: true });
  assert.equal(floor.position('ann'), 'none');
  assert.equal(
    floor.cash('ann', 'USDT'),
    money(moneyUnits('5400') - moneyUnits('68.04') - moneyUnits('475.56')),
  );
});

test('R8 (c): who closes all of it at a bad price pays the rest of what is owed with the cash he has', () => {
  const floor = rider('0');
  for (let n = 1; n <= 6; n++) floor.toFunding('63000');
  floor.deposit('ann', '500', 'USDT');
  const fund = moneyUnits(floor.insurance());
  floor.buy('cat', '2', '60100');
  // 200 of profit, 72.12 of fee, 1 068 owed: 440.12 would be left unpaid.
  const closes = () => floor.marketOrder('ann', 'sell', '2', { reduceOnly: true }).stands;
  assert.equal(closes(), 'cancelled 0/2 slippage_cancel');
  floor.deposit('ann', '500', 'USDT');
  assert.equal(closes(), 'filled 2/2');
  assert.equal(floor.cash('ann', 'USDT'), '59.88');
  assert.equal(money(moneyUnits(floor.insurance()) - fund), '1068');
});

test('R8 (c): margin is not removed while funding is owed (25203)', () => {
  const floor = rider('0');
  for (let n = 1; n <= 4; n++) floor.toFunding('63000');
  floor.deposit('ann', '3000', 'USDT');
  assert.equal(floor.addMargin('ann', '2999'), 'none');
  assert.equal(floor.addMargin('ann', '-1'), 'marginTooLow');
});

test('R8 (c): a move carries what is owed; a crossed receiver pays it at once', () => {
  for (const crossed of [false, true]) {
    const floor = rider('0');
    floor.trader('ann 2', { USDT: '100000' }, { master: 'ann' });
    if (!crossed) floor.isolate('ann 2');
    floor.leverage('ann 2', 20);
    for (let n = 1; n <= 5; n++) floor.toFunding('63000');
    assert.equal(floor.owed('ann'), '690');
    floor.index('63000');
    assert.deepEqual(floor.move('ann', 'ann', 'ann 2', { side: 'sell', qty: '1' }), ['none']);
    // Half of it went along; the profit of the other half pays what stayed.
    assert.equal(floor.owed('ann'), '0');
    assert.equal(floor.cash('ann', 'USDT'), '2655');
    assert.equal(floor.owed('ann 2'), crossed ? '0' : '345');
    assert.equal(floor.cash('ann 2', 'USDT'), crossed ? '99655' : '96850');
  }
});

/** A maker around the index, and `max` who bids for funding. */
function quoted(without: readonly SecondEditionRule[] = [], spec = rated('-0.003', '0.003')) {
  const floor = new FundingFloor(spec, without, []);
  floor.trader('mia', RICH, { marketMaker: true });
  for (const name of ['max', 'moe', 'sue']) floor.trader(name, RICH);
  return floor;
}

test('R8 (a): a premium needs backed orders on both sides, no farther apart than 1 %', () => {
  const floor = quoted();
  floor.buy('max', '5', '62000');
  floor.seconds(60);
  assert.equal(formatRate(floor.futures.premium.last), '0');
  floor.cancelAll('max', { category: 'USDT-FUTURES' });
  floor.buy('mia', '5', '60600');
  floor.seconds(60);
  assert.equal(formatRate(floor.futures.premium.last), '0');
  const ask = floor.sell('mia', '5', '60610');
  floor.seconds(60);
  assert.equal(formatRate(floor.futures.premium.last), '0.01');
  floor.amend('mia', ask, { price: '61300' });
  floor.seconds(60);
  assert.equal(formatRate(floor.futures.premium.last), '0');
  // All four minutes are counted: 3 of 1 + 2 + 3 + 4.
  assert.equal(formatRate(floor.futures.premium.average()), '0.003');
});

test('R8 (b): one settlement takes no more than three quarters of what the highest leverage leaves', () => {
  const bounds = (spec: InstrumentSpec) => {
    const { minFundingRate, maxFundingRate } = new FundingFloor(spec, [], []).futures.bounds;
    return [formatRate(minFundingRate), formatRate(maxFundingRate)];
  };
  assert.deepEqual(bounds(rated('-0.01', '0.01')), ['-0.003', '0.003']);
  const fifty = rated('-0.01', '0.005');
  const tiers = [{ upTo: '1000000', maxLeverage: '50', mmr: '0.01' }];
  assert.deepEqual(bounds({ ...fifty, futures: { ...fifty.futures!, maxLeverage: '50', tiers } }), [
    '-0.0075',
    '0.005',
  ]);
});

test('R8 (b): a listing whose maintenance eats the highest leverage is refused', () => {
  const floor = quoted();
  const spec = rated('-0.003', '0.003');
  const tiers = [{ upTo: '1000000', maxLeverage: '125', mmr: '0.008' }];
  const listing = { ...spec, symbol: 'BTC2USDT', futures: { ...spec.futures!, tiers } };
  const outcome = floor.send({ type: 'listInstrument', time: floor.now, spec: listing });
  assert.equal(refusalName(outcome.rejectReason), 'invalidSpecification');
});

test('R8 (d): three settlements in a row at the limit halve the interval; a quiet day brings it back', () => {
  const floor = quoted();
  const bid = floor.buy('mia', '5', '62000');
  const ask = floor.sell('mia', '5', '62010');
  const hours: number[] = [];
  const next = () => {
    floor.toFunding('60000');
    hours.push(floor.futures.interval.ms / HOUR);
  };
  for (let n = 0; n < 3; n++) next();
  assert.deepEqual(hours, [8, 8, 4]);
  assert.equal(floor.futures.nextFunding, floor.now + 4 * HOUR);
  // By the minute: premiums are taken only while the index is told, so the settlement of an empty interval is not at the limit.
  floor.cancel('mia', bid);
  floor.cancel('mia', ask);
  hours.length = 0;
  for (let n = 0; n < 6; n++) next();
  assert.equal(hours.at(-2), 4);
  assert.equal(hours.at(-1), 8);
});

/** `max` bids where nobody sells and collects funding from everybody else. */
function theft(without: readonly SecondEditionRule[]) {
  const floor = quoted(without);
  floor.deal('sue', 'max', '10', '60000');
  floor.buy('moe', '5', '62900');
  for (let n = 0; n < 5; n++) floor.seconds(60);
  floor.toFunding('60000');
  const gain = (name: string) => floor.worth(name, '60000') - parseUnits('10000000', 8)!;
  return gain('max') + gain('moe');
}

test('R8: one unfilled bid drew funding at its cap from a stranger; now it draws the ordinary rate', () => {
  // Of 1 800 at the cap, less 120 of fees.
  assert.ok(theft(['fundingLimits']) > moneyUnits('1600'));
  assert.ok(theft([]) <= 0n, String(theft([])));
});

test('R8: an isolated position without cash rode free of funding; now it pays or owes all of it', () => {
  const paid = (floor: FundingFloor) => {
    for (let n = 1; n <= 6; n++) floor.toFunding('63000');
    const position = [...floor.state.accountByUid.get(floor.uid('ann'))!.positions.values()][0]!;
    return money(position.fundingOwed - position.funding);
  };
  // 6 x 378 are due.
  assert.equal(paid(rider('0', ['fundingLimits'])), '620.4');
  assert.equal(paid(rider('0')), '2268');
});

test('R8 (c): who owes funding does not hand the rest of a position to a friend', () => {
  const floor = rider('0');
  for (let n = 0; n < 15; n++) floor.toFunding('63000');
  assert.equal(floor.owed('ann'), '4470');
  // At bankruptcy nothing would be released, and nothing paid: the limit of her own close leaves what is owed.
  floor.buy('cat', '2', '60036.1');
  const close = floor.sell('ann', '2', '60036.1', { reduceOnly: true });
  assert.match(close.stands, /^refused sellBeyondBankruptcy/);
  assert.equal(floor.owed('ann'), '4470');
});

test('R8 (c): funding that is owed counts once against a fill that opens', () => {
  const floor = rider('0');
  for (let n = 0; n < 11; n++) floor.toFunding('63000');
  floor.transfer('ann spot', 'ann uta', '100', 'USDT');
  // 6 000 of profit less 2 958 owed is far above the 580 that must be kept; twice the debt would not be.
  assert.equal(floor.owed('ann'), '2958');
  const more = floor.buy('ann', '0.001', '62990');
  floor.sell('cat', '0.001', '62990');
  assert.equal(more.stands, 'filled 0.001/0.001');
});
