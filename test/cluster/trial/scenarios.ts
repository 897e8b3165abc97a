/** Trials of a cluster: what goes wrong in which order, and what must hold then. */
import assert from 'node:assert/strict';
import type { StoredPack } from '../../../src/cluster/engine.ts';
import { programUrl } from '../../harness/program.ts';
import { until } from '../../harness/until.ts';
import {
  cutHalf,
  cutNode,
  cutStandby,
  type Fault,
  killNode,
  losePrimary,
  restartPrimary,
  rollingRestart,
  stopNode,
  stopStandby,
} from './faults.ts';
import { type Counts, Trial } from './trial.ts';

export type Say = (line: string) => void;

export interface Scenario {
  readonly name: string;
  run(seed: number, say: Say): Promise<Counts>;
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  'kill -9 of a node, another joins': killNode,
  'kill -9 of the primary, it restarts': restartPrimary,
  'standby stopped for 10 s': stopStandby,
  'node stopped (SIGSTOP)': stopNode,
  'cut: node from the servers': cutNode,
  'cut: primary from standby': cutStandby,
  'cut: primary from half of the nodes': cutHalf,
  'rolling restart': rollingRestart,
};

export const LOSE_PRIMARY: readonly [string, Fault] = [
  'kill -9 of the primary, the standby is promoted',
  losePrimary,
];

/** Each under load, and every node answers after it; in the end everything is compared. */
export async function suffer(
  trial: Trial,
  faults: readonly (readonly [string, Fault])[],
  say: Say,
): Promise<Counts> {
  for (const [name, fault] of faults) {
    await trial.load();
    await fault(trial);
    const ms = await trial.healed();
    say(`${name}: answers again after ${ms} ms`);
  }
  await trial.load();
  const { counts } = await trial.judge();
  return counts;
}

/** Begins and ends a trial around what is done in it; what was written down is kept when it fails. */
async function inTrial(
  options: Parameters<typeof Trial.begin>[0],
  work: (trial: Trial) => Promise<Counts>,
): Promise<Counts> {
  const trial = await Trial.begin(options);
  try {
    return await work(trial);
  } catch (error) {
    for (const { name, hasEnded, output } of trial.nodes)
      console.error(`node ${name}${hasEnded ? ', which has ended' : ''}:\n${output}`);
    console.error(`clients were told:\n${trial.told()}`);
    throw error;
  } finally {
    await trial.end();
  }
}

export const scenario = (name: string, faults: readonly (readonly [string, Fault])[]): Scenario => ({
  name,
  run: (seed, say) => inTrial({ seed }, (trial) => suffer(trial, faults, say)),
});

/** The servers lose what they had confirmed: no node goes on (cluster 4.5). */
export const lostPacks: Scenario = {
  name: 'the primary is lost; then the servers lose packs that they had confirmed',
  run: (seed, say) =>
    inTrial({ seed }, async (trial) => {
      const counts = await suffer(trial, [LOSE_PRIMARY], say);
      await trial.servers.run(LOSE_PACKS);
      for (const node of trial.nodes)
        await until(`node ${node.name} halts`, async () => node.hasEnded || !(await node.isReady()));
      for (const node of trial.nodes)
        await until(`node ${node.name} says why`, () =>
          /has lost or changed pack|does not follow/.test(node.output),
        );
      say('lost packs: every node has halted');
      for (const node of trial.nodes) await until(`node ${node.name} has ended`, () => node.hasEnded);
      const [row] = await trial.servers.run(
        'SELECT count(DISTINCT no) AS kept FROM bourse_cluster.kept_pack WHERE no > (SELECT max(no) FROM bourse_cluster.pack)',
      );
      assert.equal(Number(row?.kept), PACKS_LOST, 'the nodes have left the lost packs beside the log');
      return counts;
    }),
};

const PACKS_LOST = 5;

/** One transaction under the lock of the log: nobody appends between the loss and the end of the connections. */
const LOSE_PACKS = `DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('bourse_cluster.pack'));
  DELETE FROM bourse_cluster.pack WHERE no > (SELECT max(no) - ${PACKS_LOST} FROM bourse_cluster.pack);
  PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND datname = current_database() AND backend_type = 'client backend';
END $$`;

const CHANGED = 'c';
/** Packs in which it tells a state that is not the log's, after both others have told theirs (cluster 6.10): those on their way. */
const WRONG_PACKS_MAX = 2;

/** Of one node, as the judge has found them: how many stand behind the pack by which both others had told another state. */
function wrongPacksAfterMajority(findings: readonly string[], packs: readonly StoredPack[]): number {
  const wrong = findings.map((finding) => {
    const [, run, asOf, no] = WRONG_PACK.exec(finding)!;
    return { run: Number(run), asOf: Number(asOf), no: Number(no) };
  });
  const runs = new Set(wrong.map(({ run }) => run));
  assert.ok(runs.size <= 1, findings.join('\n'));
  const first = Math.min(...wrong.map(({ asOf }) => asOf));
  const told = new Map<number, number>();
  for (const { run, asOf, no } of packs)
    if (asOf >= first && !runs.has(run) && !told.has(run)) told.set(run, no);
  const majority = [...told.values()].sort((one, other) => one - other)[1] ?? Number.POSITIVE_INFINITY;
  return wrong.filter(({ no }) => no > majority).length;
}

const WRONG_PACK = /run (\d+) had another state after pack (\d+), it says in pack (\d+)/;

/** One node computes something else and stops; the others go on, also over the loss of the primary. */
export const divergence: Scenario = {
  name: 'one node has a changed rule; then the primary is lost',
  run: (seed, say) => {
    const env = { NODE_OPTIONS: `--import=${programUrl('test/cluster/trial/changed-rule.ts')}` };
    return inTrial({ seed, nodes: { [CHANGED]: { env } } }, async (trial) => {
      const changed = trial.nodes.find(({ name }) => name === CHANGED)!;
      const others = trial.nodes.filter((node) => node !== changed);
      await trial.load();
      await until(`node ${CHANGED} stops and says why`, () => /another state than most/.test(changed.output));
      await until(
        `node ${CHANGED} serves nobody`,
        async () => changed.hasEnded || !(await changed.isReady()),
      );
      say('changed rule: its node has stopped');
      await trial.withdraw(changed);
      await trial.healed(others);
      const [name, fault] = LOSE_PRIMARY;
      await fault(trial);
      say(`${name}: answers again after ${await trial.healed(others)} ms`);
      await trial.load();
      const { findings, counts } = await trial.judgement(others, changed);
      const digests = findings.filter((finding) => finding.startsWith('DIGEST'));
      assert.deepEqual(
        findings.filter((finding) => !finding.startsWith('DIGEST')),
        [],
      );
      const late = wrongPacksAfterMajority(digests, await trial.servers.packs());
      assert.ok(late <= WRONG_PACKS_MAX, `${late} packs after it could know: ${digests.join('\n')}`);
      for (const node of others)
        await until(`node ${node.name} goes on`, () => {
          assert.ok(!node.hasEnded, node.output);
          return node.isReady();
        });
      return counts;
    });
  },
};
