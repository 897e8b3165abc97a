/** Checks by the prices of a second in portions (rules 18.1, 18.3): who waits gains nothing by it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishWork, nextPortion, setPortion } from '../fourth-edition/in-portions.ts';
import { FuturesFloor } from '../futures/futures-floor.ts';
import { protect } from '../strategy/strategy-tickets.ts';

const LONGS = ['ann', 'bob', 'cat', 'dan'];
/** Worth one liquidation. */
const ONE = 10;

/** Each is long 1 BTC from 60 000 with 7 000 USDT; eve is short, zoe buys what is closed. A portion closes one of them. */
function longFloor(portion = ONE): FuturesFloor {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition: 8 });
  floor.trader('eve', { USDT: '1000000' });
  floor.trader('zoe', { USDT: '1000000' });
  for (const name of LONGS) {
    floor.trader(name, { USDT: '7000' });
    floor.leverage(name, 10);
    floor.deal(name, 'eve', '1', '60000');
  }
  floor.buy('zoe', '4', '53100');
  setPortion(floor, portion);
  return floor;
}

const holders = (floor: FuturesFloor) => LONGS.filter((name) => floor.position(name) !== 'none');

test('18.1: the example: one is closed with the second, one with each tick, in the order in which they joined', () => {
  const floor = longFloor();
  floor.mark('53200');
  for (const left of [3, 2, 1, 0]) {
    assert.deepEqual(holders(floor), LONGS.slice(LONGS.length - left));
    assert.equal(floor.exchange.hasOpenWork, left > 0);
    nextPortion(floor);
  }
  for (const name of LONGS) assert.match(floor.executions(name).at(-1)!, /^liquidation close 1 @ 53100 /);
});

test('portions of any size close the same accounts at the same prices', () => {
  const outcomes = [1, ONE, 2 * ONE, 1000].map((portion) => {
    const floor = longFloor(portion);
    floor.mark('53200');
    finishWork(floor);
    return LONGS.map((name) => [floor.cash(name, 'USDT'), floor.executions(name)]);
  });
  for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[0]);
});

test('who waits is checked before his command is looked at', () => {
  for (const act of [
    (floor: FuturesFloor) => floor.withdraw('dan', '100', 'USDT'),
    (floor: FuturesFloor) => floor.deposit('dan', '5000', 'USDT'),
    (floor: FuturesFloor) => floor.sell('dan', '1', '53150', { reduceOnly: true }),
    (floor: FuturesFloor) => floor.transfer('eve uta', 'dan uta', '5000', 'USDT'),
  ]) {
    const floor = longFloor();
    floor.mark('53200');
    assert.deepEqual(holders(floor), ['bob', 'cat', 'dan']);
    act(floor);
    assert.deepEqual(holders(floor), ['bob', 'cat'], 'those that nobody named keep their turn');
    finishWork(floor);
    assert.deepEqual(holders(floor), []);
  }
});

test('whose turn has not come when prices return is not closed', () => {
  const floor = longFloor();
  floor.mark('53200');
  floor.mark('60000');
  finishWork(floor);
  assert.deepEqual(holders(floor), ['bob', 'cat', 'dan']);
});

test('a new second begins the round anew where it is', () => {
  const floor = longFloor();
  floor.mark('53200');
  floor.mark('53190');
  assert.deepEqual(holders(floor), ['cat', 'dan']);
  const round = floor.state.priceCheckRound!;
  assert.equal(round.next, floor.state.accountByUid.get(floor.uid('cat'))!.index);
  finishWork(floor);
  assert.deepEqual(holders(floor), []);
});

test('the new round comes to those that the old one had passed', () => {
  const floor = longFloor();
  floor.deposit('ann', '1000', 'USDT');
  floor.mark('53200');
  assert.deepEqual(holders(floor), ['ann', 'cat', 'dan']);
  // Now she is due too, behind cat and dan.
  floor.mark('52200');
  assert.deepEqual(holders(floor), ['ann', 'dan']);
  nextPortion(floor);
  assert.deepEqual(holders(floor), ['ann']);
  finishWork(floor);
  assert.deepEqual(holders(floor), []);
});

test('after a jump each account that is passed counts an eighth, otherwise none does', () => {
  // Eight accounts a portion.
  const floor = longFloor(1);
  for (let n = 0; n < 20; n++) floor.trader(`idle ${n}`, {});
  floor.mark('60060');
  assert.equal(floor.state.priceCheckRound, undefined, 'by exactly a thousandth: not a jump');
  floor.mark('60121');
  assert.ok(finishWork(floor) >= 3);
  floor.mark('60130');
  assert.equal(floor.state.priceCheckRound, undefined);
});

test('I40: a restart between the portions goes on in the same way', () => {
  const [floor, other] = [longFloor(), longFloor()];
  for (const each of [floor, other]) each.mark('53200');
  other.restart();
  setPortion(other, ONE);
  for (const each of [floor, other]) {
    nextPortion(each);
    assert.deepEqual(holders(each), ['cat', 'dan']);
    each.withdraw('dan', '1', 'USDT');
    finishWork(each);
  }
  assert.deepEqual(other.image(), floor.image());
});

test('without accounts there is nothing to test', () => {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition: 8 });
  floor.mark('53200');
  assert.equal(floor.exchange.hasOpenWork, false);
});

test('18.3: a portion is half as large as before', () => {
  const floor = new FuturesFloor();
  const sizes = [7, 8].map((edition) => {
    floor.send({ type: 'setEdition', time: floor.now, edition });
    return floor.state.portion;
  });
  assert.deepEqual(sizes, [500, 250]);
});

test('I40: nor does it matter when prices slide slowly and some who need no check are between the due', () => {
  const slide = (restarts: boolean) => {
    const floor = new FuturesFloor();
    floor.send({ type: 'setEdition', time: floor.now, edition: 8 });
    floor.trader('eve', { USDT: '10000000' });
    floor.trader('zoe', { USDT: '10000000' });
    const names = Array.from({ length: 24 }, (_, n) => `long ${n}`);
    for (const [n, name] of names.entries()) {
      // Every third has more, and others are due at nearly the same price.
      floor.trader(name, { USDT: String(n % 3 === 0 ? 720 + n : 700 + (n % 7)) });
      floor.leverage(name, 10);
      floor.deal(name, 'eve', '0.1', '60000');
    }
    floor.buy('zoe', '20', '53000');
    setPortion(floor, 2 * ONE);
    const images: Uint8Array[] = [];
    for (let price = 53_800; price >= 53_000; price -= 40) {
      floor.mark(String(price));
      images.push(Uint8Array.from(floor.image()));
      if (restarts) {
        floor.restart();
        setPortion(floor, 2 * ONE);
      }
      if (price % 120 === 0) finishWork(floor);
    }
    finishWork(floor);
    images.push(Uint8Array.from(floor.image()));
    assert.ok(names.some((name) => floor.position(name) === 'none'));
    return images;
  };
  assert.deepEqual(slide(true), slide(false));
});

test('a stop of one who waits does not fire before his test', () => {
  const floor = longFloor();
  // The close of ann reaches it.
  protect(floor, 'dan', { stopLoss: '53150' });
  floor.mark('53200');
  finishWork(floor);
  for (const name of LONGS) assert.match(floor.executions(name).at(-1)!, /^liquidation close 1 @ 53100 /);
});

test('the seventh edition closes all of them with the second', () => {
  const floor = longFloor();
  floor.arrange(({ state }) => {
    state.rules.riskPortions = false;
  });
  floor.mark('53200');
  assert.deepEqual(holders(floor), []);
  assert.equal(floor.exchange.hasOpenWork, false);
});
