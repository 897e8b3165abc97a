/** When a fault happens: which requests or pushes it is about, and which of them it hits. */
import { AccountText, closed, SymbolText } from '../../admin/fields.ts';
import { parseDuration } from '../../sequencer/duration.ts';
import { Rng } from '../../simulator/rng.ts';
import { type Static, Type } from '../../validation/schema.ts';
import { type Mistake, mistake } from './mistake.ts';

const COUNT_MAX = 1_000_000;
export const Count = Type.Integer({ minimum: 1, maximum: COUNT_MAX });
/** Such as `10s` or `5m`. */
export const Span = Type.String({ minLength: 2, maxLength: 40 });

export const When = Type.Object(
  {
    account: Type.Optional(AccountText),
    method: Type.Optional(Type.Enum(['GET', 'POST'])),
    /** `trade/place-order` is the end of a path; `*` stands for any characters. */
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9/*_.\\-]+$' })),
    symbol: Type.Optional(SymbolText),
    nth: Type.Optional(Type.Array(Count, { minItems: 1, maxItems: 1000 })),
    every: Type.Optional(Count),
    probability: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
    times: Type.Optional(Count),
    from: Type.Optional(Span),
    until: Type.Optional(Span),
  },
  closed,
);
export type When = Static<typeof When>;

/** What a schema does not say. */
export function whenMistakes({ from, until }: When, path: readonly (string | number)[]): Mistake[] {
  const spans = Object.entries({ from, until }).filter(([, text]) => text !== undefined);
  const wrong = spans.filter(([, text]) => parseDuration(text!) === undefined);
  if (wrong.length > 0)
    return wrong.map(([name, text]) =>
      mistake([...path, name], `${JSON.stringify(text)} must be a span such as 10s, 5m or 1h30m`),
    );
  if (from !== undefined && until !== undefined && parseDuration(until)! <= parseDuration(from)!)
    return [mistake([...path, 'until'], `${until} must be later than from, ${from}`)];
  return [];
}

/** With one of these a fault waits for requests. */
const OF_CALLS = ['account', 'method', 'path', 'symbol', 'nth', 'every', 'probability'] as const;

export function waitsForCalls(when: When): boolean {
  return OF_CALLS.some((field) => when[field] !== undefined);
}

/** How often it happens. */
export const HOW_OFTEN = ['nth', 'every', 'probability', 'times'] as const satisfies readonly (keyof When)[];

/** What a request or push has that a fault may ask for; undefined where it has no such thing. */
export interface Occasion {
  readonly uid: number | undefined;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly symbols: () => readonly string[];
}

export interface Counters {
  /** Occasions that it was about. */
  seen: number;
  /** Occasions that it hit. */
  hits: number;
}

/** A condition in force. It counts, and draws random numbers that depend on the seed and its count alone. */
export class Condition {
  readonly #when: When;
  readonly #uid: number | undefined;
  readonly #fromMs: number;
  readonly #untilMs: number;
  readonly #random: (seen: number) => number;
  readonly counters: Counters;

  constructor(
    when: When,
    {
      uid,
      created,
      counters,
      random,
    }: {
      readonly uid: number | undefined;
      readonly created: number;
      readonly counters: Counters;
      readonly random: (seen: number) => number;
    },
  ) {
    this.#when = when;
    this.#uid = uid;
    this.#fromMs = when.from === undefined ? Number.NEGATIVE_INFINITY : created + parseDuration(when.from)!;
    this.#untilMs =
      when.until === undefined ? Number.POSITIVE_INFINITY : created + parseDuration(when.until)!;
    this.counters = counters;
    this.#random = random;
  }

  /** It will not happen again. */
  isOver(nowMs: number): boolean {
    const { times = Number.POSITIVE_INFINITY } = this.#when;
    return nowMs >= this.#untilMs || this.counters.hits >= times;
  }

  /** Counts an occasion that it is about; true when it happens to it. */
  meets(occasion: Occasion, nowMs: number): boolean {
    if (nowMs < this.#fromMs || this.isOver(nowMs) || !this.#isAbout(occasion)) return false;
    const { counters } = this;
    const seen = ++counters.seen;
    const { nth, every, probability } = this.#when;
    if (nth !== undefined && !nth.includes(seen)) return false;
    if (every !== undefined && seen % every !== 0) return false;
    if (probability !== undefined && this.#random(seen) >= probability) return false;
    counters.hits += 1;
    return true;
  }

  #isAbout({ uid, method, path, symbols }: Occasion): boolean {
    const { account, method: wanted, path: pattern, symbol } = this.#when;
    if (account !== undefined && uid !== this.#uid) return false;
    if (wanted !== undefined && method !== wanted) return false;
    if (pattern !== undefined && (path === undefined || !matchesPath(pattern, path))) return false;
    return symbol === undefined || symbols().includes(symbol);
  }
}

/** The same for the same seed, fault and count, on every machine. */
export function seededRng(seed: number, id: string): (seen: number) => Rng {
  return (seen) => new Rng(seed, `${id}:${seen}`);
}

/** `*` stands for any characters. */
export function matchesTopic(pattern: string, topic: string): boolean {
  return matchesFrom(pattern.split('*'), topic, 0);
}

function matchesPath(pattern: string, path: string): boolean {
  const parts = pattern.split('*');
  if (matchesFrom(parts, path, 0)) return true;
  if (pattern.startsWith('/')) return false;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
    if (matchesFrom(parts, path, at + 1)) return true;
  return false;
}

/**
 * Whether the rest of the text consists of the parts in their order, with anything between them. Each part is taken where it
 * comes first: an expression with as many `.*` would try every way to divide the text, which never ends.
 */
function matchesFrom(parts: readonly string[], text: string, from: number): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text.slice(from) === first;
  if (!text.startsWith(first, from)) return false;
  let at = from + first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
