/** Fees and interest of the second edition (rules 13.10): nobody is paid for trading with itself. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import { parseUnits, RATE_SCALE } from '../../../src/core/model/units.ts';
import { loadState, saveState } from '../../../src/core/snapshot/snapshot.ts';
import { MARGIN, MarginFloor, TERMS, USDT_TERMS } from '../borrowing/margin-floor.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { moneyUnits, refusalName } from '../dsl/words.ts';
import { futuresFloor } from '../futures/futures-floor.ts';
import { BTCUSDT, COINS, INSTRUMENTS } from '../listings.ts';
import { openFloor, PLENTY, TradingFloor } from '../trading-floor.ts';
import { enterRule } from './one-rule.ts';

const OLD = undefined;
const NEW: SecondEditionRule = 'feeFloors';

const HOUR = 3_600_000;
const at = (hour: number, minute: number) => OPENING_BELL + hour * HOUR + minute * 60_000;

/** What the operator is told when these rates are asked for. */
function asked(floor: TradingFloor, name: string, makerRate: string, takerRate: string): string {
  const outcome = floor.send({
    type: 'setFees',
    time: floor.now,
    uid: floor.uid(name),
    instrument: floor.instrument().index,
    makerRate: parseUnits(makerRate, RATE_SCALE)!,
    takerRate: parseUnits(takerRate, RATE_SCALE)!,
  });
  return refusalName(outcome.rejectReason);
}

test('R10 (a): the example of rules 13.10: a maker rate of -0.03 % beside a taker rate of 0.02 % is refused, whoever has which', () => {
  const floor = enterRule(openFloor('maker', 'vip', 'ann'), NEW);
  equal(asked(floor, 'vip', '0', '0.0002'), 'none');
  equal(asked(floor, 'maker', '-0.0003', '0.001'), 'invalidSpecification');
  equal(asked(floor, 'maker', '-0.0002', '0.001'), 'none');
  equal(asked(floor, 'vip', '0', '0.0001'), 'invalidSpecification');
  equal(asked(floor, 'ann', '0', '-0.0001'), 'invalidSpecification');
  equal(asked(floor, 'ann', '-0.0001', '0.00015'), 'invalidSpecification');
});

test('R10 (a): house accounts do not count, but no taker is paid', () => {
  const floor = enterRule(openFloor('ann'), NEW);
  floor.trader('desk', PLENTY, { house: true });
  equal(asked(floor, 'desk', '-0.05', '0'), 'none');
  equal(asked(floor, 'ann', '-0.001', '0.002'), 'none');
  equal(asked(floor, 'desk', '0', '-0.0001'), 'invalidSpecification');
});

test('R10 (a): SPOT and MARGIN share a book, and a listing is looked at with the accounts of its twin', () => {
  const [spot, margin] = [INSTRUMENTS[0], INSTRUMENTS[4]];
  const floor = enterRule(new TradingFloor([spot]), NEW);
  floor.trader('maker', PLENTY);
  equal(asked(floor, 'maker', '-0.001', '0.001'), 'none');
  const list = (makerFeeRate: string, takerFeeRate: string) =>
    refusalName(
      floor.send({ type: 'listInstrument', time: floor.now, spec: { ...margin, makerFeeRate, takerFeeRate } })
        .rejectReason,
    );
  equal(list('0', '0.0009'), 'invalidSpecification');
  equal(list('-0.002', '0.001'), 'invalidSpecification');
  equal(list('0', '-0.001'), 'invalidSpecification');
  equal(list('-0.001', '0.001'), 'none');
});

test('R10 (a): a table of the first edition stays and is mended rate by rate', () => {
  const floor = openFloor('one', 'two', 'vip');
  equal(asked(floor, 'one', '-0.003', '0.001'), 'none');
  equal(asked(floor, 'two', '-0.003', '0.001'), 'none');
  enterRule(floor, NEW);
  equal(asked(floor, 'one', '-0.004', '0.001'), 'invalidSpecification');
  equal(asked(floor, 'one', '-0.003', '0.0005'), 'invalidSpecification');
  equal(asked(floor, 'one', '-0.002', '0.001'), 'none');
  equal(asked(floor, 'one', '-0.001', '0.001'), 'none');
  equal(asked(floor, 'two', '0', '0.001'), 'none');
});

