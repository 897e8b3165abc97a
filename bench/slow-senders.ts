/** What connections that send a byte a second cost a client that trades, and what the check of a passphrase costs each call. */
import { PassphraseGuard } from '../src/identity/passphrase.ts';
import { type RunningServer, startServer } from '../test/harness/server.ts';
import { SignedClient } from '../test/harness/signed-client.ts';
import { crowdOfSlowSenders } from '../test/security/hostile/slow-sender.ts';
import { type Benchmark, best, printTable, timed } from './report.ts';

const ORDERS = 300;
const CHECKS = 20_000;
const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '58000',
  qty: '0.01',
} as const;

export const slowSenders: Benchmark = {
  title: 'slow senders: a client that trades beside 450 connections that send a byte a second',
  async run() {
    const server = await startServer({ args: ['--rate-limits', 'off', '--log-level', 'error'] });
    await latencies(server, 'warm');
    const calm = await latencies(server, 'calm');
    const crowd = crowdOfSlowSenders(server.url);
    const amid: number[] = [];
    while (crowd.some(({ connected }) => connected)) amid.push(...(await latencies(server, 'amid', 10)));
    for (const sender of crowd) sender.leave();
    await server.stop();
    const row = (name: string, ms: readonly number[]) => [
      name,
      String(ms.length),
      `${percentile(ms, 0.5).toFixed(2)} ms`,
      `${percentile(ms, 0.99).toFixed(2)} ms`,
    ];
    console.log(
      'One order after the other, each on disk before its answer, until the last slow sender is dropped.\n',
    );
    printTable(['', 'orders', 'p50', 'p99'], [row('nobody else', calm), row('450 slow senders', amid)]);
    const slowest = (kind: string) =>
      Math.max(...crowd.filter((each) => each.kind === kind).map(({ droppedMs }) => droppedMs!));
    const dropped = ['slow headers', 'silent', 'slow body'].map(
      (kind) => `${kind} ${(slowest(kind) / 1000).toFixed(1)} s`,
    );
    console.log(`\nslowest to be dropped: ${dropped.join(', ')}`);
    console.log(`check of a known passphrase: ${passphraseMicroseconds().toFixed(2)} us`);
  },
};

let orders = 0;

async function latencies(server: RunningServer, name: string, count = ORDERS): Promise<number[]> {
  const client = new SignedClient(server.url, server.account('alice'));
  const taken: number[] = [];
  for (let n = 0; n < count; n++) {
    const clientOid = `${name}-${++orders}`;
    const startedMs = performance.now();
    const placed = await client.post('/api/v3/trade/place-order', { ...ORDER, clientOid });
    taken.push(performance.now() - startedMs);
    if (placed.code !== '00000') throw new Error(placed.text);
    await client.post('/api/v3/trade/cancel-order', { clientOid });
  }
  client.close();
  return taken;
}

function percentile(ms: readonly number[], share: number): number {
  return ms.toSorted((left, right) => left - right)[Math.floor(ms.length * share)]!;
}

function passphraseMicroseconds(): number {
  const guard = new PassphraseGuard(() => undefined);
  guard.seed('key', 'demo');
  const seconds = best(3, () =>
    timed(() => {
      for (let n = 0; n < CHECKS; n++) void guard.check('key', 'demo', 0);
    }),
  );
  return (seconds / CHECKS) * 1e6;
}
