/**
 * Backups of an exchange under load, with kill -9 of the backup and of the restore right before a change of a file that
 * the seed draws. What the clients were told before a backup began must be in what is restored from it, in the state
 * that the exchange had at that moment.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, type Ended, start } from '../app/bourse-process.ts';
import { changesOf, killedAt } from '../backup/killed-program.ts';
import { OrderJournal } from '../crash/order-journal.ts';
import { Trader } from '../crash/trader.ts';
import { type RunningServer, startServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { seededRandom } from '../simulation/disk.ts';
import type { Campaign, CampaignRun, TrialResult } from './campaign.ts';

/** Small files and frequent snapshots, so that a copy meets segments that go. */
const OPTIONS = [
  '--quiet',
  '--rate-limits',
  'off',
  '--segment-bytes',
  '262144',
  '--snapshot-commands',
  '300',
];
const ACCOUNTS = ['alice', 'bob', 'maker'];
/** Orders that the clients see acknowledged before a backup begins. */
const ORDERS_BEFORE = 30;
/** Orders asked for after a restore: the last ones told of, and some older ones. */
const LAST_ASKED = 40;
const OLDER_ASKED = 40;

interface Made {
  readonly moment: { readonly seq: number; readonly stateHash: string };
}

interface Acknowledged {
  readonly account: string;
  readonly clientOid: string;
  readonly orderId: string;
}

export const campaign: Campaign = {
  summary: 'backups under load, killed and restored: nothing acknowledged before them is missing',
  trials: 20,
  open: (seed) => LoadedExchange.open(seed),
};

class LoadedExchange implements CampaignRun {
  readonly #home = temporaryDirectory();
  readonly #random: () => number;
  readonly #journal = new OrderJournal();
  readonly #server: RunningServer;
  readonly #traders: readonly Trader[];
  /** Changes of files that a backup and a restore make, to draw a moment from. */
  #backupChanges = 0;
  #restoreChanges = 0;

  private constructor(seed: number, server: RunningServer) {
    this.#random = seededRandom(seed);
    this.#server = server;
    this.#traders = ACCOUNTS.map(
      (name) => new Trader(name, server.account(name), this.#journal, this.#random),
    );
  }

  static async open(seed: number): Promise<LoadedExchange> {
    const data = join(temporaryDirectory(), 'data');
    const run = new LoadedExchange(seed, await startServer({ data, args: OPTIONS }));
    await run.#measure();
    return run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.kill();
  }

