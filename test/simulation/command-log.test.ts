/** The sequencer on a log that is not its own journal: commands come back later, between those of another node. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { Side } from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { ManualClock } from '../../src/sequencer/clock.ts';
import { type CommandLog, JournalLog, type SequencedListener } from '../../src/sequencer/command-log.ts';
import { CHECKPOINT_COMMANDS } from '../../src/sequencer/limits.ts';
import { OutcomeUnknown, Sequencer } from '../../src/sequencer/sequencer.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { MemoryJournal, noHistory } from '../harness/memory-journal.ts';
import { account, coin, deposit, OPENING_TIME, order, spotPair } from '../property/venue.ts';

/** One log for several nodes. What is proposed waits until `deliver` numbers it. */
class SharedLog {
  readonly #nodes: Node[] = [];
  readonly #proposed: { readonly node: Node; readonly ticket: number; readonly payloads: Uint8Array[] }[] =
    [];
  seq = 0;

  join(): Node {
    const node = new Node((ticket, payloads) => this.#proposed.push({ node, ticket, payloads }));
    this.#nodes.push(node);
    return node;
  }

  /** The newest proposal first: the order is the log's, not that of the proposals. */
  deliver(): void {
    for (const { node, ticket, payloads } of this.#proposed.splice(0).reverse())
      for (const payload of payloads) {
        this.seq++;
        for (const each of this.#nodes) each.sequenced(this.seq, each === node ? ticket : 0, payload);
      }
    for (const each of this.#nodes) each.makeDurable(this.seq);
  }
}

class Node implements CommandLog {
  readonly isShared = false;
  readonly #take: (ticket: number, payloads: Uint8Array[]) => void;
  sequenced: SequencedListener = () => {};
  durableSeq = 0;
  #durable: (seq: number) => void = () => {};

  constructor(take: (ticket: number, payloads: Uint8Array[]) => void) {
    this.#take = take;
  }

  makeDurable(seq: number): void {
    this.durableSeq = seq;
    this.#durable(seq);
  }

  propose(payloads: readonly Uint8Array[], ticket: number): void {
    this.#take(
      ticket,
      payloads.map((payload) => payload.slice()),
    );
  }

  onRefused(): void {}

  onSequenced(listener: SequencedListener): void {
    this.sequenced = listener;
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
    return new Sequencer(new Exchange(), log.join(), noHistory(), clock, 0);
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

/** One machine: a journal that keeps its records, with two funded accounts on one pair. */
async function onJournal() {
  const records: Uint8Array[] = [];
  const journal = new MemoryJournal((payload) => records.push(payload.slice()));
  const exchange = new Exchange();
  const clock = new ManualClock(OPENING_TIME);
  const sequencer = new Sequencer(exchange, new JournalLog(journal), noHistory(), clock, 0);
  const opening = [coin('AAA'), coin('BBB'), spotPair('AAA', 'BBB'), account(1), deposit(1, 0, 10n ** 15n)];
  const opened = opening.map((command) => sequencer.submit(command));
  journal.flush();
  await Promise.all(opened);
  return { records, journal, exchange, sequencer };
}

const sell = (priceTicks: number) => order({ uid: 1, side: Side.sell, priceTicks, sizeLots: 1 });

test('the commands of a pair are applied as the journal has them when a checkpoint is due between them', async () => {
  const { records, journal, sequencer } = await onJournal();
  const results: Promise<CommandResult>[] = [];
  while (records.length < CHECKPOINT_COMMANDS - 1) results.push(sequencer.submit(sell(100)));
  results.push(...sequencer.submitTogether(sell(104), sell(105)));
  assert.equal(sequencer.appliedSeq, records.length);
  journal.flush();
  await Promise.all(results);
  assert.equal(decodeCommand(records.at(-1)!).type, 'checkpoint');

  const replayed = new Exchange();
  for (const record of records) {
    replayed.apply(decodeCommand(record));
    replayed.takeEvents();
  }
  assert.equal(stateHash(replayed.state), stateHash(sequencer.state));
});

test('when the first of a pair breaks an invariant, the outcome of both is unknown', async () => {
  const { exchange, sequencer } = await onJournal();
  const halts: string[] = [];
  sequencer.onFailed(({ message }) => halts.push(message));
  exchange.apply = () => {
    throw new Error('the books do not balance');
  };
  const results = sequencer.submitTogether(sell(104), sell(105));
  await Promise.all(results.map((result) => assert.rejects(result, OutcomeUnknown)));
  assert.deepEqual(halts, ['the books do not balance']);
});

test('ticks go on with open work, one in a turn of the loop, and end with it (rules 14.1)', async () => {
  const { records, journal, exchange, sequencer } = await onJournal();
  const opening = [account(2), deposit(2, 0, 10n ** 15n), account(3), deposit(3, 0, 10n ** 15n)];
  for (const command of [{ type: 'setEdition', edition: 4 } as const, ...opening]) sequencer.submit(command);
  for (const uid of [1, 2, 3])
    sequencer.submit(order({ uid, side: Side.sell, priceTicks: 100 + uid, sizeLots: 1 }));
  exchange.state.portion = 1;
  sequencer.submit({ type: 'setInstrumentStatus', instrument: 0, status: 'offline' });
  assert.equal(exchange.state.slab.count, 2);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const before = records.length;
  await turn();
  assert.equal(records.length, before + 1);
  const refused = sequencer.submit(sell(104));
  for (let turns = 0; turns < 10; turns++) await turn();
  journal.flush();
  assert.equal((await refused).rejectReason, RejectReason.instrumentOffline);
  assert.equal(exchange.state.slab.count, 0);
  const types = records.slice(before).map((record) => decodeCommand(record).type);
  assert.deepEqual(types, ['tick', 'placeOrder', 'tick']);
});