/** Ann and bob have rates that pay a trade between them, and wash 1 BTC ten times. What they gain, in USDT. */
function washSpot(rule: SecondEditionRule | undefined): string {
  const floor = openFloor('ann', 'bob');
  floor.setFees('ann', '-0.0003', '0.001');
  floor.setFees('bob', '0', '0.0002');
  enterRule(floor, rule);
  for (let n = 0; n < 10; n++) {
    floor.buy('ann', '1', '60000');
    floor.sell('bob', '1', '60000');
    floor.sell('ann', '1', '60000');
    floor.buy('bob', '1', '60000');
  }
  const gain = (coin: string) => moneyUnits(floor.cash('ann', coin)) + moneyUnits(floor.cash('bob', coin));
  const usdt = gain('USDT') - moneyUnits('20000000');
  const btc = gain('BTC') - moneyUnits('200');
  return String(usdt + btc * 60000n);
}

test('R10 (b): wash trades on a table below zero paid the two sides, and pay nothing now', () => {
  // Each pair of trades: rebates of 0.0003 BTC and 18 USDT for fees of 12 USDT and 0.0002 BTC.
  equal(washSpot(OLD), String(moneyUnits('120')));
  equal(washSpot(NEW), '0');
});

test('R10 (b): on futures the rebate is the taker’s fee at most, and sys:fee does not fall', () => {
  for (const [rule, fee] of [
    [OLD, '-6'],
    [NEW, '0'],
  ] as const) {
    const floor = futuresFloor('1000000', 'ann', 'bob');
    floor.setFees('ann', '-0.0003', '0.0006');
    floor.setFees('bob', '0', '0.0002');
    enterRule(floor, rule);
    floor.deal('bob', 'ann', '1', '60000');
    equal(floor.house('sys:fee', 'USDT'), fee);
  }
});

test('R10 (b): a maker whose fill turns its position gets the taker’s fee once for both parts', () => {
  const floor = futuresFloor('1000000', 'ann', 'bob', 'eve');
  floor.setFees('ann', '-0.0003', '0.0006');
  floor.setFees('bob', '0', '0.0002');
  floor.deal('ann', 'eve', '1', '60000');
  enterRule(floor, NEW);
  const before = floor.house('sys:fee', 'USDT');
  floor.deal('bob', 'ann', '3', '60000');
  equal(floor.position('ann'), 'short 2 @ 60000');
  equal(floor.house('sys:fee', 'USDT'), before);
  deepEqual(
    floor
      .fillsOf('ann')
      .slice(1)
      .map(({ fee }) => fee),
    [-moneyUnits('18'), -moneyUnits('18')],
  );
});

test('R10 (b): a house taker without a fee earns the maker no rebate', () => {
  const floor = futuresFloor('1000000', 'ann');
  floor.trader('desk', { USDT: '1000000' }, { house: true });
  enterRule(floor, NEW);
  floor.setFees('ann', '-0.0003', '0.0006');
  floor.setFees('desk', '0', '0');
  floor.sell('ann', '1', '60000');
  floor.buy('desk', '1', '60000');
  equal(floor.position('ann'), 'short 1 @ 60000');
  equal(floor.house('sys:fee', 'USDT'), '0');
  equal(floor.cash('ann', 'USDT'), '1000000');
});

test('R10 (b): a broker has a share of what the rebate leaves of a fee', () => {
  const floor = futuresFloor('1000000', 'acme', 'ann');
  floor.trader('desk', { USDT: '1000000' }, { master: 'acme' });
  floor.send({ type: 'setCommission', time: floor.now, uid: floor.uid('acme'), rate: 10n ** 12n });
  enterRule(floor, NEW);
  floor.setFees('ann', '-0.0004', '0.0006');
  floor.deal('desk', 'ann', '1', '60000');
  // 36 paid, 24 given to ann, the rest to the broker.
  equal(floor.funding('acme', 'USDT'), '12');
  equal(floor.house('sys:fee', 'USDT'), '0');
});

/** A pair with an index, so that two friends may trade away from it. */
function indexedFloor(): TradingFloor {
  const floor = new TradingFloor(
    [{ ...BTCUSDT, indexComponents: [{ exchange: 'elsewhere', spotPair: 'BTC/USDT', weight: '1' }] }],
    COINS,
  );
  for (const name of ['ann', 'bob']) floor.trader(name, PLENTY);
  tell(floor, '60000');
  return floor;
}

function tell(floor: TradingFloor, price: string): void {
  const units = moneyUnits(price);
  floor.send({ type: 'componentPrice', time: floor.now, index: 0, component: 0, price: units, volume: 0n });
  floor.wait(1000);
}

