/** One line about an entry, made when it is read. Texts of clients are data here: nothing in them is trusted. */
import type { Entry } from './recorder.ts';

export interface Summary {
  readonly id: number;
  readonly ts: number;
  readonly kind: Entry['kind'];
  readonly uid: string;
  readonly apiKey: string;
  readonly agent: string;
  /** Of a socket `in`, `out` or `close`. */
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Empty where an answer has none. */
  readonly code: string;
  readonly msg: string;
  readonly ms: number;
  /** What was asked for or answered, in a few words. */
  readonly about: string;
  readonly refused: boolean;
  /** Sequence numbers of the commands that it made. */
  readonly commands: number[];
}

/** Milliseconds that a request spent before it reached each step; null where it did not. */
export interface StepTimes {
  readonly parse: number | null;
  readonly authenticate: number | null;
  readonly apply: number | null;
  readonly durable: number | null;
  readonly answer: number;
}

const ENVELOPE = /^\{"code":"([^"\\]*)","msg":("(?:[^"\\]|\\.)*")/;
const SUCCESS: ReadonlySet<string> = new Set(['', '0', '00000']);
const ABOUT_CHARS_MAX = 160;

export type Fields = Readonly<Record<string, unknown>>;

export function summaryOf(entry: Entry): Summary {
  const { code, msg } = verdictOf(entry);
  return {
    id: entry.id,
    ts: Math.round(entry.atMs),
    kind: entry.kind,
    uid: String(entry.uid),
    apiKey: entry.apiKey,
    agent: entry.agent,
    method: entry.method,
    path: entry.target.split('?', 1)[0]!,
    status: entry.status,
    code,
    msg,
    ms: Math.round(entry.tookMs * 10) / 10,
    about: aboutOf(entry).slice(0, ABOUT_CHARS_MAX),
    refused: !SUCCESS.has(code),
    commands: [...entry.commands],
  };
}

/** Null where no times are known: of pushes, and of calls that went no further than their address. */
export function timesOf(entry: Entry): StepTimes | null {
  if (entry.parsedUs === 0) return null;
  let reachedUs = 0;
  const since = (us: number): number | null => {
    if (us === 0) return null;
    const spent = us - reachedUs;
    reachedUs = us;
    return spent / 1_000;
  };
  return {
    parse: since(entry.parsedUs),
    authenticate: since(entry.admittedUs),
    apply: since(entry.appliedUs),
    durable: since(entry.durableUs),
    answer: Math.max(0, Math.round(entry.tookMs * 1_000) - reachedUs) / 1_000,
  };
}

/** Code and message of the answer. */
export function verdictOf({ kind, answer }: Entry): { readonly code: string; readonly msg: string } {
  if (kind === 'http') {
    const [, code = '', msg = '""'] = ENVELOPE.exec(answer) ?? [];
    return { code, msg: textOf(parsed(msg)) };
  }
  const frame = fieldsOf(answer);
  return { code: textOf(frame.code), msg: frame.event === 'error' ? textOf(frame.msg) : '' };
}

function aboutOf(entry: Entry): string {
  if (entry.kind === 'ws') return entry.method === 'in' ? request(entry.body) : frame(entry.answer);
  const question = entry.target.indexOf('?');
  if (question >= 0) return entry.target.slice(question + 1).replaceAll('&', ' ');
  const [first, ...others] = itemsOf(parsed(entry.body));
  if (first === undefined) return '';
  const data = fieldsOf(entry.answer).data;
  const orderId = textOf(isFields(data) ? data.orderId : undefined);
  return order(first) + more(others.length) + (orderId === '' ? '' : ` -> ${orderId}`);
}

function request(text: string): string {
  const { op, topic, args } = fieldsOf(text);
  const items = itemsOf(args);
  if (op === 'trade') return `${textOf(topic)}: ${items.map(order).join('; ')}`;
  if (op === 'login') return 'login';
  return `${textOf(op)} ${items.map(argument).join(', ')}`.trim();
}

function frame(text: string): string {
  const { event, arg, data, action, args, topic, closed, seconds } = fieldsOf(text);
  if (closed !== undefined) return `closed with ${textOf(closed)} after ${textOf(seconds)} s`;
  if (action !== undefined && isFields(arg)) {
    const [first, ...others] = itemsOf(data);
    return `${textOf(arg.topic)} ${first === undefined ? '' : pushed(first)}${more(others.length)}`.trim();
  }
  if (event === 'trade')
    return `${textOf(topic)} -> ${itemsOf(args)
      .map(({ orderId }) => textOf(orderId))
      .join(', ')}`;
  return `${textOf(event)} ${isFields(arg) ? argument(arg) : ''}`.trim();
}

const more = (count: number) => (count > 0 ? ` and ${count} more` : '');
const argument = ({ topic, symbol, interval }: Fields) =>
  [topic, symbol, interval].map(textOf).filter(Boolean).join(' ');

function order({
  symbol,
  side,
  qty,
  price,
  orderType,
  orderId,
  clientOid,
  coin,
  amount,
  leverage,
}: Fields): string {
  const at = textOf(price) === '' ? (orderType === 'market' ? 'at market' : '') : `@ ${textOf(price)}`;
  const which = textOf(orderId) || textOf(clientOid);
  const words = [symbol, coin, side, qty, amount].map(textOf);
  return [...words, at, leverage === undefined ? '' : `${textOf(leverage)}x`, which]
    .filter(Boolean)
    .join(' ');
}

function pushed(row: Fields): string {
  const { orderId, orderStatus, cumExecQty, qty, symbol, side, execPrice, execQty } = row;
  if (orderStatus !== undefined)
    return `${textOf(orderId)} ${textOf(orderStatus)} ${textOf(cumExecQty)} of ${textOf(qty)}`;
  return [symbol, side, execQty, execPrice === undefined ? '' : `@ ${textOf(execPrice)}`]
    .map(textOf)
    .filter(Boolean)
    .join(' ');
}

// Texts of clients

export function fieldsOf(text: string): Fields {
  const value = parsed(text);
  return isFields(value) ? value : {};
}

export function itemsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : isFields(value) ? [value] : [];
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
