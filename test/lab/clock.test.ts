/** Time of the laboratory: advances that tell what happened, clocks that are changed, limits that follow. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { LimitClock } from '../../src/api/limits/limit-clock.ts';
import { ExchangeClock, ManualClock, ScaledClock } from '../../src/sequencer/clock.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { Rng } from '../../src/simulator/rng.ts';
import { type Bourse, startBourse } from '../../src/testkit/index.ts';
import { command } from '../app/bourse-process.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
import { operate, startInMemory, stopAll } from '../memory/in-process.ts';
import { Lab, START, spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const HOUR = 3_600_000;
const BEGIN = Date.parse(START);
const PLACE = '/api/v3/trade/place-order';
const PERPETUAL = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;
const WORLD = { instruments: ['BTCUSDT'], prices: { BTCUSDT: '60000' } };

after(stopAll);

const advance = (lab: Lab, body: object) => lab.ask('POST', '/lab/clock/advance', body);
const mode = (lab: Lab, clock: string) => lab.ask('POST', '/lab/clock/mode', { clock });
const hashOf = ({ exchange }: Lab) => stateHash(exchange.sequencer.state);

/** alice long, bob short. */
async function openPositions(bourse: Bourse): Promise<void> {
  const order = { ...PERPETUAL, orderType: 'limit', price: '60000', qty: '0.5' } as const;
  await bourse.account('bob').place({ ...order, side: 'sell' });
  await bourse.account('alice').place({ ...order, side: 'buy' });
}

describe('an advance', () => {
  it('goes to the next funding and tells who paid what', async () => {
    await using bourse = await startBourse({ ...WORLD, start: '2026-01-01T07:45:00Z' });
    await openPositions(bourse);
    const { from, to, commands, events, happened } = await bourse.advance({ next: 'funding' });
    assert.equal(from.toISOString(), '2026-01-01T07:45:01.000Z');
    assert.equal(to.toISOString(), '2026-01-01T08:00:00.000Z');
    assert.equal((await bourse.now()).getTime(), to.getTime());
    assert.ok(commands > 890 && events.fundingSettled! > 0);
    const rows = happened.filter(({ what }) => what.startsWith('funding '));
    const paid = rows.find(({ what }) => what === 'funding paid')!;
    const received = rows.find(({ what }) => what === 'funding received')!;
    assert.deepEqual(
      [paid.account!, received.account!].toSorted((one, other) => one.localeCompare(other)),
      ['alice', 'bob'],
    );
    assert.deepEqual([paid.symbol, paid.coin, paid.time.getTime()], ['BTCUSDT', 'USDT', to.getTime()]);
    assert.equal(Number(paid.amount), -Number(received.amount));
  });

  it('goes to the next interest, candle and delivery, and to the earliest of all', async () => {
    await using bourse = await startBourse({ ...WORLD, start: '2026-01-01T06:42:00Z' });
    assert.equal((await bourse.advance({ next: 'candle:5m' })).to.toISOString(), '2026-01-01T06:45:00.000Z');
    assert.equal((await bourse.advance({ next: 'interest' })).to.toISOString(), '2026-01-01T07:00:00.000Z');
    assert.equal((await bourse.advance({ next: 'candle:15m' })).to.toISOString(), '2026-01-01T07:15:00.000Z');
    assert.equal((await bourse.advance({ next: 'any' })).to.toISOString(), '2026-01-01T08:00:00.000Z');
    const { happened } = await bourse.advance({ next: 'candle:1m' });
    assert.deepEqual(happened, [], 'no trade, no candle');
    await assert.rejects(bourse.advance({ next: 'delivery' }), /no delivery is to come/);
    await assert.rejects(bourse.advance({ next: 'candle:7h' }), /next must be .*1H/);
  });

  it('tells the first thousand and counts the rest, and who asked is in the audit log', async () => {
    const lab = await Lab.start({ rateLimits: 'off' });
    for (const name of ['alice', 'bob', 'maker'])
      for (let n = 0; n < 20; n++)
        await lab.client(name).post(
          '/api/v3/trade/place-batch',
          Array.from({ length: 20 }, (_, k) => spotOrder('buy', String(20_000 + n * 20 + k), '0.001')),
        );
    for (const name of ['alice', 'bob', 'maker'])
      await lab.client(name).post('/api/v3/trade/countdown-cancel-all', { countdown: '30' });
    const { happened, more, events } = await advance(lab, { by: '1m' });
    assert.equal(happened.length, 1000);
    const cancelled = Object.values(more as Record<string, number>).reduce((sum, each) => sum + each, 0);
    assert.equal(happened.length + cancelled, events.order);
    assert.equal(happened[0].time, BEGIN + 30_000);
    assert.match(happened[0].what, /^order cancelled, /);
    const { lines: entries } = await lab.ask('GET', '/admin/audit?limit=5');
    const line = entries.find(
      ({ action, outcome }: Record<string, string>) => action === 'lab.advance' && outcome === 'done',
    );
    assert.deepEqual([line.operator, line.arguments], ['ann', { by: '1m' }]);
    assert.equal(
      line.command,
      lab.exchange.sequencer.appliedSeq,
      'the last tick is the command of the action',
    );
    await lab.stop();
  });

  for (let seed = 1; seed <= 3; seed++)
    it(`comes to the same state in one or in many, seed ${seed}`, async () => {
      const rng = new Rng(seed, 'advances');
      const lab = await Lab.start({ market: 'quiet' });
      await lab.snapshot('start');
      const seconds = 120 + Math.floor(rng.between(0, 60));
      const { commands } = await advance(lab, { by: `${seconds}s` });
      const once = hashOf(lab);
      await lab.revert('start');
      let left = seconds;
      let sum = 0;
      while (left > 0) {
        const part = Math.min(left, Math.floor(rng.between(1, 50)));
        left -= part;
        sum += (await advance(lab, { by: `${part}s` })).commands;
      }
      assert.equal(sum, commands);
      assert.equal(hashOf(lab), once);
      await lab.stop();
    });
});

