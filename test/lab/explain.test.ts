/** `GET /lab/explain` and `explain()` of the testkit: why orders are refused, what fills and liquidations were made of. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { saveState } from '../../src/core/snapshot/snapshot.ts';
import { openMemoryJournal } from '../../src/journal/memory-journal.ts';
import { Explainer } from '../../src/lab/explain/explainer.ts';
import { FedPast } from '../../src/lab/explain/past.ts';
import {
  type Account,
  type Bourse,
  BourseError,
  type Explanation,
  startBourse,
} from '../../src/testkit/index.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const PERPETUAL = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;
const SMALL = { instruments: ['BTCUSDT'], prices: { BTCUSDT: '60000' } } as const;
const limit = (side: 'buy' | 'sell', qty: string, price: string, more: object = {}) =>
  ({ ...PERPETUAL, orderType: 'limit', side, qty, price, ...more }) as const;

const refusedCheck = ({ checks }: Explanation) => checks.find(({ verdict }) => verdict === 'refused')!;

/** Refused, and what it was refused for. */
async function refused(
  bourse: Bourse,
  account: Account,
  order: Parameters<Account['place']>[0],
): Promise<Explanation> {
  const clientOid = `refused-${Math.random().toString(36).slice(2)}`;
  await assert.rejects(account.place({ ...order, clientOid }), BourseError);
  return bourse.explain({ clientOid, account: account.name });
}

async function answer(bourse: Bourse, query: string) {
  const response = await fetch(`${bourse.operatorUrl}/lab/explain?${query}`, {
    headers: { authorization: `Bearer ${bourse.operatorToken}` },
  });
  const { error } = (await response.json()) as { error?: { code: string; message: string } };
  return [response.status, error?.code, error?.message] as const;
}

/** Ann has 5,000 USDT and is long a contract of maker at 60,000 with leverage 20. */
async function openRisky(bourse: Bourse): Promise<void> {
  const [ann, maker] = [bourse.account('ann'), bourse.account('maker')];
  await maker.place(limit('sell', '1', '60000'));
  await ann.place(limit('buy', '1', '60000'));
}
const RISKY = { ...SMALL, accounts: { ann: { USDT: '7000' }, maker: { USDT: '1000000' } } } as const;

