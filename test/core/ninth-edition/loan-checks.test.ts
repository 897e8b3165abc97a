/** Pledge loans that cross a level count twice as much as under the eighth edition (rules 19.3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishWork, nextPortion, setPortion } from '../fourth-edition/in-portions.ts';
import { LoanFloor } from '../loan/loan-floor.ts';

const NAMES = ['ann', 'bob', 'cat', 'dan'];

class LentFloor extends LoanFloor {
  private readonly loans = new Map<string, number>();

  constructor(edition: number, portion: number) {
    super();
    this.send({ type: 'setEdition', time: this.now, edition });
    for (const name of NAMES) {
      this.trader(name, { BTC: '1' });
      this.loans.set(name, this.borrow(name, { loan: '10000 USDT', pledge: 'BTC' }));
    }
    setPortion(this, portion);
  }

  asked = () => this.eventsOf('loanNotice').length;
  closed = () => NAMES.filter((name) => this.standing(name, this.loans.get(name)!) === 'closed').length;

  /** What has happened after the second that brings the price, and after each of the ticks behind it. */
  counted(price: string, count: () => number): number[] {
    this.index(price);
    const counts = [count()];
    while (this.state.loanChecksPending) {
      nextPortion(this);
      counts.push(count());
    }
    return counts;
  }
}

test('19.3: a portion of 4 asks four owners for more under the eighth edition, two under the ninth', () => {
  const counts = [8, 9].map((edition) => {
    const floor = new LentFloor(edition, 4);
    return floor.counted('51000', floor.asked);
  });
  assert.deepEqual(counts, [[4], [2, 4]]);
});

test('19.3: a portion of 40 closes four loans under the eighth edition, two under the ninth', () => {
  const counts = [8, 9].map((edition) => {
    const floor = new LentFloor(edition, 40);
    floor.index('51000');
    finishWork(floor);
    return floor.counted('46000', floor.closed);
  });
  assert.deepEqual(counts, [[4], [2, 4]]);
});