describe('an advance is refused', () => {
  let lab: Lab;
  before(async () => {
    lab = await Lab.start();
    await lab.snapshot('one');
  });

  it('with what is wrong, and changes nothing', async () => {
    const earlier = hashOf(lab);
    for (const [body, status, message] of [
      [{}, 400, /give one of by, .* to, .* and next/],
      [{ by: '1h', next: 'funding' }, 400, /give one of by/],
      [{ by: '1h', to: '2026-02-01T00:00:00Z' }, 400, /give one of by/],
      [{ by: 'soon' }, 400, /by must be a span such as 8h/],
      [{ by: '1h', step: '0s' }, 400, /step must be a span/],
      [{ to: 'tomorrow' }, 400, /to must be an instant/],
      [{ to: '2025-12-31T00:00:00Z' }, 400, /time does not go back/],
      [{ to: '2100-01-01T00:00:00Z', step: '9d' }, 400, /time ends with the year 2099/],
      [{ by: '30d' }, 400, /more than 200000 ticks: give a longer step/],
      [{ next: 'lunch' }, 400, /next must be funding, interest, delivery, any, or candle:INTERVAL/],
      [{ next: 'candle:7m' }, 400, /one of 1m, 3m/],
      [{ next: 'delivery' }, 422, /no delivery is to come/],
      [{ next: 'candle:1Mutc' }, 400, /give a longer step/],
      [{ by: '1h', stepp: '1s' }, 400, /stepp/],
      [{ by: 5 }, 400, /by/],
    ] as const) {
      const refusal = await lab.refused('POST', '/lab/clock/advance', body);
      assert.equal(refusal[0], status, JSON.stringify([body, refusal]));
      assert.match(refusal[2], message);
    }
    for (const clock of ['sundial', 'scaled:0', 'scaled:3601', '']) {
      const refusal = await lab.refused('POST', '/lab/clock/mode', { clock });
      assert.deepEqual(refusal.slice(0, 2), [400, 'invalid_request'], clock);
    }
    assert.equal(hashOf(lab), earlier);
  });

  it('while something else is done, as that is while it is under way', async () => {
    const late = advance(lab, { by: '30h' });
    while (!lab.exchange.ticker.advancing) await sleep(1);
    for (const [path, body] of [
      ['/lab/clock/advance', { by: '1s' }],
      ['/lab/clock/mode', { clock: 'wall' }],
      ['/lab/revert', { to: 'one' }],
      ['/lab/snapshots', { name: 'late' }],
    ] as const)
      assert.deepEqual((await lab.refused('POST', path, body)).slice(0, 2), [409, 'busy'], path);
    await lab.ask('POST', '/admin/clock/halt', {});
    assert.ok((await late).time < BEGIN + 30 * HOUR, 'the operator halts it');
    const reverting = lab.revert('one');
    const during = await operate(lab.exchange, 'POST', '/lab/clock/advance', { by: '1s' });
    assert.deepEqual([during.status, during.content.error?.code], [409, 'busy']);
    await reverting;
  });

  it('while another clock runs, with how to change it', async () => {
    await mode(lab, 'wall');
    const [status, code, message] = await lab.refused('POST', '/lab/clock/advance', { by: '1s' });
    assert.deepEqual([status, code], [422, 'not_allowed']);
    assert.match(message, /bourse lab clock mode manual/);
    await mode(lab, 'manual');
    await advance(lab, { by: '1s' });
  });

  it('where the laboratory is off', async () => {
    const off = await startInMemory({ lab: 'off' });
    const { status } = await operate(off, 'POST', '/lab/clock/advance', { by: '1s' });
    assert.equal(status, 404);
    await off.stop();
  });
});

