/** What every log of commands behind `CommandLog` does, whatever gives the order and keeps it (cluster 10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { Side } from '../../src/core/model/enums.ts';
import { balances } from '../../src/core/reads/reads.ts';
import { WallClock } from '../../src/sequencer/clock.ts';
import type { CommandLog } from '../../src/sequencer/command-log.ts';
import { Sequencer } from '../../src/sequencer/sequencer.ts';
import { noHistory } from '../harness/memory-journal.ts';
import { account, coin, deposit, order, spotPair } from '../property/venue.ts';

/** One log, empty at first. */
export interface LogUnderTest {
  readonly log: CommandLog;
  /** Its digest is of this one. */
  readonly exchange: Exchange;
  /** Resolves when the condition holds; time passes meanwhile, simulated or not. */
  until(holds: () => boolean): Promise<void>;
  close(): Promise<void>;
  /** What a replay would read, in order; the log is closed then. */
  found(): Promise<readonly { readonly seq: number; readonly payload: Uint8Array }[]>;
  /** Another node on the same engine, where there can be one. */
  second?(): Promise<LogUnderTest>;
  remove(): Promise<void>;
}

interface Heard {
  readonly seq: number;
  readonly ticket: number;
  readonly payload: string;
}

/** A shared log writes the time of the pack here. */
const TIME_FROM = 1;
const TIME_TO = 9;

/** Told apart by a number; of any length. */
const command = (n: number) =>
  encodeCommand({ type: 'identityMark', time: 0, store: 'm'.repeat(1 + (n % 40)), changes: n }).slice();

function hexOf(payload: Uint8Array): string {
  const copy = Buffer.from(payload);
  copy.fill(0, TIME_FROM, TIME_TO);
  return copy.toString('hex');
}

/** What the listeners of a log hear. */
class Listener {
  readonly sequenced: Heard[] = [];
  readonly durable: number[] = [];
  readonly failures: Error[] = [];

  constructor(log: CommandLog) {
    log.onSequenced((seq, ticket, payload) => {
      assert.ok(payload !== undefined, `command ${seq} came too late`);
      this.sequenced.push({ seq, ticket, payload: hexOf(payload) });
    });
    log.onRefused((ticket, error) => assert.fail(`${ticket} was refused: ${error.message}`));
    log.onDurable((seq) => {
      assert.ok(seq > (this.durable.at(-1) ?? 0), 'durable numbers grow');
      assert.equal(seq, log.durableSeq);
      assert.ok(seq <= (this.sequenced.at(-1)?.seq ?? 0), 'nothing is durable before it has its place');
      this.durable.push(seq);
    });
    log.onFailure((error) => this.failures.push(error));
  }
}

