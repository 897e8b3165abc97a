/**
 * What `bourse verify` proves, after each test of a file and in its process. Of every exchange that has applied a command in the
 * test, forks and branches included: invariants and sums of the books. Of those in memory also that a replay of the branch's
 * journal, from the state that it began with, comes to the same state hash; a replica goes on from test to test, so that every
 * command is replayed once. Of data directories the replay is proved by `bourse verify` itself.
 */
import '../harness/bundled-threads.ts';
import '../harness/kept-threads.ts';
import '../harness/no-compiling-ahead.ts';
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { coinSums } from '../../src/admin/trial-balance.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { loadState } from '../../src/core/snapshot/snapshot.ts';
import { MemoryJournal } from '../../src/journal/memory-journal.ts';
import { JournalLog } from '../../src/sequencer/command-log.ts';
import { effectiveCommands } from '../../src/sequencer/effective-commands.ts';
import { applyLogged } from '../../src/sequencer/recovery.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';

interface Replica {
  readonly exchange: Exchange;
  seq: number;
}

/** Weak: branches that were left behind may go. */
const seen = new WeakSet<Exchange>();
let refs: WeakRef<Exchange>[] = [];
const journals = new WeakMap<Exchange, MemoryJournal>();
const replicas = new WeakMap<MemoryJournal, Replica>();
/** The exchanges of replicas are no part of the test. */
const own = new WeakSet<Exchange>();

type Apply = (this: Exchange, ...given: Parameters<Exchange['apply']>) => ReturnType<Exchange['apply']>;
type AppendAll = (this: MemoryJournal, payloads: readonly Uint8Array[]) => number;
type Propose = (this: JournalLog, ...given: Parameters<JournalLog['propose']>) => void;

function original<Method>(prototype: object, name: string): Method {
  return Object.getOwnPropertyDescriptor(prototype, name)!.value as Method;
}

/** The journal that has numbered the commands of the present proposal, which are applied before it returns. */
let proposed: MemoryJournal | undefined;
let isProposing = false;

const propose = original<Propose>(JournalLog.prototype, 'propose');
JournalLog.prototype.propose = function (this: JournalLog, ...given) {
  isProposing = true;
  try {
    propose.apply(this, given);
  } finally {
    isProposing = false;
    proposed = undefined;
  }
};

const noteJournal = (journal: MemoryJournal): void => {
  if (isProposing) proposed = journal;
};

const appendAll = original<AppendAll>(MemoryJournal.prototype, 'appendAll');
MemoryJournal.prototype.appendAll = function (this: MemoryJournal, payloads) {
  noteJournal(this);
  return appendAll.call(this, payloads);
};

const apply = original<Apply>(Exchange.prototype, 'apply');
Exchange.prototype.apply = function (this: Exchange, ...given) {
  if (!seen.has(this) && !own.has(this)) {
    seen.add(this);
    refs.push(new WeakRef(this));
  }
  // The first commands of an exchange that starts again are those of its records.
  if (proposed !== undefined && journals.get(this) !== proposed) journals.set(this, proposed);
  return apply.apply(this, given);
};

/** To be called once by each file of tests. */
export function verifyAfterEach(): void {
  afterEach(async () => {
    const used = refs;
    refs = [];
    for (const ref of used) {
      const exchange = ref.deref();
      if (exchange === undefined) continue;
      seen.delete(exchange);
      checkInvariants(exchange.state);
      assert.deepEqual(
        coinSums(exchange.state).filter(({ total }) => total !== 0n),
        [],
        'every coin sums to zero',
      );
      const journal = journals.get(exchange);
      if (journal !== undefined) await checkReplay(exchange, journal);
    }
  });
}

async function checkReplay(exchange: Exchange, journal: MemoryJournal): Promise<void> {
  // What a kill has lost was applied and is in no record: nothing can be compared.
  for (let turn = 0; journal.durableSeq < journal.appendedSeq; turn++) {
    if (turn > 10) return;
    await nextTurn();
  }
  const replica = replicaOf(journal);
  for (const { seq, command } of effectiveCommands(journal.past().recordsAfter(replica.seq))) {
    applyLogged(replica.exchange, seq, command);
    replica.exchange.takeEvents();
    replica.seq = seq;
  }
  assert.equal(
    stateHash(replica.exchange.state),
    stateHash(exchange.state),
    `a replay to command ${replica.seq} comes to another state`,
  );
}

function replicaOf(journal: MemoryJournal): Replica {
  const known = replicas.get(journal);
  if (known !== undefined && known.seq >= journal.firstSeq - 1) return known;
  const [oldest] = journal.snapshots;
  const fromStart = journal.firstSeq === 1;
  const exchange = new Exchange(fromStart ? undefined : loadState(oldest!.state));
  own.add(exchange);
  const replica = { exchange, seq: fromStart ? 0 : oldest!.seq };
  replicas.set(journal, replica);
  return replica;
}
