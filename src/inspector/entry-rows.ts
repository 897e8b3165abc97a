/**
 * Entries as rows of numbers and runs of bytes, not as objects: thousands a second that live for seconds each would cost the
 * collector of the heap more than making them does. The oldest make room, by number and by size.
 */
import type { Entry } from './recorder.ts';
import type { Party } from './traffic.ts';

export interface RowLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** What few entries have. */
type Rare = Pick<Entry, 'commands' | 'finding'>;

/** Places in a row. The lengths are those of texts, in characters; the answer is the rest. */
const AT = {
  uid: 0,
  mainUid: 1,
  atMs: 2,
  tookMs: 3,
  isSocket: 4,
  status: 5,
  left: 6,
  unread: 7,
  parsedUs: 8,
  admittedUs: 9,
  appliedUs: 10,
  durableUs: 11,
  command: 12,
  isRare: 13,
  segment: 14,
  start: 15,
  end: 16,
  peer: 17,
  agent: 18,
  method: 19,
  target: 20,
  timestamp: 21,
  connection: 22,
  body: 23,
} as const;
const ROW = Object.keys(AT).length;
const NONE = -1;
const NO_COMMANDS: readonly number[] = [];

/** UTF-8 bytes of one UTF-16 code unit: a character, or half of a surrogate pair. */
const CHARACTER_BYTES_MAX = 3;
/** No text of an entry is longer; memory is taken by one of these at a time. */
const SEGMENT_BYTES = 256 * 1024;

export class EntryRows {
  readonly #limits: RowLimits;
  /** The row of an entry stands at the remainder of its id by the number of rows. */
  readonly #rows: Float64Array;
  readonly #apiKeys: string[];
  readonly #rare = new Map<number, Rare>();
  readonly #segments: Buffer[] = [];
  /** The id behind the last that has its text in the segment. */
  readonly #segmentEnds: number[] = [];
  /** Numbers of segments in the order in which they were begun. The last is written. */
  readonly #begun: number[] = [];
  readonly #segmentsMax: number;
  #segment = 0;
  /** How far it is written. */
  #end = SEGMENT_BYTES;
  #oldest = 1;
  #next = 1;

  constructor(limits: RowLimits) {
    this.#limits = limits;
    this.#rows = new Float64Array(limits.entries * ROW);
    const textBytes = limits.bytes - this.#rows.byteLength;
    this.#segmentsMax = Math.max(1, Math.floor(textBytes / SEGMENT_BYTES));
    this.#apiKeys = new Array<string>(limits.entries).fill('');
  }

  get oldestId(): number {
    return this.#oldest;
  }

  /** Id of the next entry. */
  get nextId(): number {
    return this.#next;
  }

  get count(): number {
    return this.#next - this.#oldest;
  }

  /** Memory in use, with that of dropped entries. */
  get bytes(): number {
    return this.#segments.length * SEGMENT_BYTES + this.#rows.byteLength;
  }

  has(id: number): boolean {
    return id >= this.#oldest && id < this.#next;
  }

