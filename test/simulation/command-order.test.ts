/** The sequencer on an order that is not its own journal: commands come back later, between those of another node. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { Side } from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import type { History } from '../../src/history/history.ts';
import { ManualClock } from '../../src/sequencer/clock.ts';
import type { CommandOrder, OrderedListener } from '../../src/sequencer/command-order.ts';
import { Sequencer } from '../../src/sequencer/sequencer.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { account, coin, deposit, OPENING_TIME, order, spotPair } from '../property/venue.ts';

const NO_HISTORY = {
  starved: false,
  describe: () => {},
  project: () => {},
  lag: () => 0,
} as unknown as History;

/** One log for several nodes. What is offered waits until `deliver` puts it into the order of the log. */
class SharedLog {
  readonly #nodes: Node[] = [];
  readonly #offered: { readonly node: Node; readonly ticket: number; readonly payloads: Uint8Array[] }[] = [];
  seq = 0;

  join(): Node {
    const node = new Node((ticket, payloads) => this.#offered.push({ node, ticket, payloads }));
    this.#nodes.push(node);
    return node;
  }

  /** The newest offer first: the order is the log's, not that of the offers. */
  deliver(): void {
    for (const { node, ticket, payloads } of this.#offered.splice(0).reverse())
      for (const payload of payloads) {
        this.seq++;
        for (const each of this.#nodes) each.ordered(this.seq, each === node ? ticket : 0, payload);
      }
    for (const each of this.#nodes) each.makeDurable(this.seq);
  }
}

class Node implements CommandOrder {
  readonly #take: (ticket: number, payloads: Uint8Array[]) => void;
  ordered: OrderedListener = () => {};
  durableSeq = 0;
  #durable: (seq: number) => void = () => {};

  constructor(take: (ticket: number, payloads: Uint8Array[]) => void) {
    this.#take = take;
  }

  makeDurable(seq: number): void {
    this.durableSeq = seq;
    this.#durable(seq);
  }

  offer(payloads: readonly Uint8Array[], ticket: number): void {
    this.#take(
      ticket,
      payloads.map((payload) => payload.slice()),
    );
  }

  onOrdered(listener: OrderedListener): void {
    this.ordered = listener;
  }

  onDurable(listener: (seq: number) => void): void {
    this.#durable = listener;
  }

  onFailure(): void {}

  capacity() {
    return 'normal' as const;
  }

  queueAgeMs(): number {
    return 0;
  }
}

test('two nodes on one log come to the same state, and each learns the results of its own commands', async () => {
  const log = new SharedLog();
  const open = () => {
    const clock = new ManualClock(OPENING_TIME);
    return new Sequencer(new Exchange(), log.join(), NO_HISTORY, clock, 0);
  };
  const [one, other] = [open(), open()];
  const funds = [1, 2].flatMap((uid) => [deposit(uid, 0, 10n ** 15n), deposit(uid, 1, 10n ** 15n)]);
  for (const command of [
    coin('AAA'),
    coin('BBB'),
    spotPair('AAA', 'BBB'),
    account(1),
    account(2),
    ...funds,
  ]) {
    const done = one.submit(command);
    assert.equal(one.appliedSeq, log.seq, 'nothing is applied before it has its place');
    log.deliver();
    assert.equal((await done).rejectReason, RejectReason.none);
  }

  const sold = one.submit(order({ uid: 1, side: Side.sell, priceTicks: 100, sizeLots: 5 }));
  const bought = other.submit(order({ uid: 2, side: Side.buy, priceTicks: 100, sizeLots: 5 }));
  const [left, right] = one.submitTogether(
    order({ uid: 1, side: Side.sell, priceTicks: 104, sizeLots: 1 }),
    order({ uid: 1, side: Side.sell, priceTicks: 105, sizeLots: 1 }),
  );
  assert.equal(one.state.slab.count, 0);
  log.deliver();
  const ids = (await Promise.all([left, right, bought, sold])).map(({ orderId }) => orderId);
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  assert.equal(ids[1]! - ids[0]!, 1, 'no command comes between the two');
  assert.equal(one.state.slab.count, 2);
  assert.equal(one.appliedSeq, other.appliedSeq);
  assert.equal(stateHash(one.state), stateHash(other.state));
});
