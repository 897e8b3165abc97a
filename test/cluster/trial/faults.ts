/** What goes wrong in a trial. Each fault is over when it returns; what must hold then is the trial's to see. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../harness/until.ts';
import type { Trial } from './trial.ts';

export type Fault = (trial: Trial) => Promise<void>;

const STANDBY_AWAY_MS = 10_000;
const CUT_MS = 5_000;
/** More than an order may take to arrive and to be executed (`judge.ts`). */
const STOPPED_MS_MIN = 6_000;
const STOPPED_MS_SPAN = 2_000;

const any = (trial: Trial) => Math.floor(trial.random() * trial.nodes.length);

/** kill -9; another joins in its place and has everything. */
export const killNode: Fault = async (trial) => {
  const n = any(trial);
  await trial.node(n).kill();
  await trial.load();
  await trial.healed(trial.nodes.filter((_, other) => other !== n));
  await trial.replaceNode(n);
};

/** kill -9 of the primary; the standby is promoted at once. */
export const losePrimary: Fault = (trial) => trial.servers.replacePrimary();

/** kill -9 of the primary, which comes back with what it had on its disk. */
export const restartPrimary: Fault = async (trial) => {
  const { servers } = trial;
  await servers.primary.kill();
  await servers.primary.resume();
  await servers.twoCopies();
};

/** Appends wait; nothing is lost. */
export const stopStandby: Fault = async (trial) => {
  const { standby } = trial.servers;
  await standby.kill();
  await sleep(STANDBY_AWAY_MS);
  await standby.resume();
  await trial.servers.twoCopies();
};

/** A node does nothing for a while and wakes: what waited in it is not executed. */
export const stopNode: Fault = async (trial) => {
  const n = any(trial);
  trial.node(n).sleep();
  await sleep(STOPPED_MS_MIN + trial.random() * STOPPED_MS_SPAN);
  await trial.healed(trial.nodes.filter((_, other) => other !== n));
  trial.node(n).wake();
};

/** A node does not reach the servers and takes itself out of service. */
export const cutNode: Fault = async (trial) => {
  const n = any(trial);
  const node = trial.node(n);
  for (const link of node.links) link.cut();
  await until(`node ${node.name} is not ready`, async () => !(await node.isReady()));
  await sleep(CUT_MS - 2_000);
  await trial.healed(trial.nodes.filter((_, other) => other !== n));
  for (const link of node.links) link.mend();
};

/** The primary does not reach its standby: nothing can be committed. */
export const cutStandby: Fault = async (trial) => {
  const { link } = trial.servers;
  link.cut();
  await sleep(CUT_MS);
  link.mend();
  await trial.servers.twoCopies();
};

/** The primary is lost to half of the nodes; the others go on. */
export const cutHalf: Fault = async (trial) => {
  const half = Math.ceil(trial.nodes.length / 2);
  const cut = trial.nodes.slice(0, half);
  for (const { links } of cut) links[0]!.cut();
  await sleep(CUT_MS);
  await trial.healed(trial.nodes.slice(half));
  for (const { links } of cut) links[0]!.mend();
};

/** One node after the other stops as operators stop them and starts again. */
export const rollingRestart: Fault = async (trial) => {
  for (const [n, node] of trial.nodes.entries()) {
    assert.equal(await node.stop(), 0, `node ${node.name} stops cleanly:\n${node.output}`);
    await trial.replaceNode(n);
    await trial.healed();
    await trial.load(300);
  }
};