  /** Gives the entry the next id. */
  write(entry: Omit<Entry, 'id'>): void {
    const { peer, agent, method, target, timestamp, connection, body, answer, commands, finding } = entry;
    const text = peer + agent + method + target + timestamp + connection + body + answer;
    if (this.count === this.#limits.entries) this.#dropOldest();
    if (this.#end + text.length * CHARACTER_BYTES_MAX > SEGMENT_BYTES) this.#nextSegment();
    const segment = this.#segment;
    const start = this.#end;
    const id = this.#next++;
    const place = id % this.#limits.entries;
    this.#end = start + this.#segments[segment]!.write(text, start, 'utf8');
    this.#segmentEnds[segment] = this.#next;
    this.#apiKeys[place] = entry.apiKey;
    const isRare = commands.length > 1 || finding !== undefined;
    if (isRare) this.#rare.set(id, { commands, finding });
    const rows = this.#rows;
    const row = place * ROW;
    rows[row + AT.uid] = entry.uid;
    rows[row + AT.mainUid] = entry.mainUid;
    rows[row + AT.atMs] = entry.atMs;
    rows[row + AT.tookMs] = entry.tookMs;
    rows[row + AT.isSocket] = entry.kind === 'ws' ? 1 : 0;
    rows[row + AT.status] = entry.status;
    rows[row + AT.left] = entry.left ?? NONE;
    rows[row + AT.unread] = entry.unread ? 1 : 0;
    rows[row + AT.parsedUs] = entry.parsedUs;
    rows[row + AT.admittedUs] = entry.admittedUs;
    rows[row + AT.appliedUs] = entry.appliedUs;
    rows[row + AT.durableUs] = entry.durableUs;
    rows[row + AT.command] = commands.length === 0 ? NONE : commands[0]!;
    rows[row + AT.isRare] = isRare ? 1 : 0;
    rows[row + AT.segment] = segment;
    rows[row + AT.start] = start;
    rows[row + AT.end] = this.#end;
    rows[row + AT.peer] = peer.length;
    rows[row + AT.agent] = agent.length;
    rows[row + AT.method] = method.length;
    rows[row + AT.target] = target.length;
    rows[row + AT.timestamp] = timestamp.length;
    rows[row + AT.connection] = connection.length;
    rows[row + AT.body] = body.length;
  }

  /** Of an entry that is kept. Cheaper than the whole of it. */
  party(id: number): Party {
    const place = id % this.#limits.entries;
    const row = place * ROW;
    return {
      uid: this.#rows[row + AT.uid]!,
      mainUid: this.#rows[row + AT.mainUid]!,
      apiKey: this.#apiKeys[place]!,
    };
  }

  /** A copy of an entry that is kept. */
  read(id: number): Entry {
    const rows = this.#rows;
    const row = (id % this.#limits.entries) * ROW;
    const rare = rows[row + AT.isRare] === 1 ? this.#rare.get(id)! : undefined;
    const [command, left] = [rows[row + AT.command]!, rows[row + AT.left]!];
    const segment = this.#segments[rows[row + AT.segment]!]!;
    const text = segment.toString('utf8', rows[row + AT.start], rows[row + AT.end]);
    let read = 0;
    const next = (length: number): string => {
      read += length;
      return text.slice(read - length, read);
    };
    return {
      id,
      ...this.party(id),
      kind: rows[row + AT.isSocket] === 1 ? 'ws' : 'http',
      atMs: rows[row + AT.atMs]!,
      tookMs: rows[row + AT.tookMs]!,
      status: rows[row + AT.status]!,
      left: left === NONE ? undefined : left,
      unread: rows[row + AT.unread] === 1,
      parsedUs: rows[row + AT.parsedUs]!,
      admittedUs: rows[row + AT.admittedUs]!,
      appliedUs: rows[row + AT.appliedUs]!,
      durableUs: rows[row + AT.durableUs]!,
      commands: rare?.commands ?? (command === NONE ? NO_COMMANDS : [command]),
      finding: rare?.finding,
      // In the order in which they were written.
      peer: next(rows[row + AT.peer]!),
      agent: next(rows[row + AT.agent]!),
      method: next(rows[row + AT.method]!),
      target: next(rows[row + AT.target]!),
      timestamp: next(rows[row + AT.timestamp]!),
      connection: next(rows[row + AT.connection]!),
      body: next(rows[row + AT.body]!),
      answer: text.slice(read),
    };
  }

  /**
   * The one that was begun first, as soon as nothing in it is kept: memory that was used before is cheaper than new memory.
   * Until there are as many as may be, nothing is dropped for it.
   */
  #nextSegment(): void {
    const [first] = this.#begun;
    const isUsed = first === undefined || this.#segmentEnds[first]! > this.#oldest;
    if (isUsed && this.#segments.length < this.#segmentsMax) {
      this.#segment = this.#segments.push(Buffer.allocUnsafeSlow(SEGMENT_BYTES)) - 1;
    } else {
      this.#segment = this.#begun.shift()!;
      while (this.#segmentEnds[this.#segment]! > this.#oldest) this.#dropOldest();
    }
    this.#begun.push(this.#segment);
    this.#end = 0;
  }

  #dropOldest(): void {
    const id = this.#oldest++;
    const row = (id % this.#limits.entries) * ROW;
    if (this.#rows[row + AT.isRare] === 1) this.#rare.delete(id);
  }
}