export function commandLogContract(
  engine: string,
  create: () => Promise<LogUnderTest>,
  skip: string | false = false,
) {
  const contract = (name: string, run: (opened: LogUnderTest) => Promise<void>): void => {
    void test(`${engine}: ${name}`, { skip }, async () => {
      const opened = await create();
      try {
        await run(opened);
      } finally {
        await opened.close();
        await opened.remove();
      }
    });
  };

  contract(
    'commands get numbers from 1 without gaps, in the order in which they were proposed',
    async (opened) => {
      const { log } = opened;
      const heard = new Listener(log);
      const sent: Heard[] = [];
      for (let n = 1; n <= 200; n++) {
        log.propose([command(n)], 1_000 + n);
        sent.push({ seq: n, ticket: 1_000 + n, payload: hexOf(command(n)) });
        if (n % 40 === 0) await opened.until(() => log.durableSeq === n);
      }
      await opened.until(() => log.durableSeq === 200);
      assert.deepEqual(heard.sequenced, sent);
      assert.equal(heard.durable.at(-1), 200);
      assert.deepEqual(heard.failures, []);
    },
  );

  contract('commands of one proposal stay neighbours and share its ticket', async (opened) => {
    const { log } = opened;
    const heard = new Listener(log);
    for (let n = 0; n < 30; n++) log.propose([command(3 * n), command(3 * n + 1), command(3 * n + 2)], n + 1);
    await opened.until(() => log.durableSeq === 90);
    for (const [n, { seq, ticket, payload }] of heard.sequenced.entries())
      assert.deepEqual([seq, ticket, payload], [n + 1, Math.floor(n / 3) + 1, hexOf(command(n))]);
  });

  contract('the bytes are copied: the caller uses its buffer again', async (opened) => {
    const { log } = opened;
    const heard = new Listener(log);
    const buffer = command(7);
    log.propose([buffer], 1);
    buffer.fill(255);
    await opened.until(() => log.durableSeq === 1);
    const found = await opened.found();
    assert.deepEqual(
      [heard.sequenced[0]?.payload, hexOf(found[0]!.payload)],
      [hexOf(command(7)), hexOf(command(7))],
    );
  });

  contract('nothing is durable in the call that proposes it, and at rest nothing waits', async (opened) => {
    const { log } = opened;
    const heard = new Listener(log);
    assert.deepEqual([log.durableSeq, log.queueAgeMs(), log.capacity()], [0, 0, 'normal']);
    for (let n = 1; n <= 20; n++) log.propose([command(n)], n);
    assert.deepEqual([log.durableSeq, heard.durable], [0, []]);
    assert.ok(log.queueAgeMs() >= 0);
    await opened.until(() => log.durableSeq === 20);
    assert.equal(log.queueAgeMs(), 0);
  });

  contract('more than fits into one pack keeps its order', async (opened) => {
    const { log } = opened;
    const heard = new Listener(log);
    const count = 5_000;
    for (let n = 1; n <= count; n++) log.propose([command(n)], n);
    await opened.until(() => log.durableSeq === count);
    assert.deepEqual(
      heard.sequenced.map(({ ticket }) => ticket),
      Array.from({ length: count }, (_, n) => n + 1),
    );
  });

  contract('what was durable is found again, whole and in order', async (opened) => {
    const { log } = opened;
    new Listener(log);
    for (let n = 1; n <= 100; n++) log.propose([command(n)], n);
    await opened.until(() => log.durableSeq === 100);
    const found = await opened.found();
    assert.deepEqual(
      found.map(({ seq, payload }) => `${seq} ${hexOf(payload)}`),
      Array.from({ length: 100 }, (_, n) => `${n + 1} ${hexOf(command(n + 1))}`),
    );
  });

  contract('a closed log takes nothing', async (opened) => {
    const { log } = opened;
    new Listener(log);
    log.propose([command(1)], 1);
    await opened.until(() => log.durableSeq === 1);
    await opened.close();
    assert.throws(() => log.propose([command(2)], 2), { name: 'JournalFailed' });
    assert.throws(() => log.propose([command(2), command(3)], 3), { name: 'JournalFailed' });
    assert.equal(log.durableSeq, 1);
  });

  contract('a sequencer on it comes to the same results', async (opened) => {
    const { log, exchange } = opened;
    const sequencer = new Sequencer(exchange, log, noHistory(), new WallClock(), 0);
    const results: string[] = [];
    const submit = (given: Parameters<Sequencer['submit']>[0]) =>
      void sequencer.submit(given).then(
        ({ rejectReason, orderId }) => results.push(`${given.type} ${rejectReason} ${orderId}`),
        (error: Error) => assert.fail(error),
      );
    for (const given of OPENING) submit(given);
    for (let n = 0; n < 60; n++) submit(orderNo(n));
    const together = sequencer.submitTogether(...TOGETHER);
    await opened.until(() => results.length === OPENING.length + 60);
    for (const result of await Promise.all(together)) assert.equal(result.rejectReason, 0);
    assert.deepEqual(results, expected().results);
    assert.deepEqual(
      [1, 2].map((uid) => balances(exchange.state, uid)),
      expected().balances,
    );
  });

  const shared = (name: string, run: (one: LogUnderTest, other: LogUnderTest) => Promise<void>) =>
    contract(name, async (one) => {
      if (one.second === undefined) {
        assert.equal(one.log.isShared, false);
        return;
      }
      assert.equal(one.log.isShared, true);
      const other = await one.second();
      try {
        await run(one, other);
      } finally {
        await other.close();
      }
    });

  shared('nodes hear the same order, each its own tickets and none of the others', async (one, other) => {
    const [first, second] = [new Listener(one.log), new Listener(other.log)];
    for (let n = 1; n <= 100; n++) {
      one.log.propose([command(n), command(1_000 + n)], n);
      other.log.propose([command(2_000 + n)], n);
      if (n % 10 === 0) await one.until(() => one.log.durableSeq >= 3 * (n - 5));
    }
    for (const { log } of [one, other]) await one.until(() => log.durableSeq === 300);
    const plain = ({ sequenced }: Listener) => sequenced.map(({ seq, payload }) => `${seq} ${payload}`);
    assert.deepEqual(plain(first), plain(second));
    const tickets = ({ sequenced }: Listener) =>
      sequenced.map(({ ticket }) => ticket).filter((ticket) => ticket !== 0);
    const each = Array.from({ length: 100 }, (_, n) => n + 1);
    assert.deepEqual(
      tickets(first),
      each.flatMap((n) => [n, n]),
    );
    assert.deepEqual(tickets(second), each);
    for (const [n, { ticket }] of first.sequenced.entries())
      assert.ok(ticket === 0 || second.sequenced[n]!.ticket === 0, 'a command has one sender');
  });

  shared('a node that comes later hears everything from the beginning', async (one, other) => {
    const first = new Listener(one.log);
    for (let n = 1; n <= 150; n++) one.log.propose([command(n)], n);
    await one.until(() => one.log.durableSeq === 150);
    const late = await one.second!();
    const heard = new Listener(late.log);
    new Listener(other.log);
    late.log.propose([command(151)], 9);
    await one.until(() => late.log.durableSeq === 151 && one.log.durableSeq === 151);
    await late.close();
    assert.deepEqual(
      heard.sequenced.map(({ seq, payload }) => `${seq} ${payload}`),
      first.sequenced.map(({ seq, payload }) => `${seq} ${payload}`),
    );
    assert.deepEqual(
      heard.sequenced.map(({ ticket }) => ticket),
      [...Array.from({ length: 150 }, () => 0), 9],
    );
  });
}