  async trial(number: number): Promise<TrialResult> {
    const directory = join(this.#home, `backup-${number}`);
    const data = join(this.#home, `restored-${number}`);
    try {
      const { manifest, told } = await this.#underLoad(() => this.#backUpTwice(directory));
      await this.#mustVerify([directory], manifest.moment);
      const cutRestore = await this.#cutRestore(directory, data);
      if (!cutRestore) await succeeds(command(['restore', directory, '--data', data]));
      await this.#mustVerify(['--data', data], manifest.moment);
      await this.#judge(data, told);
      return { name: 'sound', counts: { 'orders acknowledged before': told.length } };
    } catch (error) {
      return { name: 'failed', failure: (error as Error).message };
    } finally {
      for (const place of [directory, data]) rmSync(place, { recursive: true, force: true });
    }
  }

  async #measure(): Promise<void> {
    const directory = join(this.#home, 'measured');
    const data = join(this.#home, 'measured-restored');
    const backUp = () => changesOf(['backup', directory, '--data', this.#server.data]);
    this.#backupChanges = await this.#underLoad(backUp);
    this.#restoreChanges = await changesOf(['restore', directory, '--data', data]);
  }

  #acknowledged(): Acknowledged[] {
    const done = this.#journal.orders.filter(({ answer }) => answer === 'done');
    return done.map(({ account, clientOid, orderId }) => ({ account, clientOid, orderId }));
  }

  /** Orders are acknowledged before the work begins, while it lasts and after it. */
  async #underLoad<Result>(work: () => Promise<Result>): Promise<Result> {
    let over = false;
    const trading = this.#traders.map((trader) => trader.trade(this.#server.url, () => over));
    const wanted = this.#acknowledged().length + ORDERS_BEFORE;
    while (this.#acknowledged().length < wanted) await sleep(5);
    try {
      return await work();
    } finally {
      over = true;
      await Promise.all(trading);
    }
  }

  /** Once killed and, unless it was whole by then, once more to the end. */
  async #backUpTwice(directory: string): Promise<{ manifest: Made; told: Acknowledged[] }> {
    const before = this.#acknowledged();
    if (await this.#cutBackup(directory)) return { manifest: await this.#again(directory), told: before };
    const told = this.#acknowledged();
    return { manifest: await this.#backUp(directory), told };
  }

  /** A killed backup is whole, or it is refused by everything that reads one. */
  async #cutBackup(directory: string): Promise<boolean> {
    const moment = 1 + Math.floor(this.#random() * this.#backupChanges);
    await killedAt(moment, ['backup', directory, '--data', this.#server.data]);
    if (existsSync(join(directory, 'backup.json'))) return true;
    if (!existsSync(join(directory, 'backup.incomplete'))) {
      const left = existsSync(directory) ? readdirSync(directory) : [];
      assert.deepEqual(
        left.filter((name) => !name.endsWith('.tmp')),
        [],
        'what was begun says so',
      );
      return false;
    }
    for (const args of [
      ['verify', directory],
      ['restore', directory, '--data', join(this.#home, 'never')],
    ]) {
      const { code, stderr } = await command(args);
      assert.deepEqual(
        [code, /is an incomplete backup/.test(stderr)],
        [4, true],
        `${args.join(' ')}: ${stderr}`,
      );
    }
    return false;
  }

  async #backUp(directory: string): Promise<Made> {
    const { stdout } = await succeeds(command(['backup', directory, '--data', this.#server.data, '--json']));
    return JSON.parse(stdout);
  }

  /** A whole backup is not overwritten. */
  async #again(directory: string): Promise<Made> {
    const { code, stderr } = await command(['backup', directory, '--data', this.#server.data]);
    assert.deepEqual([code, /holds a backup already/.test(stderr)], [2, true], stderr);
    const { stdout } = await succeeds(command(['verify', directory, '--json']));
    const { lastSeq: seq, stateHash } = JSON.parse(stdout);
    return { moment: { seq, stateHash } };
  }

  async #mustVerify(where: readonly string[], moment: Made['moment']): Promise<void> {
    const { stdout } = await succeeds(command(['verify', ...where, '--json']));
    const { lastSeq, stateHash } = JSON.parse(stdout);
    assert.deepEqual([lastSeq, stateHash], [moment.seq, moment.stateHash], 'the state of its moment');
  }

  /** True when the killed restore had been finished. */
  async #cutRestore(directory: string, data: string): Promise<boolean> {
    const moment = 1 + Math.floor(this.#random() * this.#restoreChanges);
    await killedAt(moment, ['restore', directory, '--data', data]);
    if (existsSync(join(data, 'restore.incomplete'))) {
      const { code, stderr } = await start(['--port', '0', '--data', data]);
      assert.deepEqual([code, /is half restored/.test(stderr)], [4, true], stderr);
      return false;
    }
    return existsSync(join(data, 'identity.sqlite'));
  }

  #chosen(told: readonly Acknowledged[]): readonly Acknowledged[] {
    const older = told.slice(0, -LAST_ASKED);
    const any = () => older[Math.floor(this.#random() * older.length)]!;
    const some = older.length === 0 ? [] : Array.from({ length: OLDER_ASKED }, any);
    return [...told.slice(-LAST_ASKED), ...some];
  }

  async #judge(data: string, told: readonly Acknowledged[]): Promise<void> {
    const server = await startServer({ data, args: OPTIONS });
    const clients = new Map(
      ACCOUNTS.map((name) => [name, new SignedClient(server.url, server.account(name))]),
    );
    try {
      for (const { account, clientOid, orderId } of this.#chosen(told)) {
        const found = await clients.get(account)!.get('/api/v3/trade/order-info', { clientOid });
        assert.equal(
          found.data?.orderId,
          orderId,
          `LOST: order ${account} ${clientOid} was acknowledged: ${found.text}`,
        );
      }
      const order = {
        category: 'SPOT',
        symbol: 'BTCUSDT',
        side: 'buy',
        orderType: 'limit',
        price: '50000',
        qty: '0.01',
      };
      const placed = await clients.get('alice')!.post('/api/v3/trade/place-order', order);
      assert.equal(placed.code, '00000', `the restored exchange trades: ${placed.text}`);
    } finally {
      for (const client of clients.values()) client.close();
      await server.kill();
    }
  }
}

async function succeeds(ended: Promise<Ended>): Promise<Ended> {
  const result = await ended;
  assert.equal(result.code, 0, result.output);
  return result;
}
