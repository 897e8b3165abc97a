/** The judge of the trials finds nothing in an honest history, and each lie that is put into one (cluster 10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredPack } from '../../src/cluster/engine.ts';
import { chainOf, encodePack, FIRST_CHAIN } from '../../src/cluster/pack.ts';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { ANY, type Command } from '../../src/core/model/command.ts';
import { Side } from '../../src/core/model/enums.ts';
import { account, coin, deposit, order, spotPair } from '../property/venue.ts';
import { type Evidence, judge } from './trial/judge.ts';
import type { Call } from './trial/notes.ts';
import { type Executed, ReplayedLog } from './trial/replayed-log.ts';

const BEGIN_MS = 1_800_000_000_000;
const PACK_MS = 100;
const ORDERS = 30;
/** This order finds nobody; it is cancelled behind that one. */
const KEPT = 10;
const CANCELLED_BEHIND = 12;

const OPENING: readonly Command[] = [
  coin('AAA'),
  coin('BBB'),
  spotPair('AAA', 'BBB'),
  ...[1, 2].flatMap((uid) => [account(uid), deposit(uid, 0, 10n ** 15n), deposit(uid, 1, 10n ** 15n)]),
];

const placing = (n: number): Command =>
  order({
    uid: 1 + (n % 2),
    side: n % 2 === 0 ? Side.buy : Side.sell,
    priceTicks: n === KEPT ? 50 : n % 3 === 0 ? 100 : 90 + 20 * (n % 2),
    sizeLots: 2,
    clientOid: `o${n}`,
  });

interface Draft {
  readonly commands: readonly Command[];
  readonly at: number;
  readonly deadline: number;
}

/** Packs of the drafts; each says what its sender's state was after the last. */
function packsOf(drafts: readonly Draft[]): StoredPack[] {
  const packs: StoredPack[] = [];
  let [firstSeq, chain] = [1, FIRST_CHAIN];
  for (const [n, { commands, at, deadline }] of drafts.entries()) {
    const body = encodePack(commands.map((command) => encodeCommand(command).slice()));
    chain = chainOf(chain, body);
    const own = { run: 1 + (n % 3), runPack: n, confirmed: n, asOf: n, digest: 0 };
    packs.push({
      ...own,
      no: n + 1,
      firstSeq,
      at,
      stamp: at,
      deadline,
      commands: commands.length,
      body,
      chain,
    });
    firstSeq += commands.length;
  }
  const replayed = new ReplayedLog(packs, []);
  return packs.map((pack) => ({ ...pack, digest: replayed.digestAfter(pack.asOf)! }));
}

const cancelling: Command = {
  type: 'cancelOrder',
  time: 0,
  uid: 1 + (KEPT % 2),
  orderId: 0,
  clientOid: `o${KEPT}`,
  category: ANY,
  instrument: ANY,
};

const commandsOf = (n: number) => (n === CANCELLED_BEHIND ? [placing(n), cancelling] : [placing(n)]);

/** The opening, then an order in each pack; the last order is late and void. */
function drafts(): Draft[] {
  return [OPENING, ...Array.from({ length: ORDERS }, (_, n) => commandsOf(n))].map((commands, n) => {
    const at = BEGIN_MS + n * PACK_MS;
    return { commands, at, deadline: n === ORDERS ? at - 1 : at + 3_000 };
  });
}

/** What honest nodes told: of each order its place, then a read of each kind. */
function honest(given = drafts()): { packs: StoredPack[]; calls: Call[]; nodes: Evidence['nodes'] } {
  const packs = packsOf(given);
  const replayed = new ReplayedLog(packs, []);
  const calls: Call[] = [];
  const common = (n: number, later: number) => ({
    session: `s${n % 2}`,
    node: `node ${n % 3}`,
    uid: 1 + (n % 2),
    clientOid: `o${n}`,
    sentMs: packs[n + 1]!.at + later,
  });
  for (let n = 0; n < ORDERS; n++) {
    const [found] = replayed.placed.get(`o${n}`) ?? [];
    const place = {
      ...common(n, -2),
      id: `p${n}`,
      action: 'place',
      answeredMs: packs[n + 1]!.at + 5,
    } as const;
    if (found === undefined) calls.push({ ...place, outcome: 'not executed' });
    else if (found.accepted)
      calls.push({ ...place, outcome: 'done', seq: found.seq, orderId: found.orderId });
    else calls.push({ ...place, outcome: 'refused' });
    for (const [k, action] of (['open orders', 'balances', 'look up'] as const).entries())
      calls.push({
        ...common(n, 10 + 10 * k),
        id: `r${n}-${k}`,
        action,
        answeredMs: packs[n + 1]!.at + 15 + 10 * k,
        outcome: 'done',
        seq: packs[n + 1]!.firstSeq + packs[n + 1]!.commands - 1,
      });
  }
  const [[orderId, [cancelled]]] = [...replayed.cancelled] as [[string, [Executed]]];
  calls.push({
    ...common(CANCELLED_BEHIND, -2),
    id: 'cancel',
    session: 'cancels',
    action: 'cancel',
    clientOid: `o${KEPT}`,
    answeredMs: packs[CANCELLED_BEHIND + 1]!.at + 5,
    outcome: 'done',
    seq: cancelled.seq,
    orderId,
  });
  const shown = new ReplayedLog(packs, calls).shown;
  const told = calls.map((call) => (shown.has(call.id) ? { ...call, data: shown.get(call.id) } : call));
  const { lastSeq: seq, lastNo: no } = replayed;
  const hash = new ReplayedLog(packs, [], [seq]).hashes.get(seq)!;
  const digest = replayed.digestAfter(no)!;
  return { packs, calls: told, nodes: ['a', 'b', 'c'].map((name) => ({ name, seq, hash, no, digest })) };
}

