/** How long an explanation takes, the first one of a long past and one near a snapshot, and what the exchange's own thread does for it. */
import { operate, startInMemory } from '../test/memory/in-process.ts';
import { printTable } from './report.ts';

const COMMANDS = 200_000;
const ROUNDS = 15;
const NEAR_MS = 300;
const FAR_MS = 3_000;

export async function measureExplanations(): Promise<void> {
  const exchange = await startInMemory({ clock: 'manual', market: 'normal', instruments: 'BTCUSDT,ETHUSDT' });
  try {
    const { sequencer } = exchange;
    while (sequencer.appliedSeq < COMMANDS) await ask(exchange, 'POST', '/admin/clock/advance', { by: '5m' });
    const last = sequencer.appliedSeq;
    const explain = async (seq: number): Promise<Took> => {
      const [used, own] = [process.cpuUsage(), process.threadCpuUsage()];
      const began = performance.now();
      const { replayed } = await ask(exchange, 'GET', `/lab/explain?command=${seq}`);
      const wall = performance.now() - began;
      return { wall, replayed, cpu: spent(process.cpuUsage(used)), main: spent(process.threadCpuUsage(own)) };
    };
    const far = await explain(last);
    const near: Took[] = [];
    for (let n = 0; n < ROUNDS; n++) near.push(await explain(last - n * 997));
    const middle = near.toSorted((a, b) => a.wall - b.wall)[Math.floor(ROUNDS / 2)]!;
    console.log(
      `\nExplanations of an exchange with ${last.toLocaleString('en-US')} commands, over HTTP, in ms:`,
    );
    printTable(
      ['what', 'commands replayed', 'took', 'bound', 'cpu', "cpu of the exchange's thread"],
      [
        row('the first, no near snapshot', far, FAR_MS),
        row(`near a snapshot, median of ${ROUNDS}`, middle, NEAR_MS),
      ],
    );
  } finally {
    await exchange.stop();
  }
}

interface Took {
  readonly wall: number;
  readonly cpu: number;
  /** Of the thread that the exchange runs in. */
  readonly main: number;
  readonly replayed: number;
}

const spent = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

function row(what: string, { wall, cpu, main, replayed }: Took, bound: number): string[] {
  return [
    what,
    replayed.toLocaleString('en-US'),
    wall.toFixed(0),
    String(bound),
    cpu.toFixed(0),
    main.toFixed(1),
  ];
}

async function ask(
  exchange: Awaited<ReturnType<typeof startInMemory>>,
  method: string,
  path: string,
  body?: object,
) {
  const { status, content } = await operate(exchange, method, path, body);
  if (status !== 200) throw new Error(JSON.stringify(content));
  return content;
}
