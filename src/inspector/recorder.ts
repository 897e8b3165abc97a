/**
 * The last requests and frames of accounts, in memory alone. The oldest make room, by number and by size. Nothing is
 * worked out of them until somebody looks (`entry-summary.ts`), because every order pays for what happens here.
 */
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
  /** Of a socket: the direction. */
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
  /** Of a socket. */
  readonly connection: string;
}

export interface RecorderLimits {
  readonly entries: number;
  readonly bytes: number;
}

const LIMITS: RecorderLimits = { entries: 20_000, bytes: 64 * 1024 * 1024 };
/** Of each body and each answer. */
export const TEXT_CHARS_MAX = 16 * 1024;
const AGENT_CHARS_MAX = 200;
/** The record itself, with its short texts. */
const ENTRY_BYTES = 640;

const NO_STEPS: RequestSteps = { parsedUs: 0, admittedUs: 0, appliedUs: 0, durableUs: 0, commands: [] };

export class Recorder implements TrafficSink {
  readonly #limits: RecorderLimits;
  /** The entry with an id stands at its remainder by the number of places. */
  readonly #ring: (Entry | undefined)[];
  readonly #listeners = new Set<(entry: Entry) => void>();
  #oldest = 1;
  #next = 1;
  #bytes = 0;

  constructor(limits: RecorderLimits = LIMITS) {
    this.#limits = limits;
    this.#ring = Array.from({ length: limits.entries }, () => undefined);
  }

  get count(): number {
    return this.#next - this.#oldest;
  }

  get oldestId(): number {
    return this.#oldest;
  }

  /** That of the entry that comes next. */
  get nextId(): number {
    return this.#next;
  }

  /** An upper bound of what the entries take. */
  get bytes(): number {
    return this.#bytes;
  }

  call(call: HttpCall): void {
    const { party, body, agent, steps = NO_STEPS } = call;
    this.#keep({
      id: this.#next,
      kind: 'http',
      uid: party.uid,
      mainUid: party.mainUid,
      apiKey: party.apiKey,
      atMs: call.atMs,
      tookMs: call.tookMs,
      peer: call.peer ?? '',
      agent: agent === undefined ? '' : cut(agent, AGENT_CHARS_MAX),
      method: call.method,
      target: targetWithoutSecrets(call.target),
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
    });
  }

  frame(frame: SocketFrame): void {
    const { party, direction, steps = NO_STEPS } = frame;
    const text = kept(frame.text);
    this.#keep({
      id: this.#next,
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
    });
  }

  find(id: number): Entry | undefined {
    return id >= this.#oldest && id < this.#next ? this.#ring[id % this.#limits.entries] : undefined;
  }

  /** The newest that fit, the oldest of them first. */
  newest(most: number, fits: (entry: Entry) => boolean): Entry[] {
    const found: Entry[] = [];
    for (let id = this.#next - 1; id >= this.#oldest && found.length < most; id--) {
      const entry = this.find(id)!;
      if (fits(entry)) found.push(entry);
    }
    return found.reverse();
  }

  /** The first that fit behind an entry, the oldest first. */
  after(id: number, most: number, fits: (entry: Entry) => boolean): Entry[] {
    const found: Entry[] = [];
    for (let next = Math.max(id + 1, this.#oldest); next < this.#next && found.length < most; next++) {
      const entry = this.find(next)!;
      if (fits(entry)) found.push(entry);
    }
    return found;
  }

  /** Returns the way to leave. */
  listen(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #keep(entry: Entry): void {
    const size = bytesOf(entry);
    while (this.count > 0 && (this.count >= this.#limits.entries || this.#bytes + size > this.#limits.bytes))
      this.#dropOldest();
    this.#ring[entry.id % this.#limits.entries] = entry;
    this.#bytes += size;
    this.#next++;
    for (const listener of this.#listeners) listener(entry);
  }

  #dropOldest(): void {
    const place = this.#oldest++ % this.#limits.entries;
    this.#bytes -= bytesOf(this.#ring[place]!);
    this.#ring[place] = undefined;
  }
}

/** A character takes two bytes once one of a text is not Latin. */
function bytesOf({ body, answer, target, agent, commands }: Entry): number {
  return (
    ENTRY_BYTES + 16 * commands.length + 2 * (body.length + answer.length + target.length + agent.length)
  );
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** A secret may stand across the cut, so secrets go first. */
function kept(text: string): string {
  return cut(withoutSecrets(text), TEXT_CHARS_MAX);
}

/** A copy: a slice of a text would keep all of it in memory. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : Buffer.from(text.slice(0, most), 'utf16le').toString('utf16le');
}