const kinds = (evidence: Evidence) => [
  ...new Set(judge(evidence).findings.map((finding) => finding.split(':')[0]!)),
];

function edited(id: string, change: Partial<Call>): Evidence {
  const evidence = honest();
  assert.ok(evidence.calls.some((call) => call.id === id));
  return {
    ...evidence,
    calls: evidence.calls.map((call) => (call.id === id ? { ...call, ...change } : call)),
  };
}

const callOf = (id: string) => honest().calls.find((call) => call.id === id)!;

test('an honest history has no findings', () => {
  const { findings, counts } = judge(honest());
  assert.deepEqual(findings, []);
  assert.equal(counts.acknowledged, ORDERS - 1 + 1);
  assert.equal(counts['not executed'], 1);
  assert.equal(counts['reads compared'], 3 * ORDERS);
  assert.equal(counts.voided, 1);
});

const LIES: Readonly<Record<string, { readonly kind: readonly string[]; readonly lie: () => Evidence }>> = {
  'an acknowledged order that is not in the log': {
    kind: ['LOST'],
    lie: () => edited(`p${ORDERS - 1}`, { outcome: 'done', orderId: '1000000000000000001' }),
  },
  'an answer that does not know its own command': {
    kind: ['NUMBER'],
    lie: () => edited('p5', { seq: callOf('p5').seq! - 1 }),
  },
  'another order id than the log gave': {
    kind: ['TOLD'],
    lie: () => edited('p5', { orderId: callOf('p6').orderId }),
  },
  'a refused order that was executed': {
    kind: ['EXECUTED'],
    lie: () => edited('p5', { outcome: 'refused' }),
  },
  'an order said not to be executed': {
    kind: ['EXECUTED'],
    lie: () => edited('p5', { outcome: 'not executed' }),
  },
  'an order executed long after it was sent': {
    kind: ['LATE'],
    lie: () => edited('p5', { session: 'late', sentMs: callOf('p5').sentMs - 6_000 }),
  },
  'an order that stands twice': {
    kind: ['DOUBLED'],
    lie: () => {
      const given = drafts();
      const last = given[ORDERS]!;
      // The second time under another client id in the core's eyes: the first order has gone by then.
      given[ORDERS] = { ...last, commands: [placing(ORDERS - 1), placing(ORDERS - 1)], deadline: last.at };
      const evidence = honest(given);
      return { ...evidence, nodes: [] };
    },
  },
  'a cancellation that is not in the log': {
    kind: ['LOST'],
    lie: () => edited('cancel', { orderId: callOf('p5').orderId }),
  },
  'a cancellation that its answer does not know': {
    kind: ['NUMBER'],
    lie: () => edited('cancel', { seq: 1 }),
  },
  'a refused cancellation that was executed': {
    kind: ['EXECUTED'],
    lie: () => edited('cancel', { outcome: 'refused', seq: undefined }),
  },
  'an answer that came before the order of the log': {
    kind: ['ORDER'],
    lie: () => {
      const early = callOf('p9').sentMs;
      return edited('p9', { sentMs: early + 250, answeredMs: early + 260, session: 'other' });
    },
  },
  'a session that goes back': {
    kind: ['SESSION'],
    lie: () => edited('r7-0', { session: 's0', sentMs: callOf('r8-2').sentMs + 1 }),
  },
  'a balance that never was': {
    kind: ['READ'],
    lie: () => {
      const { data } = callOf('r7-1') as { data: { assets: { coin: string; available: string }[] } };
      const assets = data.assets.map((asset, n) => (n === 0 ? { ...asset, available: '1' } : asset));
      return edited('r7-1', { data: { ...data, assets } });
    },
  },
  'a balance of another moment': { kind: ['READ'], lie: () => edited('r9-1', { data: callOf('r5-1').data }) },
  'an open order that is not shown': {
    kind: ['READ'],
    lie: () => {
      const { data } = callOf('r7-0') as { data: { list: unknown[] } };
      return edited('r7-0', { data: { ...data, list: data.list.slice(1) } });
    },
  },
  'an order that is not found': { kind: ['READ'], lie: () => edited('r7-2', { data: undefined }) },
  'an order that is found and was void': {
    kind: ['READ'],
    lie: () => edited(`r${ORDERS - 1}-2`, { data: { orderId: '1000000000000000001' } }),
  },
  'a read without a number': { kind: ['READ'], lie: () => edited('r7-0', { seq: undefined }) },
  'a read of what the log does not have': {
    kind: ['AHEAD'],
    lie: () => edited(`r${ORDERS - 1}-2`, { seq: 1_000 }),
  },
  'a read of a node that was cut off': {
    kind: ['STALE'],
    lie: () => {
      const { sentMs, answeredMs } = callOf(`r${ORDERS - 1}-2`);
      return edited('r7-0', { session: 'cut off', sentMs: sentMs + 3_010, answeredMs: answeredMs! + 3_010 });
    },
  },
  'a missing order that came later': {
    kind: ['FINAL'],
    lie: () => {
      const evidence = honest();
      const { answeredMs } = callOf('p29');
      const before = { uid: 1, seq: OPENING.length, session: 'other', node: 'a', outcome: 'done' } as const;
      const lost = {
        ...callOf('p20'),
        outcome: 'unknown',
        answeredMs: BEGIN_MS - 4_000,
        sentMs: BEGIN_MS,
      } as const;
      const asked = {
        ...before,
        id: 'final',
        action: 'look up',
        clientOid: 'o20',
        sentMs: BEGIN_MS,
        answeredMs: answeredMs!,
        data: undefined,
      } as const;
      return { ...evidence, calls: [asked, lost, ...evidence.calls.filter(({ id }) => id !== 'p20')] };
    },
  },
  'a node with another state': {
    kind: ['HASH'],
    lie: () => {
      const evidence = honest();
      const [first, ...others] = evidence.nodes;
      return { ...evidence, nodes: [{ ...first!, hash: '0'.repeat(64) }, ...others] };
    },
  },
  'a node with another digest': {
    kind: ['HASH'],
    lie: () => {
      const evidence = honest();
      const [first, ...others] = evidence.nodes;
      return { ...evidence, nodes: [{ ...first!, digest: first!.digest + 1 }, ...others] };
    },
  },
  'a node that is behind': {
    kind: ['BEHIND'],
    lie: () => {
      const evidence = honest();
      const [first, ...others] = evidence.nodes;
      return { ...evidence, nodes: [{ ...first!, seq: first!.seq - 2 }, ...others] };
    },
  },
  'a pack that is missing': {
    kind: ['GAP', 'CHAIN', 'DIGEST', 'LOST', 'TOLD', 'READ', 'HASH'],
    lie: () => {
      const evidence = honest();
      return { ...evidence, packs: evidence.packs.toSpliced(4, 1) };
    },
  },
  'a chain that was written anew': {
    kind: ['CHAIN'],
    lie: () => {
      const evidence = honest();
      return {
        ...evidence,
        packs: evidence.packs.map((pack, n) => (n === 9 ? { ...pack, chain: FIRST_CHAIN } : pack)),
      };
    },
  },
  'a digest of another state': {
    kind: ['DIGEST'],
    lie: () => {
      const evidence = honest();
      return {
        ...evidence,
        packs: evidence.packs.map((pack, n) => (n === 9 ? { ...pack, digest: 1 } : pack)),
      };
    },
  },
  'a clock that goes back': {
    kind: ['TIME'],
    lie: () => {
      const given = drafts();
      given[9] = { ...given[9]!, at: given[8]!.at - 1 };
      return honest(given);
    },
  },
};

const byName = (one = '', other = '') => one.localeCompare(other);

for (const [name, { kind, lie }] of Object.entries(LIES))
  test(`the judge finds ${name}`, () =>
    assert.deepEqual(kinds(lie()).toSorted(byName), [...kind].toSorted(byName)));
