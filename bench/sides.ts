/**
 * Small differences between two kinds of server. A process is compiled a little otherwise at each start, which makes it faster or
 * slower than the next by as much as is looked for here; and other work slows single blocks. So there are several processes of each
 * kind, their blocks are short and taken in turns, a ratio is taken between neighbours, and beside the ratio of the two kinds stands
 * that of the first to more of its own, which is what the figure can be trusted to. Each process gets as many blocks as every other,
 * at the same distance: one that rested longer begins with colder caches.
 */
import { quantile } from './pairs.ts';
import { printTable } from './report.ts';

/** Of each side. */
export const PROCESSES = 6;
const TURNS = 324;
const WARM_UP_TURNS = 36;
const REQUESTS = 1_000;

interface Spent {
  /** Seconds by the clock. */
  readonly wall: number;
  /** Seconds of the server's main thread. */
  readonly thread: number;
}

export interface Sides<Server> {
  readonly title: string;
  /** Of the two kinds. */
  readonly names: readonly [base: string, compared: string];
  readonly base: readonly Server[];
  readonly compared: readonly Server[];
  /** More of the first kind. */
  readonly control: readonly Server[];
}

export async function compareSides<Server>(
  { title, names: [baseName, comparedName], base, compared, control }: Sides<Server>,
  run: (server: Server, requests: number) => Promise<Spent>,
): Promise<void> {
  const ratios: Ratios = { rates: [], threads: [] };
  const ofControl: Ratios = { rates: [], threads: [] };
  for (let turn = -WARM_UP_TURNS; turn < TURNS; turn++) {
    const [first, second, again] = await turnOf(turn + WARM_UP_TURNS);
    if (turn < 0) continue;
    note(ratios, first, second);
    note(ofControl, first, again);
  }
  console.log(
    `\n${title}: ${PROCESSES} processes of each, ${TURNS} turns of ${REQUESTS} orders to one ${comparedName} and two ${baseName}, each of its own processes;`,
  );
  console.log('a ratio is taken within a turn, the range is where the median lies in 19 of 20 runs.\n');
  printTable(
    ['', 'median', 'range', 'quartiles'],
    [
      row(`orders a second, ${comparedName} to ${baseName}`, ratios.rates),
      row(`main thread per order, ${comparedName} to ${baseName}`, ratios.threads),
      row(`orders a second, ${baseName} to ${baseName}`, ofControl.rates),
      row(`main thread per order, ${baseName} to ${baseName}`, ofControl.threads),
    ],
  );

  /** Each of the three is first, second and last as often as the others. */
  async function turnOf(turn: number): Promise<readonly [Spent, Spent, Spent]> {
    const at = (n: number) => n % PROCESSES;
    const round = Math.floor(turn / PROCESSES);
    const servers = [base[at(turn)]!, compared[at(turn + round)]!, control[at(turn + 2 * round)]!];
    const spent: Spent[] = [];
    for (let n = 0; n < servers.length; n++) {
      const place = (n + round) % servers.length;
      spent[place] = await run(servers[place]!, REQUESTS);
    }
    return spent as unknown as readonly [Spent, Spent, Spent];
  }
}

interface Ratios {
  readonly rates: number[];
  readonly threads: number[];
}

function note({ rates, threads }: Ratios, base: Spent, other: Spent): void {
  rates.push(base.wall / other.wall);
  threads.push(other.thread / base.thread);
}

function row(name: string, ratios: readonly number[]): string[] {
  // Order statistics around the median.
  const reach = 0.98 / Math.sqrt(ratios.length);
  const shown = (share: number) => quantile(ratios, share).toFixed(3);
  return [
    name,
    shown(0.5),
    `${shown(0.5 - reach)} to ${shown(0.5 + reach)}`,
    `${shown(0.25)} to ${shown(0.75)}`,
  ];
}