describe('the clock of a running exchange', () => {
  const timeOf = async (lab: Lab) => (await lab.ask('GET', '/lab/clock')).time as number;

  it('changes from where it is, never back, and time, ticks and market go on', async () => {
    const lab = await Lab.start({ market: 'quiet' });
    let last = 0;
    for (const clock of ['scaled:20', 'wall', 'scaled:10', 'manual', 'wall', 'manual']) {
      const changed = await mode(lab, clock);
      assert.equal(changed.clock, clock);
      assert.ok(changed.time >= last, clock);
      const seq = lab.exchange.sequencer.appliedSeq;
      if (clock === 'manual') {
        await sleep(30);
        assert.equal(await timeOf(lab), changed.time);
        await advance(lab, { by: '10s' });
      } else {
        while (lab.exchange.sequencer.appliedSeq < seq + 3) await sleep(5);
      }
      assert.ok((await timeOf(lab)) > changed.time);
      const { data } = await lab.client('alice').get('/api/v3/public/time');
      assert.ok(Number(data.serverTime) < BEGIN + 200 * HOUR, 'not the time of the machine');
      const { clock: shown } = (await (await fetch(`${lab.exchange.url}/web/session`)).json()) as {
        clock: string;
      };
      assert.equal(shown, clock, 'pages learn of it');
      last = await timeOf(lab);
    }
    await lab.stop();
  });

  it('is that of the snapshot after a revert, and of its forks', async () => {
    const lab = await Lab.start();
    await lab.snapshot('still');
    await mode(lab, 'scaled:50');
    await lab.snapshot('running');
    await lab.revert('still');
    assert.deepEqual((await lab.ask('GET', '/lab/clock')).clock, 'manual');
    assert.equal(await timeOf(lab), BEGIN);
    const fork = async (wish: object) => {
      const { id } = await lab.ask('POST', '/lab/forks', wish);
      return (await new Lab(lab.exchange.fork(id)!).ask('GET', '/lab/clock')).clock;
    };
    assert.equal(await fork({ from: 'running' }), 'scaled:50');
    assert.equal(await fork({ from: 'running', clock: 'manual' }), 'manual');
    assert.equal(await fork({}), 'manual');
    await lab.revert('running');
    assert.equal((await lab.ask('GET', '/lab/clock')).clock, 'scaled:50');
    await lab.stop();
  });

  it('stays so over restarts until the setting changes, and the directory is proven', async () => {
    const data = join(temporaryDirectory(), 'data');
    const begin = (clock: 'wall' | 'manual') => startBourse({ ...WORLD, data, clock });
    const clockOf = async ({ operatorUrl, operatorToken }: Bourse) => {
      const answer = await fetch(`${operatorUrl}/lab/clock`, {
        headers: { authorization: `Bearer ${operatorToken}` },
      });
      const { clock, time } = (await answer.json()) as { clock: string; time: number };
      return { clock, time };
    };
    let bourse = await begin('wall');
    await bourse.setClock('manual');
    const { to } = await bourse.advance('10m');
    await bourse.close();
    bourse = await begin('wall');
    const resumed = await clockOf(bourse);
    assert.equal(resumed.clock, 'manual');
    assert.ok(resumed.time >= to.getTime() && resumed.time <= to.getTime() + 2000);
    await bourse.setClock('wall');
    const ahead = (await clockOf(bourse)).time;
    await bourse.close();
    bourse = await begin('wall');
    const running = await clockOf(bourse);
    assert.equal(running.clock, 'wall');
    assert.ok(running.time >= ahead, 'ten minutes ahead of the machine, and it runs');
    await bourse.setClock('scaled:60');
    await bourse.close();
    bourse = await begin('manual');
    assert.equal((await clockOf(bourse)).clock, 'manual', 'another setting counts');
    await bourse.close();
    const head = join(data, 'lab', 'HEAD');
    assert.ok(existsSync(head));
    const text = readFileSync(head, 'utf8');
    assert.match(text, /^branch 0 gap -?\d+ clock scaled:60 instead of wall\n$/);
    const { code, stdout, stderr } = await command(['verify', '--data', data, '--json']);
    assert.equal(code, 0, stdout + stderr);
    writeFileSync(head, text.replace('scaled:60', 'sundial'));
    await assert.rejects(begin('wall'), /HEAD/);
  });
});

