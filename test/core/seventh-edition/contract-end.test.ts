/** What a loser at the end of a contract has elsewhere pays before the fund and the winners do (rules 17.2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextPortion } from '../fourth-edition/in-portions.ts';
import { LoanFloor } from '../loan/loan-floor.ts';

interface Words {
  readonly edition?: number;
  /** Coins in ann's funding wallet. */
  readonly aside?: Readonly<Record<string, string>>;
  readonly first?: (floor: LoanFloor) => void;
  /** In one step unless given. */
  readonly portion?: number | undefined;
}

/** Ann has 7 000 USDT and is long 1 from 60 000 against bob. The contract ends at 50 000; the fund has 2 000. */
function ended({ edition = 7, aside = {}, first, portion }: Words): LoanFloor {
  const floor = new LoanFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition });
  floor.index('3000', 'ETHUSD');
  floor.trader('ann', { USDT: '7036' });
  floor.trader('bob', { USDT: '100036' });
  for (const name of ['ann', 'bob']) floor.leverage(name, 10);
  floor.deal('ann', 'bob', '1', '60000');
  floor.deposit('bob', '24', 'USDT');
  floor.withdraw('bob', String(Number(floor.cash('bob', 'USDT')) - 100_000), 'USDT');
  floor.insure('2000');
  for (const [coin, amount] of Object.entries(aside)) floor.fund('ann', amount, coin);
  first?.(floor);
  assert.deepEqual([floor.cash('ann', 'USDT'), floor.cash('bob', 'USDT')], ['7000', '100000']);
  floor.arrange(({ state }) => {
    const { mark } = state.market(floor.instrument()).futures!;
    mark.price = 50_000n * 10n ** 8n;
    mark.inputs.fill(mark.price);
    state.priceVersion++;
    if (portion === undefined) state.rules.portions = false;
    else state.portion = portion;
  });
  const instrument = floor.instrument().index;
  floor.send({ type: 'setInstrumentStatus', time: floor.now, instrument, status: 'offline' });
  while (floor.state.works.length > 0) nextPortion(floor);
  assert.equal(floor.position('ann'), 'none');
  return floor;
}

const endOf = (floor: LoanFloor) => ({
  ann: floor.cash('ann', 'USDT'),
  aside: floor.funding('ann', 'USDT'),
  bob: floor.cash('bob', 'USDT'),
  fund: floor.insurance(),
});

test('17.2: the example: the funding wallet of a loser pays, not the fund and the winners', () => {
  const aside = { USDT: '5000' };
  assert.deepEqual(endOf(ended({ edition: 6, aside })), {
    ann: '0',
    aside: '5000',
    bob: '109000',
    fund: '0',
  });
  assert.deepEqual(endOf(ended({ aside })), { ann: '0', aside: '2000', bob: '110000', fund: '2000' });
});

test('17.2: what it lacks beyond that is covered, in portions as in one step', () => {
  for (const portion of [undefined, 1, 1000]) {
    // 3 000 are owed: 900 are aside, the fund has 2 000, bob gives the rest.
    const some = ended({ aside: { USDT: '900' }, portion });
    assert.deepEqual(endOf(some), { ann: '0', aside: '0', bob: '109900', fund: '0' });
    const none = ended({ portion });
    assert.deepEqual(endOf(none), { ann: '0', aside: '0', bob: '109000', fund: '0' });
  }
});

test('17.2: dust of another coin does not make the house pay what the winners lack', () => {
  const dust = { edition: 6, first: (floor: LoanFloor) => floor.deposit('ann', '0.00000001', 'ETH') };
  assert.deepEqual(endOf(ended(dust)), { ann: '-2999.99997003', aside: '0', bob: '110000', fund: '2000' });
  // The dust counts 0.95 * 0.00003 and brings a little more.
  const now = endOf(ended({ ...dust, edition: 7 }));
  assert.deepEqual(now, { ann: '0', aside: '0', bob: '109000.0000285', fund: '0' });
});

test('17.2: a pledge pays what it is worth beyond its loan', () => {
  const first = (floor: LoanFloor) => {
    floor.deposit('ann', '20', 'ETH');
    floor.borrow('ann', { loan: 'USDT', pledge: '20 ETH' });
    floor.withdraw('ann', '36000', 'USDT');
  };
  // 3 000 / 3 000 / 0.999 are taken and sold.
  const floor = ended({ first });
  assert.deepEqual(endOf(floor), { ann: '0', aside: '0', bob: '110000', fund: '2000' });
  assert.equal(floor.pledged('ann', 'ETH'), '18.99899899');
});