test('R10 (b): on spot the fee counts at the lower of price and index, or buys base at the higher', () => {
  const floor = indexedFloor();
  floor.setFees('ann', '-0.001', '0.001');
  enterRule(floor, NEW);
  // Bob pays 0.001 BTC for a purchase at 63 000. At the index that is 60 USDT, and ann wants 63.
  floor.sell('ann', '1', '63000');
  floor.buy('bob', '1', '63000');
  equal(floor.fillsOf('ann').at(-1)!.fee, -moneyUnits('60'));
  equal(floor.fillsOf('bob').at(-1)!.fee, moneyUnits('0.001'));
  // Bob pays 57 USDT for a sale at 57 000. At the index that is 0.00095 BTC, and ann wants 0.001.
  tell(floor, '60000.01');
  tell(floor, '60000');
  floor.buy('ann', '1', '59850');
  floor.sell('bob', '1', '59850');
  equal(floor.fillsOf('ann').at(-1)!.fee, -moneyUnits('0.0009975'));
});

test('R10 (c): the example of rules 13.10: a fee below 10^-6 of the coin is rounded up, a larger one cut off', () => {
  for (const [rule, fee] of [
    [OLD, '0.00000001'],
    [NEW, '0.00000002'],
  ] as const) {
    const floor = enterRule(openFloor('ann', 'bob'), rule);
    floor.sell('bob', '0.000019', '60000');
    equal(floor.buy('ann', '0.000019', '60000').fee, fee);
  }
  const floor = new TradingFloor();
  for (const name of ['ann', 'bob']) floor.trader(name, PLENTY);
  floor.setFees('ann', '0.001', '0.000531168');
  enterRule(floor, NEW);
  floor.sell('bob', '0.01', '60000');
  // 0.00000531168: not small.
  equal(floor.buy('ann', '0.01', '60000').fee, '0.00000531');
});

test('R10 (c): a purchase in pieces whose fees were cut off to nothing costs what one piece does', () => {
  const paid = (rule: SecondEditionRule | undefined) => {
    const floor = openFloor('ann', 'bob');
    floor.setFees('ann', '0', '0.0001');
    enterRule(floor, rule);
    floor.sell('bob', '1', '60000');
    for (let n = 0; n < 50; n++) floor.buy('ann', '0.000099', '60000');
    return floor.fillsOf('ann').reduce((sum, { fee }) => sum + fee, 0n);
  };
  equal(paid(OLD), 0n);
  equal(paid(NEW), 50n);
});

test('R10 (d): the reference of the spot band is held within the index', () => {
  const drive = (rule: SecondEditionRule | undefined) => {
    const floor = enterRule(indexedFloor(), rule);
    // Two friends walk the last price up, each step at the end of the band.
    const steps: string[] = [];
    for (const price of ['63000', '66150', '69457.5', '70000']) {
      floor.sell('ann', '0.001', price);
      steps.push(floor.buy('bob', '0.001', price).stands);
    }
    return { floor, steps };
  };
  deepEqual(drive(OLD).steps.at(-1), 'filled 0.001/0.001');
  const { floor, steps } = drive(NEW);
  deepEqual(steps, [
    'filled 0.001/0.001',
    'filled 0.001/0.001',
    'refused buyAboveBand',
    'refused buyAboveBand',
  ]);
  floor.cancelAll('ann');
  // The last trade is 66 150, the reference 63 000: sells go from 59 850.
  equal(floor.sell('ann', '0.001', '59849.99').stands, 'refused sellBelowBand');
  equal(floor.sell('ann', '0.001', '59850').stands, 'new 0/0.001');
});

test('R10 (d): the example of rules 13.10: last 70 000, index 60 000: buys to 66 150, sells from 59 850; the last trade alone when the index is stale', () => {
  const floor = indexedFloor();
  for (const price of ['63000', '66150', '69457.5', '70000']) floor.printPrice(price);
  enterRule(floor, NEW);
  equal(floor.buy('ann', '0.001', '66150').stands, 'new 0/0.001');
  equal(floor.buy('ann', '0.001', '66150.01').stands, 'refused buyAboveBand');
  equal(floor.sell('bob', '0.001', '59849.99').stands, 'refused sellBelowBand');
  floor.wait(16 * 60_000);
  equal(floor.buy('ann', '0.001', '73500').stands, 'new 0/0.001');
});

/** Ann owes 1 000 USDT from 10:01 to 10:59, at 8.76 % a year. */
function owedBetweenHours(rule: SecondEditionRule | undefined): MarginFloor {
  const floor = enterRule(
    new MarginFloor({ ...TERMS, USDT: { ...USDT_TERMS, yearRate: '0.0876' } }).stocked(),
    rule,
  );
  floor.trader('ann', { USDT: '500' });
  floor.at(at(10, 1));
  floor.buy('ann', '0.025', '60000', MARGIN);
  equal(floor.cash('ann', 'USDT'), '-1000');
  floor.at(at(10, 59));
  floor.deposit('ann', '1000', 'USDT');
  return floor;
}

