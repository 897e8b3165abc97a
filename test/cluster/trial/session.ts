/** A client that trades on one node until it fails, and then on the next; whatever it meant and was told is written down. */
import type { DemoKeys } from '../../harness/server.ts';
import type { Action, Intent, NoteBook, Outcome, Result } from './notes.ts';

/** Longer than a node needs to say that the outcome is unknown. */
export const PATIENCE_MS = 6_000;
/** After an unknown outcome, until the order is looked up; its deadline has passed by then. */
const FINAL_AFTER_MS = 3_200;
const KEPT_ORDERS = 12;
const MIDDLE = 60_000;
const SPREAD = 12;
/** The venue does not know whether the command was carried out (reliability 2.0, C2). */
const UNKNOWN_CODES: ReadonlySet<string> = new Set(['', '40010', '25000']);
const TOO_BUSY_CODE = '429';

export type Answer = Omit<Result, 'id' | 'answeredMs'>;

export interface NewOrder {
  readonly clientOid: string;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly qty: string;
}

/** A way to the venue: one library or protocol. A call that throws has an unknown outcome. */
export interface Wire {
  place(url: string, order: NewOrder): Promise<Answer>;
  cancel(url: string, orderId: string): Promise<Answer>;
  /** Undefined where this wire has no reads. */
  openOrders?(url: string): Promise<Answer>;
  balances?(url: string): Promise<Answer>;
  lookUp?(url: string, clientOid: string): Promise<Answer>;
  /** What it had to that node is dropped. */
  leave(): void;
}

export interface SessionOptions {
  readonly name: string;
  readonly keys: DemoKeys;
  readonly notes: NoteBook;
  /** Where the nodes are now. */
  readonly nodes: () => readonly string[];
  readonly wire: Wire;
  readonly random: () => number;
}

interface OwnOrder {
  readonly clientOid: string;
  readonly orderId: string;
}

export class Session {
  readonly #options: SessionOptions;
  #at: number;
  #calls = 0;
  #orders: OwnOrder[] = [];
  #doubtful: { readonly clientOid: string; readonly fromMs: number }[] = [];

  constructor(options: SessionOptions, firstNode: number) {
    this.#options = options;
    this.#at = firstNode;
  }

  async trade(isOver: () => boolean, pauseMs: number): Promise<void> {
    while (!isOver()) {
      const outcome = await this.#next();
      if (outcome === 'unknown' || outcome === 'not executed') {
        this.#options.wire.leave();
        this.#at++;
        await pause(50);
      }
      await pause(pauseMs * (0.5 + this.#options.random()));
    }
    this.#options.wire.leave();
  }

  #next(): Promise<Outcome> {
    const { random, wire } = this.#options;
    const doubtful = this.#doubtful[0];
    if (wire.lookUp !== undefined && doubtful !== undefined && Date.now() > doubtful.fromMs) {
      this.#doubtful.shift();
      return this.#lookUp(doubtful.clientOid);
    }
    const roll = random();
    if (this.#orders.length >= KEPT_ORDERS || (this.#orders.length > 0 && roll < 0.3)) return this.#cancel();
    if (wire.openOrders !== undefined && roll < 0.4)
      return this.#call('open orders', '', (url) => wire.openOrders!(url));
    if (wire.balances !== undefined && roll < 0.5)
      return this.#call('balances', '', (url) => wire.balances!(url));
    return this.place();
  }

  /** Also for whoever only wants to know whether a node answers. */
  async place(): Promise<Outcome> {
    const { name, random, wire } = this.#options;
    const clientOid = `${name}-${this.#calls + 1}`;
    const order: NewOrder = {
      clientOid,
      side: random() < 0.5 ? 'buy' : 'sell',
      price: String(MIDDLE - SPREAD + Math.floor(random() * (2 * SPREAD + 1))),
      qty: `0.000${String(1 + Math.floor(random() * 999)).padStart(3, '0')}`,
    };
    return this.#call('place', clientOid, async (url) => {
      const answer = await wire.place(url, order);
      if (answer.outcome === 'done') this.#orders.push({ clientOid, orderId: answer.orderId! });
      return answer;
    });
  }

  #cancel(): Promise<Outcome> {
    const [{ clientOid, orderId }] = this.#orders.splice(
      Math.floor(this.#options.random() * this.#orders.length),
      1,
    ) as [OwnOrder];
    return this.#call('cancel', clientOid, async (url) => ({
      ...(await this.#options.wire.cancel(url, orderId)),
      orderId,
    }));
  }

  #lookUp(clientOid: string): Promise<Outcome> {
    return this.#call('look up', clientOid, (url) => this.#options.wire.lookUp!(url, clientOid));
  }

  async #call(action: Action, clientOid: string, act: (url: string) => Promise<Answer>): Promise<Outcome> {
    const { name, keys, notes, nodes } = this.#options;
    const urls = nodes();
    const node = urls[this.#at % urls.length]!;
    const id = `${name}:${++this.#calls}`;
    const intent: Intent = { id, session: name, node, uid: keys.uid, action, clientOid, sentMs: Date.now() };
    notes.intend(intent);
    const answer = await answered(act(node));
    notes.note({ id, answeredMs: Date.now(), ...answer });
    if (answer.outcome === 'unknown' && action === 'place')
      this.#doubtful.push({ clientOid, fromMs: Date.now() + FINAL_AFTER_MS });
    return answer.outcome;
  }
}

/** Whatever goes wrong on the way leaves the outcome unknown. */
async function answered(work: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve({ outcome: 'unknown', message: 'no answer' }), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    return { outcome: 'unknown', message: String((error as Error).message ?? error).slice(0, 200) };
  } finally {
    clearTimeout(timer);
  }
}

/** What a code of the venue says about a command. */
export function outcomeOf(status: number, code: string): Outcome {
  if (code === '00000' || code === '0') return 'done';
  if (UNKNOWN_CODES.has(code)) return 'unknown';
  if (code === TOO_BUSY_CODE || status === 429 || status === 503) return 'not executed';
  return status >= 500 ? 'unknown' : 'refused';
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
