/**
 * Random orders, cancellations, transfers of time, snapshots, reverts and forks, against a model that keeps lists of what was
 * done. The state after any of it is that of an exchange which has done only what the list says.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { decodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import type { Command } from '../../src/core/model/command.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import { JournalLog } from '../../src/sequencer/command-log.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { Rng } from '../../src/simulator/rng.ts';
import { stopAll } from '../memory/in-process.ts';
import { Lab, spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

after(stopAll);

const SEEDS = Number(process.env.LAB_SEEDS ?? 4);
const STEPS = 60;

/** What an exchange has done since its first state, as its log has it. */
interface World {
  readonly lab: Lab;
  commands: Command[];
}

/** Everything that any exchange of this process takes into its log goes to the list of its world. */
function follow(worlds: ReadonlyMap<object, World>): () => void {
  const original = JournalLog.prototype as { propose: JournalLog['propose'] };
  const propose = original.propose;
  JournalLog.prototype.propose = function (payloads, ticket) {
    const world = [...worlds.values()].find(({ lab }) => logOf(lab) === this);
    for (const payload of payloads) world?.commands.push(decodeCommand(payload.slice()));
    propose.call(this, payloads, ticket);
  };
  return () => {
    JournalLog.prototype.propose = propose;
  };
}

const logOf = ({ exchange }: Lab) => (exchange.sequencer as unknown as { log: object }).log;

for (let seed = 1; seed <= SEEDS; seed++)
  test(`after any way through snapshots, reverts and forks the state is that of its list, seed ${seed}`, async () => {
    const rng = new Rng(seed, 'laboratory');
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(rng.between(0, items.length))]!;
    const lab = await Lab.start();
    const first = saveState(lab.exchange.sequencer.state);
    const firstSeq = lab.exchange.sequencer.appliedSeq;
    const worlds = new Map<object, World>([[lab, { lab, commands: [] }]]);
    const snapshots = new Map<string, Command[]>();
    const unfollow = follow(worlds);

    const trade = async ({ lab: here }: World) => {
      const client = here.client(pick(['alice', 'bob', 'maker']));
      const price = String(60_000 + Math.floor(rng.between(-20, 20)) * 10);
      await client.post('/api/v3/trade/place-order', spotOrder(pick(['buy', 'sell']), price));
    };
    const cancelAll = async ({ lab: here }: World) => {
      await here
        .client(pick(['alice', 'bob', 'maker']))
        .post('/api/v3/trade/cancel-symbol-order', { category: 'SPOT', symbol: 'BTCUSDT' });
    };
    const wait = async ({ lab: here }: World) => {
      await here.advance(`${1 + Math.floor(rng.between(0, 30))}s`);
    };
    const save = async ({ lab: here, commands }: World) => {
      if (here !== lab) return;
      const name = `s${snapshots.size + 1}`;
      await here.snapshot(name);
      snapshots.set(name, [...commands]);
    };
    const revert = async (world: World) => {
      if (world.lab !== lab || snapshots.size === 0) return;
      const name = pick([...snapshots.keys()]);
      await lab.revert(name);
      world.commands = [...snapshots.get(name)!];
    };
    const fork = async (world: World) => {
      if (world.lab !== lab || worlds.size > 3) return;
      const named = snapshots.size > 0 && rng.between(0, 1) < 0.5 ? pick([...snapshots.keys()]) : undefined;
      const commands = named === undefined ? [...world.commands] : [...snapshots.get(named)!];
      const { id } = await lab.ask('POST', '/lab/forks', named === undefined ? {} : { from: named });
      const forked = new Lab(lab.exchange.fork(id)!);
      worlds.set(forked, { lab: forked, commands });
    };

    const steps = [trade, trade, trade, trade, cancelAll, wait, save, revert, fork];
    for (let step = 0; step < STEPS; step++) await pick(steps)(pick([...worlds.values()]));

    unfollow();
    for (const { lab: here, commands } of worlds.values()) {
      const { state, appliedSeq } = here.exchange.sequencer;
      const replayed = new Exchange(loadState(first));
      let seq = firstSeq;
      for (const command of commands) {
        replayed.apply(command, ++seq);
        replayed.takeEvents();
      }
      assert.equal(seq, appliedSeq);
      assert.equal(stateHash(replayed.state), stateHash(state));
      checkInvariants(state);
    }
    await lab.stop();
  });