test('R10 (e): the example of rules 13.10: 1 000 USDT owed from 10:01 to 10:59 bear an hour of interest', () => {
  const free = owedBetweenHours(OLD);
  free.at(at(11, 0));
  equal(free.cash('ann', 'USDT'), '0');
  const floor = owedBetweenHours(NEW);
  floor.at(at(11, 0));
  equal(floor.cash('ann', 'USDT'), '-0.01');
  equal(floor.house('sys:interest', 'USDT'), '0.01');
  // The next hour begins with what is owed now.
  floor.at(at(12, 0));
  equal(floor.cash('ann', 'USDT'), '-0.0100001');
});

test('R10 (e): a debt within one command is none; the peak survives a restart', () => {
  const floor = owedBetweenHours(NEW);
  const state = loadState(Uint8Array.from(saveState(floor.state)));
  equal(
    state.ledger.peakOf(state.accountByUid.get(floor.uid('ann'))!.index, state.coinByName.get('USDT')!),
    moneyUnits('1000'),
  );
  floor.restart();
  floor.at(at(11, 0));
  equal(floor.cash('ann', 'USDT'), '-0.01');
});

test('R10 (e): neither the free part nor an unrealised profit makes a cash debt cheaper', () => {
  const charged = (rule: SecondEditionRule | undefined) => {
    const floor = new MarginFloor();
    floor.trader('ann', { BTC: '1' });
    floor.trader('bob', { USDT: '1000000' });
    floor.setFees('ann', '0', '0');
    // 1 000 owed in cash, 1 000 won on paper.
    floor.deal('ann', 'bob', '1', '61000');
    floor.deal('bob', 'ann', '1', '60000');
    floor.deal('ann', 'bob', '1', '59000');
    floor.mark('60000');
    enterRule(floor, rule);
    equal(floor.cash('ann', 'USDT'), '-1000');
    floor.at(at(1, 0));
    return floor.cash('ann', 'USDT');
  };
  equal(charged(OLD), '-1000');
  equal(charged(NEW), '-1000.01');
});

/** Ann and her two sub-accounts, who hold nothing but BTC and have lost 800 USDT each on paper. */
function losers(rule: SecondEditionRule | undefined): MarginFloor {
  const floor = new MarginFloor();
  floor.trader('bob', { USDT: '1000000' });
  floor.trader('ann', { BTC: '1' });
  for (const name of ['ann 1', 'ann 2']) floor.trader(name, { BTC: '1' }, { master: 'ann' });
  for (const name of ['ann', 'ann 1', 'ann 2']) {
    floor.setFees(name, '0', '0');
    floor.deal(name, 'bob', '1', '60000');
  }
  floor.mark('59200');
  return enterRule(floor, rule);
}

test('R10 (f): the free part of losses is shared by the party, ascending uid', () => {
  const free = (floor: MarginFloor) => ['ann', 'ann 1', 'ann 2'].map((name) => floor.nextHour(name).free);
  deepEqual(free(losers(OLD)), ['800', '800', '800']);
  const floor = losers(NEW);
  deepEqual(free(floor), ['800', '200', '0']);
  floor.at(at(1, 0));
  deepEqual(
    ['ann', 'ann 1', 'ann 2'].map((name) => floor.cash(name, 'USDT')),
    ['0', '-0.006', '-0.008'],
  );
});

test('R10 (f): sub-accounts of a broker have a free limit each', () => {
  const floor = losers(NEW);
  floor.send({ type: 'setBroker', time: floor.now, uid: floor.uid('ann'), broker: true });
  floor.at(at(1, 0));
  equal(floor.house('sys:interest', 'USDT'), '0');
});

test('I46: a trade that takes from the house is found', async () => {
  const { TradeAudit } = await import('../oracle/trade-audit.ts');
  const { OrderAudit } = await import('../oracle/order-audit.ts');
  const floor = openFloor('ann', 'bob');
  floor.setFees('ann', '-0.0003', '0.001');
  floor.setFees('bob', '0', '0.0002');
  floor.buy('ann', '1', '60000');
  floor.sell('bob', '1', '60000');
  const fills = floor.events.flatMap((event) => (event.type === 'fill' ? [event.fill] : []));
  const [trade] = floor.eventsOf('trade');
  enterRule(floor, NEW);
  const audit = new TradeAudit(floor.state, new OrderAudit(floor.state));
  const kept = audit as unknown as { checkKept(of: typeof trade, each: typeof fills): void };
  let said = '';
  try {
    kept.checkKept(trade, fills);
  } catch (error) {
    said = String(error);
  }
  equal(said.includes('I46'), true, said);
});
