/** `bourse lab …`: what is printed, and how it ends. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { command } from '../app/bourse-process.ts';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

describe('bourse lab', () => {
  let server: TestServer;
  before(async () => {
    server = await startHosted({ args: ['--clock', 'manual', '--instruments', 'BTCUSDT'] });
  });
  after(() => server.stop());

  const lab = (...words: string[]) => command(['lab', ...words, '--data', server.data]);
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await lab(...words, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  it('saves, lists, compares, goes back, deletes', async () => {
    const saved = await json('snapshot', 'save', 'before', '--note', 'bug 7');
    assert.equal(saved.name, 'before');
    const [listed] = await json('snapshot', 'list');
    assert.deepEqual([listed.name, listed.note, listed.parent], ['before', 'bug 7', null]);
    const alice = new SignedClient(server.url, server.account('alice'));
    await alice.post('/api/v3/trade/place-order', spotOrder('buy', '60000'));
    const { orders, accounts } = await json('diff', 'before');
    assert.deepEqual([orders.count, accounts.count], [1, 0]);
    assert.match(orders.rows[0].to, /^SPOT:BTCUSDT buy 0\.01 at 60000/);
    const text = (await lab('diff', 'before')).stdout;
    assert.match(text, /orders: 1 differ/);
    const reverted = await json('revert', 'before');
    assert.deepEqual(reverted.dropped, { commands: 1, orders: 1 });
    assert.equal(reverted.stateHash, saved.stateHash);
    assert.match((await lab('snapshot', 'list')).stdout, /branch-0 .*\n.*before/);
    assert.deepEqual(await json('snapshot', 'delete', 'before'), { deleted: 'before' });
  });

  it('explains a refusal and an order, as JSON and with the numbers', async () => {
    const alice = new SignedClient(server.url, server.account('alice'));
    await alice.post('/api/v3/trade/place-order', { ...spotOrder('buy', '90000'), clientOid: 'too-dear' });
    const explained = await json('explain', '--client-oid', 'too-dear', '--account', 'alice');
    assert.equal(explained.verdict, 'refused: buyAboveBand');
    const byNumber = await json('explain', '--command', String(explained.command.seq), '--others');
    assert.deepEqual(byNumber.checks, explained.checks);
    const { stdout } = await lab('explain', '--client-oid', 'too-dear', '--account', 'alice');
    assert.match(stdout, /NO +a buy is within the band +price 90000, reference \S+, band 5 % +at most (\S+)/);
    assert.match(stdout, /right would be\nat most \d/);
    assert.equal((await lab('explain')).code, 2);
    assert.match((await lab('explain', '--order', '1000000000099999999')).stderr, /there is no order/);
  });

  it('forks, lists forks and ends them', async () => {
    const fork = await json('fork');
    assert.equal((await fetch(`${fork.url}/healthz`)).status, 200);
    assert.deepEqual(
      (await json('fork', '--list')).map(({ id }: { id: string }) => id),
      [fork.id],
    );
    assert.deepEqual(await json('fork', '--end', fork.id), { ended: fork.id });
  });

  it('ends with 1 when it is refused, and with 2 when it is used wrongly', async () => {
    const refused = await lab('revert', 'nowhere');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /there is no snapshot "nowhere"/);
    for (const words of [
      ['fork', '--port', 'many'],
      ['revert'],
      ['clock', 'advance', '1s', '--next', 'funding'],
      ['fault', 'add', '{'],
      ['fault', 'add', '[]'],
      ['explain'],
      ['capsule', 'export'],
      ['capsule', 'export', '--out', '/nonexistent/x.capsule'],
      ['referee', 'bot', '--junit', '/nonexistent/x.xml'],
      ['referee', 'bot', '--fail-on', 'nothing'],
    ]) {
      const { code, stdout, stderr } = await lab(...words);
      assert.deepEqual([code, stdout], [2, ''], `${words.join(' ')}: ${stderr}`);
      assert.match(stderr, /^(bourse|error): [^\n]+\n(\(add --help.*\n)?$/, words.join(' '));
    }
  });
});
