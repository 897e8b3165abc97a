/**
 * Two nodes open the same account at the same time, and the pack of one, the other or both is void. Both use one store,
 * whose changes have one order; the log is simulated as far as it matters here: commands get their place or not.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openMainAccount } from '../../src/accounts/open-main-account.ts';
import {
  type AccountServices,
  completeSubAccount,
  completeSubAccounts,
  openSubAccount,
} from '../../src/accounts/open-sub-account.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { Command, Unstamped } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { openMemoryIdentity } from '../../src/identity/sqlite-identity.ts';
import { OutcomeUnknown, Unavailable } from '../../src/sequencer/sequencer.ts';

const NOW = 1_700_000_000_000;

interface Pending {
  readonly node: number;
  readonly command: Unstamped<Command>;
  readonly resolve: (result: CommandResult) => void;
  readonly reject: (error: Error) => void;
}

/** What becomes of a node's pack. A lost answer comes before its pack, which may still get its place. */
type Fate = 'applied' | 'void' | 'unknown, then applied' | 'unknown, then void';
const FATES: readonly Fate[] = ['applied', 'void', 'unknown, then applied', 'unknown, then void'];

class TwoNodes {
  readonly identity = openMemoryIdentity();
  readonly exchange = new Exchange();
  readonly nodes = [0, 1].map((node) => this.#servicesOf(node));
  #pending: Pending[] = [];

  #servicesOf(node: number): AccountServices {
    const submit = (command: Unstamped<Command>) =>
      new Promise<CommandResult>((resolve, reject) => this.#pending.push({ node, command, resolve, reject }));
    return { identity: this.identity, sequencer: { state: this.exchange.state, submit } };
  }

  /** Everything up to the next wait for the log. */
  async settle(): Promise<void> {
    for (let n = 0; n < 20; n++) await setImmediate();
  }

  /** Gives the oldest command of a node its fate; false when it has none. */
  async decide(node: number, fate: Fate): Promise<boolean> {
    await this.settle();
    const at = this.#pending.findIndex((each) => each.node === node);
    if (at < 0) return false;
    const [{ command, resolve, reject }] = this.#pending.splice(at, 1) as [Pending];
    const apply = () => this.exchange.apply({ ...command, time: NOW } as Command);
    if (fate === 'applied') resolve(apply());
    else if (fate === 'void') reject(new Unavailable('not executed'));
    else reject(new OutcomeUnknown('no place yet'));
    await this.settle();
    if (fate === 'unknown, then applied') apply();
    return true;
  }

  /** Accounts of the core that no user belongs to. */
  orphans(): readonly number[] {
    return [...this.exchange.state.accountByUid.keys()].filter(
      (uid) => this.identity.findUser(uid) === undefined,
    );
  }
}

/** The second node finds the user of the first before the log has decided about it. */
async function race(open: (node: AccountServices, two: TwoNodes) => Promise<unknown>, main?: true) {
  for (const [first, second] of FATES.flatMap((one) => FATES.map((other) => [one, other] as const)))
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const what = `${first} and ${second}, node ${order[0]} first`;
      const two = new TwoNodes();
      const { identity, exchange } = two;
      const alice = identity.createUser({ name: 'alice', nowMs: NOW });
      assert.ok(alice.ok);
      const { uid } = alice.value;
      exchange.apply({ type: 'openAccount', time: NOW, uid, masterUid: 0, marketMaker: false, house: false });
      const answers = [];
      for (const node of two.nodes) {
        answers.push(
          open(node, two).then(
            () => 'open',
            (error: Error) => error.name,
          ),
        );
        await two.settle();
      }
      const fates = [first, second];
      for (const node of order) await two.decide(node, fates[node]!);
      // A user of the first that was withdrawn before the second could claim it is created again.
      for (let more = true; more; )
        more = (await two.decide(0, 'applied')) || (await two.decide(1, 'applied'));
      const told = await Promise.all(answers);
      for (const each of told) assert.match(each, /^(?:open|Unavailable|OutcomeUnknown)$/, what);
      assert.deepEqual(two.orphans(), [], what);
      const opened = [...exchange.state.accountByUid.keys()].filter((each) => each !== uid);
      if (told.includes('open')) assert.equal(opened.length, 1, `${what}: ${told.join()}`);
      const users = identity.listUsers().filter((each) => each.uid !== uid);
      assert.ok(users.length <= 1, what);
      if (!main) {
        const completing = completeSubAccounts(two.nodes[0]!);
        while (await two.decide(0, 'applied'));
        await completing;
        assert.equal(exchange.state.accountByUid.size, identity.listUsers().length, `${what}: completed`);
      }
      await identity.close();
    }
}

describe('an account that two nodes open at once', () => {
  it('has a user, when it is a sub-account', () =>
    race((node, { identity }) =>
      openSubAccount(node, identity.findUserByName('alice')!.uid, { name: 'desk', nowMs: NOW }),
    ));

  it('has a user, when it is a main account', () =>
    race((node) => {
      const flags = { broker: false, marketMaker: false, note: '' };
      return openMainAccount(node, { name: 'bob', nowMs: NOW, ...flags }).then((opened) => {
        if (!opened.ok) throw new Error('refused');
      });
    }, true));

  it('has a user, when a key is made for it while its opening fails', async () => {
    const two = new TwoNodes();
    const alice = two.identity.createUser({ name: 'alice', nowMs: NOW });
    assert.ok(alice.ok);
    const { uid } = alice.value;
    two.exchange.apply({
      type: 'openAccount',
      time: NOW,
      uid,
      masterUid: 0,
      marketMaker: false,
      house: false,
    });
    const [a, b] = two.nodes as [AccountServices, AccountServices];
    const opening = openSubAccount(a, uid, { name: 'desk', nowMs: NOW });
    await two.settle();
    const completing = completeSubAccount(b, two.identity.findSubByName(uid, 'desk')!);
    const refused = assert.rejects(opening, Unavailable);
    await two.decide(0, 'void');
    await refused;
    await two.decide(1, 'applied');
    assert.equal(await completing, true);
    assert.deepEqual(two.orphans(), []);
    await two.identity.close();
  });
});