describe('an explanation', () => {
  let bourse: Bourse;
  before(async () => {
    bourse = await startBourse(SMALL);
  });
  after(() => bourse.close());

  it('names the check, its values and the largest order that would have been accepted', async () => {
    const bot = bourse.account('bot');
    const hash = await bourse.stateHash();
    const explained = await refused(bourse, bot, limit('buy', '900', '60000'));
    assert.equal(explained.verdict, 'refused: insufficientMargin');
    const { rule, inputs, rightWouldBe } = refusedCheck(explained);
    assert.equal(rule, 'rules 5.6');
    assert.deepEqual([inputs.initialBefore, inputs.leverage, inputs.value], ['0 USD', '10', '54000000']);
    const [, most] = /^a quantity of at most ([\d.]+)/.exec(rightWouldBe!)!;
    assert.equal(explained.rightWouldBe, rightWouldBe);
    const more = (Number(most) + 0.0001).toFixed(4);
    assert.equal((await refused(bourse, bot, limit('buy', more, '60000'))).verdict, explained.verdict);
    assert.notEqual(await bourse.stateHash(), hash, 'a refusal is counted');
    const { orderId } = await bot.place(limit('buy', most!, '60000'));
    await bot.cancel({ orderId });
  });

  it('lists the checks before the one that refuses as passed, those behind it as not reached', async () => {
    const explained = await refused(bourse, bourse.account('bot'), limit('buy', '0.1', '70000'));
    const { check, bound, inputs } = refusedCheck(explained);
    assert.deepEqual(
      [check, bound, inputs.reference],
      ['a buy is within the band', 'at most 63000', '60000'],
    );
    const at = explained.checks.indexOf(refusedCheck(explained));
    assert.ok(at > 5 && explained.checks.slice(0, at).every(({ verdict }) => verdict === 'passed'));
    assert.ok(explained.checks.slice(at + 1).every(({ verdict }) => verdict === 'not reached'));
    assert.deepEqual(explained.docs, ['docs/spec/rules.md: rules 1.2 number 8']);
  });

  it('tells levels, fees and postings of a fill, and nothing of the other side unless asked', async () => {
    const [alice, bob, bot] = ['alice', 'bob', 'bot'].map((name) => bourse.account(name)) as [
      Account,
      Account,
      Account,
    ];
    await alice.place(limit('sell', '0.1', '60000'));
    await bob.place(limit('sell', '0.1', '60001'));
    const taken = await bot.place(limit('buy', '0.15', '60001'));
    const explained = await bourse.explain({ orderId: taken.orderId });
    assert.equal(explained.verdict, 'accepted: filled');
    assert.deepEqual(
      explained.matches.map(({ level, price, qty, taker, maker }) => [level, price, qty, taker, maker]),
      [
        [1, '60000', '0.1', bot.uid, 'another account'],
        [2, '60001', '0.05', bot.uid, 'another account'],
      ],
    );
    // 6,000 and 3,000.05 at the taker's 0.06 %.
    assert.deepEqual(
      explained.matches.map(({ fees }) => fees.map(({ of, fee }) => [of, fee])),
      [[['taker', '3.6']], [['taker', '1.80003']]],
    );
    assert.deepEqual(
      explained.postings.map(({ from, to, amount }) => [from, to, amount]),
      [
        [`${bot.uid} cash`, 'sys:fee', '3.6'],
        [`${bot.uid} cash`, 'sys:fee', '1.80003'],
      ],
    );
    for (const other of [alice, bob]) assert.doesNotMatch(JSON.stringify(explained), new RegExp(other.uid));
    const all = await bourse.explain({ orderId: taken.orderId }, { others: true });
    assert.deepEqual(
      all.matches.map(({ maker }) => maker),
      [alice.uid, bob.uid],
    );
    const ofMaker = all.matches[0]!.fees.find(({ of }) => of === 'maker')!;
    const madeBy = await bourse.explain({ fill: ofMaker.fill! });
    assert.deepEqual(
      [madeBy.what, madeBy.verdict, madeBy.command.account, madeBy.checks, madeBy.matches[0]!.taker],
      ['a command of another account', 'filled', alice.uid, [], 'another account'],
    );
    // Hers: she has paid the maker's fee of 1.2, and the terms are those of her short.
    assert.equal(madeBy.margin!.terms.find(({ what }) => what === 'USDT')!.inputs.balance, '99998.8');
    const { fill } = explained.matches[1]!.fees[0]!;
    const ofFill = await bourse.explain({ fill: fill! });
    assert.deepEqual([ofFill.command, ofFill.matches], [explained.command, explained.matches]);
  });

  it('follows an order to its end', async () => {
    const [alice, bot] = [bourse.account('alice'), bourse.account('bot')];
    const { orderId } = await alice.place(limit('buy', '0.02', '59000'));
    await bot.place(limit('sell', '0.01', '59000'));
    await bourse.advance('3s');
    await alice.cancel({ orderId });
    const { timeline, verdict } = await bourse.explain({ orderId });
    assert.equal(verdict, 'accepted: new');
    assert.deepEqual(
      timeline.map(({ what }) => what),
      ['order new', 'fill', 'order partially_filled', 'order cancelled'],
    );
    assert.equal(timeline.at(-1)!.facts.cancelReason, 'normal_cancel');
  });

  it('shows what the margin of a position is the sum of', async () => {
    const { margin, timeline } = await bourse.explain({ position: 'bot', symbol: 'BTCUSDT' });
    const of = (name: string) => margin!.terms.filter((term) => term.of === name);
    assert.deepEqual(
      of('maintenance').map(({ what }) => what),
      ['USDT-FUTURES BTCUSDT'],
    );
    assert.equal(timeline[0]!.facts.size, '0.14');
  });

  it('refuses questions that are none, names what is wrong, and knows what it does not know', async () => {
    const { seq } = (await bourse.explain({ position: 'bot', symbol: 'BTCUSDT' })).command;
    const cases: readonly (readonly [string, number, string, RegExp])[] = [
      ['', 400, 'invalid_request', /say what to explain: orderId=ID, clientOid=/],
      ['command=5&orderId=1000000000000000001', 400, 'invalid_request', /orderId and command: ask about one/],
      [
        'command=0',
        400,
        'invalid_request',
        /command must be a sequence number above 0 of at most 15 digits, not 0/,
      ],
      ['command=1e3', 400, 'invalid_request', /not 1e3/],
      ['orderId=77', 400, 'invalid_request', /orderId must be an id of 19 digits/],
      ['clientOid=x', 400, 'invalid_request', /clientOid needs account/],
      ['position=bot', 400, 'invalid_request', /position needs symbol/],
      ['command=3&symbol=BTCUSDT', 400, 'invalid_request', /symbol belongs to position/],
      ['order=3', 400, 'invalid_request', /order/],
      ['command=3&others=yes', 400, 'invalid_request', /others/],
      [`command=${seq + 1}`, 404, 'unknown_past', new RegExp(`the last one is ${seq}`)],
      ['orderId=1000000000099999999', 404, 'unknown_past', /there is no order 1000000000099999999/],
      ['fill=1000000000099999999', 404, 'unknown_past', /there is no fill/],
      ['clientOid=never&account=bot', 404, 'unknown_past', /has sent no order with the clientOid never/],
      ['clientOid=never&account=nobody', 404, 'unknown_account', /nobody/],
      ['liquidation=bot', 404, 'unknown_past', /has not been liquidated/],
      ['position=maker&symbol=BTCUSDT', 404, 'unknown_past', /has no position in BTCUSDT/],
    ];
    for (const [query, status, code, words] of cases) {
      const [gotStatus, gotCode, message] = await answer(bourse, query);
      assert.deepEqual([gotStatus, gotCode], [status, code], query);
      assert.match(message!, words, query);
    }
  });

  it('changes nothing, however often it is asked', async () => {
    const before = await bourse.stateHash();
    await Promise.all(Array.from({ length: 5 }, (_, n) => bourse.explain({ command: n + 20 })));
    assert.equal(await bourse.stateHash(), before);
  });
});