describe('rate limits', () => {
  it("go by the machine's time on its clock, and by the exchange's where that is faster", () => {
    let timer = 0;
    const wall = new ManualClock(1_000_000);
    const clock = new ExchangeClock(wall);
    const limits = new LimitClock(clock, wall);
    assert.equal(limits.now(), 1_000_000);
    wall.advance(700);
    assert.equal(limits.now(), wall.now());
    const manual = new ManualClock(wall.now());
    clock.change(manual);
    manual.advance(5000);
    assert.equal(limits.now(), 1_005_700, 'an advance counts');
    wall.advance(250);
    assert.equal(limits.now(), 1_005_950, 'a clock that stands still does not stop clients');
    manual.advance(100);
    wall.advance(250);
    assert.equal(limits.now(), 1_006_200, 'the longer of both, not their sum');
    clock.change(new ScaledClock(manual.now(), 60, () => timer));
    timer += 1000;
    wall.advance(1000);
    assert.equal(limits.now(), 1_066_200, 'a minute a second');
  });

  /** Placed before the limit of the account is reached. */
  async function placedAtOnce(lab: Lab): Promise<number> {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        lab.client('alice').post(PLACE, spotOrder('buy', String(50_000 + n), '0.001')),
      ),
    );
    return answers.filter(({ code }) => code === '00000').length;
  }

  it('end with an advance of a manual clock, of orders as of messages', async () => {
    const lab = await Lab.start();
    // Real seconds count as well: a slow machine needs more than one round.
    const rounds: number[] = [];
    await until('the limit is reached and holds', async () => {
      rounds.push(await placedAtOnce(lab));
      const { code } = await lab.client('alice').post(PLACE, spotOrder('buy', '49000'));
      return rounds.at(-1)! < 40 && code === '429';
    });
    assert.ok(rounds[0]! >= 10, rounds.join(' '));
    await advance(lab, { by: '1s' });
    assert.equal((await lab.client('alice').post(PLACE, spotOrder('buy', '49000'))).code, '00000');

    const socket = new WebSocket(`${lab.exchange.url.replace('http', 'ws')}/v3/ws/public`);
    await new Promise((resolve) => socket.once('open', resolve));
    const answers: string[] = [];
    socket.on('message', (data: Buffer) => answers.push(data.toString()));
    const pings = async (wanted: number) => {
      answers.length = 0;
      for (let n = 0; n < wanted; n++) socket.send('ping');
      while (answers.length < wanted) await sleep(2);
      return answers.every((answer) => answer === 'pong');
    };
    for (let second = 0; second < 15; second++) {
      assert.ok(await pings(8), `second ${second}`);
      await advance(lab, { by: '1s' });
    }
    socket.close();
    await lab.stop();
  });

  it('are as much wider as a scaled clock is faster', async () => {
    const lab = await Lab.start({ clock: 'scaled:3600' });
    assert.equal(await placedAtOnce(lab), 40);
    await mode(lab, 'wall');
    await until('the limit is that of real seconds', async () => (await placedAtOnce(lab)) < 40);
    await lab.stop();
  });
});
