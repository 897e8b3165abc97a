/**
 * What a restart costs: the log read from disk, checked, decoded and applied; and from starting the process to the
 * first accepted order, after a kill -9. Baseline in the same run: reading and checking the log alone.
 */
import { rmSync } from 'node:fs';
import { encodeCommand } from '../src/core/codec/command-codec.ts';
import { openFileJournal } from '../src/journal/file-journal.ts';
import { replay } from '../src/sequencer/recovery.ts';
import { noHistory } from '../test/harness/memory-journal.ts';
import { startServer } from '../test/harness/server.ts';
import { SignedClient } from '../test/harness/signed-client.ts';
import { temporaryDirectory } from '../test/harness/temporary-directory.ts';
import { marketFlow } from './market.ts';
import { type Benchmark, printTable, rate, ratio } from './report.ts';

const COMMANDS = 1_000_000;
const SEED = 7;
const TAIL_ORDERS = 2_000;

export const recovery: Benchmark = {
  title: 'Recovery: replayed commands a second, and start to first accepted order',
  async run() {
    await replayRate(temporaryDirectory());
    await startTime();
  },
};

async function replayRate(directory: string): Promise<void> {
  const { setUp, commands } = marketFlow(1000, 1000, COMMANDS, SEED);
  const written = await openFileJournal({ directory });
  for (const [n, command] of [...setUp, ...commands].entries()) {
    written.journal.append(encodeCommand(command));
    // The queue is bounded: let the writer keep up.
    if (n % 20_000 === 0) await durable(written.journal.appendedSeq, () => written.journal.durableSeq);
  }
  await written.journal.close();

  const total = setUp.length + commands.length;
  const read = await timed(async () => {
    const { journal, records } = await openFileJournal({ directory });
    let count = 0;
    for (const _record of records) count++;
    await journal.close();
    if (count !== total) throw new Error(`${count} of ${total} records read`);
  });
  const all = await timed(async () => {
    const { journal, records } = await openFileJournal({ directory });
    await replay(undefined, records, noHistory(total));
    await journal.close();
  });
  console.log(
    `${total.toLocaleString('en-US')} commands in the file log, no snapshot, history up to date.\n`,
  );
  printTable(
    ['what', 'a second', 'to reading'],
    [
      ['open, read and check the log (baseline)', rate(total, read), '1.0x'],
      ['open, read, check, decode and apply', rate(total, all), ratio(read, all)],
    ],
  );
}

async function startTime(): Promise<void> {
  const first = await startServer({ args: ['--rate-limits', 'off'] });
  const keys = first.account('alice');
  const client = new SignedClient(first.url, keys);
  const order = {
    category: 'SPOT',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    price: '59000',
    qty: '0.001',
  };
  for (let n = 0; n < TAIL_ORDERS; n += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () =>
        client.post('/api/v3/trade/place-order', { ...order, timeInForce: 'ioc' }),
      ),
    );
  }
  client.close();
  await first.kill();
  const seconds: number[] = [];
  for (let run = 0; run < 3; run++) {
    const start = performance.now();
    const server = await startServer({ data: first.data, args: ['--rate-limits', 'off'] });
    const restarted = new SignedClient(server.url, keys);
    const { code, msg } = await restarted.post('/api/v3/trade/place-order', order);
    seconds.push((performance.now() - start) / 1000);
    if (code !== '00000') throw new Error(msg);
    restarted.close();
    await server.kill();
  }
  rmSync(first.data, { recursive: true, force: true });
  const shown = seconds.map((value) => `${value.toFixed(2)} s`).join(', ');
  console.log(`\nstart of the process to the first accepted order, after kill -9: ${shown}`);
}

async function durable(seq: number, durableSeq: () => number): Promise<void> {
  while (durableSeq() < seq) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