describe('a liquidation', () => {
  it('is told from the last safe second on, with its steps and who paid', async () => {
    await using bourse = await startBourse(RISKY);
    await openRisky(bourse);
    const ann = bourse.account('ann');
    await ann.place(limit('buy', '0.001', '50000'));
    await bourse.account('maker').place(limit('buy', '2', '53200'));
    await bourse.shock('BTC', -11, '10s');
    await bourse.shock('BTC', -0.5, '20s');
    assert.deepEqual(await ann.positions(), []);
    const { verdict, timeline, margin, matches } = await bourse.explain({ liquidation: 'ann' });
    assert.equal(verdict, 'liquidated');
    const words = timeline.map(({ what }) => what);
    assert.equal(words[0], 'the last safe second');
    assert.ok(words.includes('margin ratio'), words.join('\n'));
    const begins = words.indexOf('liquidation of the account begins');
    assert.ok(begins > 0);
    assert.deepEqual(
      words
        .slice(begins + 1)
        .filter((what) => !what.startsWith('order '))
        .slice(0, 1),
      ['position closed by liquidation'],
    );
    assert.ok(words.indexOf('order cancelled') > begins, 'its order is cancelled first');
    assert.equal(words.at(-1), 'who paid, from the view of the account');
    const ratios = timeline.slice(0, begins).map(({ facts }) => Number.parseFloat(facts.ratio!));
    assert.ok(
      ratios[0]! < 80 && ratios.every((ratio, n) => n === 0 || ratio > ratios[n - 1]!),
      ratios.join(),
    );
    assert.ok(Number.parseFloat(margin!.ratio) >= 100, margin!.ratio);
    assert.deepEqual(
      matches.map(({ taker, maker, qty }) => [taker, maker, qty]),
      [[ann.uid, 'another account', '1']],
    );
    const [order] = timeline.filter(({ what }) => what === 'position closed by liquidation');
    const byId = await bourse.explain({ liquidation: order!.facts.orderId! });
    assert.deepEqual(byId.timeline, timeline);
  });
});

