/** What a contract that has ended owes a counterparty of a deleveraging counts as its margin (rules 17.4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { finishWork, nextPortion, setPortion } from '../fourth-edition/in-portions.ts';
import { BTC_PERPETUAL, FUTURES_COINS, FuturesFloor } from '../futures/futures-floor.ts';

const ETH_PERPETUAL: InstrumentSpec = {
  ...BTC_PERPETUAL,
  symbol: 'ETHUSDT',
  baseCoin: 'ETH',
  openingPrice: '3000',
  indexComponents: [{ exchange: 'elsewhere', spotPair: 'ETH/USDT', weight: '1' }],
};
/** So many that portions of one leave the work open for some seconds. */
const OTHERS = 100;

interface Words {
  readonly edition?: number;
  /** Does bob lose as many dollars in an isolated position, which the fund covers, instead of winning them? */
  readonly isolated?: boolean;
  /** Is the work over before the price moves? */
  readonly over?: boolean;
}

/**
 * As in 16.2: ann owes 30 000 USDT behind which nothing is left, and has won 20 000 by a long of 1 BTC from 60 000 against
 * bob. He has 2 000, and a contract has ended that owes him what he does not have yet. Mark 80 000.
 */
function rally({ edition = 7, isolated = false, over = false }: Words): FuturesFloor {
  const floor = new FuturesFloor(BTC_PERPETUAL, FUTURES_COINS, [ETH_PERPETUAL]);
  for (const name of ['cat', 'dan']) floor.trader(name, { USDT: '200000' });
  floor.send({ type: 'setEdition', time: floor.now, edition });
  floor.index('3000', 'ETHUSD');
  floor.index('3000', 'ETHUSDT');
  floor.trader('ann', { USDT: '78', ETH: '100' });
  floor.trader('bob', { USDT: '60000' });
  for (let n = 0; n < OTHERS; n++) floor.trader(`other ${n}`, { USDT: '1' });
  for (const name of ['ann', 'bob']) floor.leverage(name, 100);
  floor.deal('ann', 'cat', '1', '60000');
  floor.deal('cat', 'ann', '1', '30000');
  floor.deal('ann', 'bob', '1', '60000');
  if (isolated) {
    floor.insure('100000');
    floor.isolate('bob', 'ETHUSDT');
    floor.leverage('bob', 10, 'ETHUSDT');
  }
  const [long, short] = isolated ? ['bob', 'dan'] : ['dan', 'bob'];
  floor.deal(long, short, '20', '3000', { on: 'ETHUSDT' });
  const leave = (amount: number) =>
    floor.withdraw('bob', String(Number(floor.cash('bob', 'USDT')) - amount), 'USDT');
  // 20 * 2 500 beyond a margin of 6 000 are 44 000.
  if (isolated) leave(46_000);
  setMark(floor, 500n);
  if (!isolated) leave(2000);
  setPortion(floor, 1);
  const { index: instrument } = floor.instrument('ETHUSDT');
  floor.send({ type: 'setInstrumentStatus', time: floor.now, instrument, status: 'offline' });
  while (floor.position('bob', { on: 'ETHUSDT' }) !== 'none') nextPortion(floor);
  if (over) finishWork(floor);
  else assert.equal(floor.cash('bob', 'USDT'), '2000');
  assert.equal(floor.cash('ann', 'USDT'), '-30000');
  floor.tell('0.00000001', 'ETHUSD');
  floor.mark('80000');
  assert.deepEqual([floor.position('ann'), floor.position('bob')], ['none', 'none']);
  assert.equal(floor.exchange.hasOpenWork, !over);
  return floor;
}

/** Nobody is liquidated at it before the contract ends. */
function setMark(floor: FuturesFloor, price: bigint): void {
  floor.arrange(({ state }) => {
    const { mark } = state.market(floor.instrument('ETHUSDT')).futures!;
    mark.price = price * 10n ** 8n;
    mark.inputs.fill(mark.price);
    state.priceVersion++;
  });
}

const lastOf = (floor: FuturesFloor) => floor.executions('bob').at(-1);
const SPARED = 'adl close 1 @ 61962.8 fee 0 pnl -1962.8';
const BORNE = 'adl close 1 @ 79632 fee 0 pnl -19632';

test('17.4: the example: who waits for 50 000 bears what he would bear with them', () => {
  const before = rally({ edition: 6 });
  // (60 000 + 2 000) / 1.0006 = 61 962.82
  assert.deepEqual([lastOf(before), before.cash('bob', 'USDT')], [SPARED, '37.2']);
  finishWork(before);
  assert.deepEqual([before.cash('bob', 'USDT'), before.cash('ann', 'USDT')], ['50037.2', '-28074.37767899']);
  const floor = rally({});
  // W: 80 000 * (1 - 0.0046). 2 000 - 19 632, until the gain comes.
  assert.deepEqual([lastOf(floor), floor.cash('bob', 'USDT')], [BORNE, '-17632']);
  finishWork(floor);
  assert.deepEqual([floor.cash('bob', 'USDT'), floor.cash('ann', 'USDT')], ['32368', '-10415.77919899']);
  // What the hour's interest goes by.
  const { ledger, accountByUid, coins } = floor.state;
  const usdt = coins.findIndex(({ coin }) => coin === 'USDT');
  assert.equal(ledger.peakOf(accountByUid.get(floor.uid('bob'))!.index, usdt), 1_763_200_000_000n);
});

test('17.4: margin of an isolated position that waits for its cover counts too', () => {
  assert.equal(lastOf(rally({ edition: 6, isolated: true })), SPARED);
  const floor = rally({ isolated: true });
  assert.equal(lastOf(floor), BORNE);
  finishWork(floor);
  // 2 000 + 44 000 - 19 632
  assert.equal(floor.cash('bob', 'USDT'), '26368');
});

test('17.4: it comes to what it comes to when the work is over before', () => {
  for (const isolated of [false, true]) {
    const [open, over] = [rally({ isolated }), rally({ isolated, over: true })];
    finishWork(open);
    for (const name of ['ann', 'bob', 'cat', 'dan'])
      assert.equal(open.cash(name, 'USDT'), over.cash(name, 'USDT'), name);
    assert.equal(open.insurance(), over.insurance());
  }
});
