/**
 * The last requests and frames of accounts, in memory alone, without secrets. Nothing is derived from them before they
 * are read (`entry-summary.ts`), because every order pays for what happens here.
 */
import { EntryRows, type RowLimits } from './entry-rows.ts';
import { targetWithoutSecrets, withoutSecrets } from './redaction.ts';
import type {
  Direction,
  HttpCall,
  Party,
  RequestSteps,
  SignatureFinding,
  SocketFrame,
  TrafficSink,
} from './traffic.ts';

export interface Entry extends Party, RequestSteps {
  /** Grows by one with each. */
  readonly id: number;
  readonly kind: 'http' | 'ws';
  readonly atMs: number;
  readonly tookMs: number;
  readonly peer: string;
  readonly agent: string;
  /** The direction, for a socket. */
  readonly method: string;
  /** Path and query; of a socket its path. */
  readonly target: string;
  readonly timestamp: string;
  /** What the client sent. */
  readonly body: string;
  /** What it was sent. */
  readonly answer: string;
  readonly status: number;
  readonly left: number | undefined;
  readonly unread: boolean;
  readonly finding: SignatureFinding | undefined;
  /** Id of the connection, for a socket. */
  readonly connection: string;
}

const LIMITS: RowLimits = { entries: 20_000, bytes: 64 * 1024 * 1024 };
/** Characters kept of each body and each answer. */
export const TEXT_CHARS_MAX = 16 * 1024;
const AGENT_CHARS_MAX = 200;
/** More than a request line may have. */
const TARGET_CHARS_MAX = 8 * 1024;

/** Bounds what waits to be written. */
const PENDING_MAX = 256;
/** After the first of them. Work for the end of each turn would make turns short, and the disk's batches small. */
const PENDING_MS = 20;

const NO_STEPS: RequestSteps = { parsedUs: 0, admittedUs: 0, appliedUs: 0, durableUs: 0, commands: [] };

type NewEntry = Omit<Entry, 'id'>;
type Fits = (entry: Entry) => boolean;
type Belongs = (party: Party) => boolean;
const everything = () => true;

export class Recorder implements TrafficSink {
  readonly #rows: EntryRows;
  readonly #listeners = new Set<(entry: Entry) => void>();
  /** What came and is not written yet; readers write it first. */
  #pending: (HttpCall | SocketFrame)[] = [];
  readonly #keepPending = () => this.#kept();

  constructor(limits: RowLimits = LIMITS) {
    this.#rows = new EntryRows(limits);
  }

  get count(): number {
    return this.#kept().count;
  }

  get oldestId(): number {
    return this.#kept().oldestId;
  }

  /** Id of the next entry. */
  get nextId(): number {
    return this.#kept().nextId;
  }

  get bytes(): number {
    return this.#kept().bytes;
  }

  call(call: HttpCall): void {
    this.#keepSoon(call);
  }

  frame(frame: SocketFrame): void {
    this.#keepSoon(frame);
  }

  find(id: number): Entry | undefined {
    const rows = this.#kept();
    return rows.has(id) ? rows.read(id) : undefined;
  }

  /** The newest that belong and fit, the oldest of them first. Only those that belong are read for it. */
  newest(most: number, belongs: Belongs, fits: Fits = everything): Entry[] {
    const found: Entry[] = [];
    const { oldestId, nextId } = this;
    for (let id = nextId - 1; id >= oldestId && found.length < most; id--)
      this.#readInto(found, id, belongs, fits);
    return found.reverse();
  }

  /** The first that belong and fit behind an entry, the oldest first. */
  after(id: number, most: number, belongs: Belongs, fits: Fits = everything): Entry[] {
    const found: Entry[] = [];
    const { oldestId, nextId } = this;
    for (let next = Math.max(id + 1, oldestId); next < nextId && found.length < most; next++)
      this.#readInto(found, next, belongs, fits);
    return found;
  }

  /** Returns the way to leave, after which the listener is not called again. */
  listen(listener: (entry: Entry) => void): () => void {
    this.#kept();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #readInto(found: Entry[], id: number, belongs: Belongs, fits: Fits): void {
    if (!belongs(this.#rows.party(id))) return;
    const entry = this.#rows.read(id);
    if (fits(entry)) found.push(entry);
  }

  #keepSoon(traffic: HttpCall | SocketFrame): void {
    if (this.#pending.push(traffic) === 1) setTimeout(this.#keepPending, PENDING_MS).unref();
    else if (this.#pending.length === PENDING_MAX) this.#kept();
  }

  /** With everything that came so far. */
  #kept(): EntryRows {
    const pending = this.#pending;
    if (pending.length === 0) return this.#rows;
    this.#pending = [];
    for (const traffic of pending)
      this.#keep('direction' in traffic ? frameEntry(traffic) : callEntry(traffic));
    return this.#rows;
  }

  #keep(entry: NewEntry): void {
    this.#rows.write(entry);
    if (this.#listeners.size === 0) return;
    const kept = this.#rows.read(this.#rows.nextId - 1);
    for (const listener of this.#listeners) listener(kept);
  }
}

function callEntry(call: HttpCall): NewEntry {
  const { party, body, agent, steps = NO_STEPS } = call;
  return {
    kind: 'http',
    uid: party.uid,
    mainUid: party.mainUid,
    apiKey: party.apiKey,
    atMs: call.atMs,
    tookMs: call.tookMs,
    peer: call.peer ?? '',
    agent: agent === undefined ? '' : cut(agent, AGENT_CHARS_MAX),
    method: call.method,
    target: cut(targetWithoutSecrets(call.target), TARGET_CHARS_MAX),
    timestamp: call.timestamp === undefined ? '' : cut(call.timestamp, 32),
    body: body === undefined ? '' : kept(textOf(body)),
    answer: kept(call.answer),
    status: call.status,
    left: call.left,
    unread: call.unread,
    finding: call.finding,
    parsedUs: steps.parsedUs,
    admittedUs: steps.admittedUs,
    appliedUs: steps.appliedUs,
    durableUs: steps.durableUs,
    commands: steps.commands,
    connection: '',
  };
}

function frameEntry(frame: SocketFrame): NewEntry {
  const { party, direction, steps = NO_STEPS } = frame;
  const text = kept(frame.text);
  return {
    kind: 'ws',
    uid: party.uid,
    mainUid: party.mainUid,
    apiKey: party.apiKey,
    atMs: frame.atMs,
    tookMs: frame.tookMs,
    peer: frame.peer ?? '',
    agent: cut(frame.agent ?? '', AGENT_CHARS_MAX),
    method: direction satisfies Direction,
    target: frame.path,
    timestamp: '',
    body: direction === 'in' ? text : '',
    answer: direction === 'in' ? '' : text,
    status: 0,
    left: undefined,
    unread: false,
    finding: frame.finding,
    parsedUs: steps.parsedUs,
    admittedUs: steps.admittedUs,
    appliedUs: steps.appliedUs,
    durableUs: steps.durableUs,
    commands: steps.commands,
    connection: frame.connection,
  };
}

function textOf(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8');
}

/** A secret may stand across the cut, so secrets go first. */
function kept(text: string): string {
  return cut(withoutSecrets(text), TEXT_CHARS_MAX);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most);
}