const OPENING = [
  coin('AAA'),
  coin('BBB'),
  spotPair('AAA', 'BBB'),
  ...[1, 2].flatMap((uid) => [account(uid), deposit(uid, 0, 10n ** 15n), deposit(uid, 1, 10n ** 15n)]),
];

const TOGETHER = [
  { type: 'deposit', uid: 1, coin: 0, amount: 5n, reference: 'one' },
  { type: 'deposit', uid: 2, coin: 1, amount: 7n, reference: 'other' },
] as const;

const orderNo = (n: number) =>
  order({
    uid: 1 + (n % 2),
    side: n % 3 === 0 ? Side.buy : Side.sell,
    priceTicks: 98 + (n % 5),
    sizeLots: 1 + (n % 7),
    // Some stand already: they are refused.
    clientOid: `o${n % 50}`,
  });

let known: { readonly results: readonly string[]; readonly balances: readonly unknown[] } | undefined;

/** The core alone, without a log. */
function expected() {
  if (known !== undefined) return known;
  const exchange = new Exchange();
  let seq = 0;
  const apply = (given: Parameters<Sequencer['submit']>[0]) => {
    const { rejectReason, orderId } = exchange.apply(
      { ...given, time: 1_800_000_000_000 } as Parameters<Exchange['apply']>[0],
      ++seq,
    );
    exchange.takeEvents();
    return `${given.type} ${rejectReason} ${orderId}`;
  };
  const results = [...OPENING, ...Array.from({ length: 60 }, (_, n) => orderNo(n))].map(apply);
  for (const given of TOGETHER) apply(given);
  known = { results, balances: [1, 2].map((uid) => balances(exchange.state, uid)) };
  return known;
}