describe('what is gone', () => {
  it('is what a journal in memory has dropped, and is refused with the oldest command that is left', async () => {
    for (const pastBytesMax of [0, 2 ** 24]) {
      const { journal } = openMemoryJournal({ pastBytesMax });
      const exchange = new Exchange();
      const tick = (time: number): void => {
        const seq = journal.append(encodeCommand({ type: 'tick', time }));
        exchange.apply({ type: 'tick', time }, seq);
        exchange.takeEvents();
      };
      for (let n = 1; n <= 5_000; n++) {
        tick(1_767_225_600_000 + n * 1_000);
        if (n % 2_000 === 0) await journal.saveSnapshot(n, saveState(exchange.state));
      }
      const past = new FedPast();
      const pieces = journal.copyFrom(1, Number.POSITIVE_INFINITY);
      for (const snapshot of journal.snapshots)
        past.feed({ snapshot, pieces: [], firstSeq: journal.firstSeq });
      past.feed({ pieces, firstSeq: journal.firstSeq });
      const explainer = new Explainer(past);
      const explain = (seq: number) =>
        explainer.answer({ kind: 'command', seq }, journal.appendedSeq, { own: undefined, others: false });
      const oldest = pastBytesMax === 0 ? 2_001 : 1;
      const answer = explain(oldest);
      assert.ok(!('refused' in answer) && answer.command.seq === oldest, JSON.stringify(answer));
      if (oldest === 1) continue;
      assert.deepEqual(explain(oldest - 1), {
        refused: 'gone',
        message:
          'command 2000 is not in the journal any more: the oldest that can be explained is command 2001',
        oldest,
      });
      await journal.close();
    }
  });

  it('comes back with a revert, whose branch has its own past', async () => {
    await using bourse = await startBourse(SMALL);
    const bot = bourse.account('bot');
    const snapshot = await bourse.snapshot('begin');
    const first = await bot.place(limit('buy', '0.001', '59000'));
    assert.match((await bourse.explain({ orderId: first.orderId })).what, /at 59000/);
    await bourse.revert(snapshot);
    const second = await bot.place(limit('buy', '0.001', '58000'));
    assert.equal(second.orderId, first.orderId);
    assert.match((await bourse.explain({ orderId: second.orderId })).what, /at 58000/);
    const [status, , message] = await answer(bourse, `command=${snapshot.seq}`);
    assert.equal(status, 410, message);
  });
});

describe('a data directory', () => {
  it('is explained from its journal, before and after a restart', async () => {
    const data = temporaryDirectory();
    const asked = async (bourse: Bourse, orderId: string) => {
      const { replayed: _, ...rest } = await bourse.explain({ orderId });
      return rest;
    };
    let orderId = '';
    let told: Awaited<ReturnType<typeof asked>>;
    {
      await using bourse = await startBourse({ ...SMALL, data });
      ({ orderId } = await bourse.account('bot').place(limit('buy', '0.001', '59000')));
      told = await asked(bourse, orderId);
      assert.equal(told.verdict, 'accepted: new');
    }
    await using again = await startBourse({ ...SMALL, data });
    assert.deepEqual(await asked(again, orderId), told);
    assert.equal((await again.explain({ command: 1 })).command.type, 'setEdition');
  });
});
