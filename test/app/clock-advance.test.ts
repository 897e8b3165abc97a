/** `bourse clock advance` waits as long as the clock needs, shows where it is and can be stopped. */
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endVenues, Venue } from '../admin/venue-process.ts';
import { startProgram } from '../harness/child-programs.ts';
import { programModule } from '../harness/program.ts';
import { bourse } from './bourse-process.ts';

const START = Date.UTC(2026, 5, 25, 7);
const HOUR = 3_600_000;
const TOOLS = programModule('src/bourse.ts');

describe('bourse clock advance', () => {
  const sequencer = new Venue();
  before(() => sequencer.start('--clock', 'manual', '--clock-start', '2026-06-25T07:00:00Z'));
  after(endVenues);

  const time = async (): Promise<number> => (await sequencer.ask('clock', 'show')).time;

  /**
   * The operator's listener behind a proxy that gives up every request for an advance once the exchange has it: what a
   * limit of the time that a client or a proxy waits for an answer does.
   */
  async function impatientProxy() {
    const { url, token } = sequencer.note();
    const target = new URL(url);
    let cut = 0;
    const proxy = createServer((incoming, outgoing) => {
      const { method, url: path, headers } = incoming;
      const to = { host: target.hostname, port: target.port, method, path, headers };
      const passed = request(to, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      incoming.pipe(passed);
      if (path !== '/admin/clock/advance') return;
      const giveUp = async () => {
        while ((await sequencer.admin('GET', '/admin/clock')).body.advance === undefined) await sleep(5);
        cut += 1;
        incoming.socket.destroy();
      };
      incoming.on('end', () => void giveUp());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, token, cuts: () => cut, close: () => proxy.close() };
  }

  it('goes on when the request for it is given up on the way: the exchange says when it is done', async () => {
    const proxy = await impatientProxy();
    const tokenFile = join(sequencer.data, 'operator.token');
    const args = ['clock', 'advance', '2h', '--operator', proxy.url, '--token-file', tokenFile, '--json'];
    const { code, stdout, stderr } = await bourse(args);
    proxy.close();
    assert.equal(proxy.cuts(), 1, 'the request was given up');
    assert.equal(code, 0, stderr);
    const { from, time: reached, events } = JSON.parse(stdout);
    assert.deepEqual([from, reached], [START, START + 2 * HOUR]);
    assert.ok(Object.keys(events).length > 0, 'what happened is told');
    assert.equal(await time(), START + 2 * HOUR);
  });

  it('stops after the present step at Ctrl-C and says where the clock is', async () => {
    const from = await time();
    const args = [TOOLS, 'clock', 'advance', '2d', '--data', sequencer.data, '--json'];
    const program = startProgram(args, { cwd: sequencer.data });
    while ((await sequencer.admin('GET', '/admin/clock')).body.time <= from) await sleep(5);
    const second = await sequencer.admin('POST', '/admin/clock/advance', { by: '1s' });
    assert.deepEqual([second.status, second.body.error.code], [409, 'busy']);
    program.process.kill('SIGINT');
    const { code, stdout, stderr } = await program.ended;
    assert.equal(code, 1, stderr);
    const stopped = JSON.parse(stdout);
    assert.equal(stopped.until, from + 48 * HOUR);
    assert.ok(stopped.time > from && stopped.time < stopped.until, `stopped at ${stopped.time}`);
    assert.equal(await time(), stopped.time, 'and there it stays');
    const actions = sequencer
      .audit()
      .filter(({ action, outcome }) => action === 'clock.halt' && outcome === 'done');
    assert.equal(actions.length, 1);
    assert.deepEqual(
      (await sequencer.ask('clock', 'advance', '1s')).time,
      stopped.time + 1000,
      'it can go on',
    );
  });

  it('tells a refusal at once', async () => {
    await sequencer.refused(1, /by must be a span/, 'clock', 'advance', 'soon');
    const halted = await sequencer.admin('POST', '/admin/clock/halt', {});
    assert.deepEqual([halted.status, halted.body.error.code], [422, 'not_allowed']);
  });
});
