/** Of the exchanges of one process: a thread that one has given back works for the next, also when the first has ended. */
import { Threads } from '../../src/storage/threads.ts';

type Method = (this: Threads, ...args: unknown[]) => unknown;

const NAMES = ['take', 'prepare', 'give', 'close'] as const;
const own = new Map(NAMES.map((name) => [name, Reflect.get(Threads.prototype, name) as Method]));
const kept = new Threads();

function keepThreads(): void {
  for (const name of ['take', 'prepare', 'give'] as const)
    Reflect.set(Threads.prototype, name, (...args: unknown[]) => own.get(name)!.apply(kept, args));
  Threads.prototype.close = async () => {};
}

/** For tests of what exchanges do with their threads: those that are open meanwhile keep their own. */
export async function withOwnThreads(work: () => Promise<void>): Promise<void> {
  for (const [name, method] of own) Reflect.set(Threads.prototype, name, method);
  try {
    await work();
  } finally {
    keepThreads();
  }
}

keepThreads();
