/**
 * What accounts cost: bytes of one with two coins, in a fresh process, and what a command costs among many of them, in turns
 * with the same flow among few.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Exchange } from '../src/core/engine/exchange.ts';
import { ANY } from '../src/core/model/command.ts';
import { Side } from '../src/core/model/enums.ts';
import { OPENING_TIME, order } from '../test/property/venue.ts';
import { venueOf } from './market.ts';
import { quantile } from './pairs.ts';
import { Random } from './random.ts';
import { type Benchmark, printTable, rate } from './report.ts';

const FEW = 1_000;
const MANY = 100_000;
/** An order of each of so many accounts rests in both books. */
const RESTING = 1_000;
const MIDDLE_TICKS = 6_000_000;
const ROUNDS = 20;
const WARM_UP_ROUNDS = 3;
const PAIRS_OF_COMMANDS = 20_000;

export const accounts: Benchmark = {
  title: 'Accounts: memory of one, and commands among many of them',
  run() {
    const self = fileURLToPath(import.meta.url);
    const { stdout } = spawnSync(process.execPath, ['--expose-gc', self, 'weigh'], { encoding: 'utf8' });
    console.log(`an account with two coins: ${stdout.trim()} bytes (heap and buffers, ${MANY} of them)\n`);
    const flows = [new Flow(FEW), new Flow(MANY)];
    const seconds = flows.map((): number[] => []);
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++)
      for (const [n, flow] of flows.entries()) {
        const spent = flow.run(PAIRS_OF_COMMANDS);
        if (round >= 0) seconds[n]!.push(spent);
      }
    const ratios = seconds[1]!.map((spent, round) => spent / seconds[0]![round]!);
    const row = (name: string, spent: readonly number[], ...more: string[]) => [
      name,
      rate(2 * PAIRS_OF_COMMANDS, quantile(spent, 0.5)),
      ...more,
    ];
    const quartiles = `${quantile(ratios, 0.25).toFixed(2)} to ${quantile(ratios, 0.75).toFixed(2)}`;
    console.log(
      `an order cancelled and another placed by accounts at random, ${ROUNDS} rounds, processor time:`,
    );
    printTable(
      ['accounts', 'commands a second', 'cost of a command', 'quartiles'],
      [
        row(FEW.toLocaleString('en-US'), seconds[0]!, '1.00', ''),
        row(MANY.toLocaleString('en-US'), seconds[1]!, quantile(ratios, 0.5).toFixed(2), quartiles),
      ],
    );
  },
};

/** Accounts take turns at random: each has at most one order, and a new one takes the place of the oldest. */
class Flow {
  readonly #exchange = new Exchange();
  readonly #random = new Random(11);
  readonly #accounts: number;
  readonly #open: { readonly uid: number; readonly orderId: number }[] = [];
  #next = 0;

  constructor(count: number) {
    this.#accounts = count;
    for (const command of venueOf(count)) this.#exchange.apply(command);
    this.#exchange.takeEvents();
    for (let n = 0; n < RESTING; n++) this.#open.push(this.#place());
  }

  /** Processor seconds. */
  run(pairs: number): number {
    globalThis.gc?.();
    const start = process.cpuUsage();
    for (let n = 0; n < pairs; n++) {
      const at = this.#next++ % RESTING;
      const { uid, orderId } = this.#open[at]!;
      const name = { clientOid: '', category: ANY, instrument: ANY } as const;
      this.#exchange.apply({ type: 'cancelOrder', time: OPENING_TIME, uid, orderId, ...name });
      this.#exchange.takeEvents();
      this.#open[at] = this.#place();
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  }

  #place(): { uid: number; orderId: number } {
    const random = this.#random;
    const uid = 1 + random.below(this.#accounts);
    const side = random.next() < 0.5 ? Side.buy : Side.sell;
    const distance = 1 + random.distance(5000);
    const priceTicks = side === Side.buy ? MIDDLE_TICKS - distance : MIDDLE_TICKS + distance;
    const { orderId } = this.#exchange.apply(order({ uid, side, priceTicks, sizeLots: 100 }));
    this.#exchange.takeEvents();
    return { uid, orderId };
  }
}

function settledBytes(): number {
  for (let n = 0; n < 3; n++) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** The listings are there before; the commands are not kept. */
function weigh(): number {
  const exchange = new Exchange();
  const before = settledBytes();
  for (const command of venueOf(MANY)) {
    exchange.apply(command);
    exchange.takeEvents();
  }
  const bytes = settledBytes() - before;
  // The exchange must outlive the second weighing.
  return exchange.state.accountByUid.size === MANY ? Math.round(bytes / MANY) : Number.NaN;
}

if (process.argv[2] === 'weigh' && process.argv[1] === fileURLToPath(import.meta.url)) console.log(weigh());
