/**
 * Every way in which an answer of the 23 endpoints can be wrong: a field that is missing, has another name or type, is
 * empty, tells another number or another word; a list without its last entry; a refusal with another code or without the
 * name of what was wrong. The fields, words and codes are those that the exchange has answered with.
 */
import type { Reply } from '../../harness/signed-client.ts';
import { ENDPOINTS } from '../endpoints.ts';
import { CATEGORIES } from '../objects.ts';
import type { Recorded } from './tape.ts';

export interface AnswerMutant {
  readonly title: string;
  readonly alter: (recorded: Recorded) => Reply;
}

type Json = unknown;
type Holder = Record<string, Json> | Json[];

/** Where a value stands: names of fields, `*` for any entry, numbers for the entries of a candle. */
type Path = readonly string[];

/** Puts something else where the path leads, in every record that has it and fits. */
function changed(value: Json, path: Path, put: (holder: Holder, key: string) => void, fits = ANY): Json {
  const copy = structuredClone(value);
  visit({ '': copy }, ['', ...path], put, fits);
  return copy;
}

type Fits = (record: Holder) => boolean;
const ANY: Fits = () => true;

function visit(
  holder: Holder,
  [key, ...rest]: Path,
  put: (holder: Holder, key: string) => void,
  fits: Fits,
): void {
  if (key === undefined || !fits(holder)) return;
  const keys = key === '*' ? Object.keys(holder) : [key];
  for (const each of keys) {
    const inner = (holder as Record<string, Json>)[each];
    if (inner === undefined) continue;
    if (rest.length === 0) put(holder, each);
    else if (typeof inner === 'object' && inner !== null) visit(inner as Holder, rest, put, fits);
  }
}

interface Place {
  readonly path: Path;
  readonly values: Set<Json>;
}

/** Every path of the data with all values that were seen there; of a category, those of its records alone. */
function gather(value: Json, path: Path, seen: Map<string, Place>, category?: string, within = false): void {
  const record = typeof value === 'object' && value !== null && 'category' in value ? value : undefined;
  if (category !== undefined && record !== undefined && record.category !== category) return;
  if (path.length > 0 && (category === undefined || within)) {
    const key = path.join('.');
    const place = seen.get(key) ?? { path, values: new Set() };
    const kind = Array.isArray(value) ? '[]' : '{}';
    place.values.add(typeof value === 'object' && value !== null ? kind : value);
    seen.set(key, place);
  }
  if (typeof value !== 'object' || value === null) return;
  const candle = Array.isArray(value) && value.length === 7 && typeof value[0] === 'string';
  for (const [key, inner] of Object.entries(value)) {
    const next = [...path, Array.isArray(value) && !candle ? '*' : key];
    gather(inner, next, seen, category, within || record !== undefined);
  }
}

const isNumeric = (value: Json): value is string => typeof value === 'string' && /^-?[0-9.]+$/.test(value);
const isWord = (value: Json): value is string =>
  typeof value === 'string' && value !== '' && !isNumeric(value);

/** Another number of the same form: its last digit is one higher. */
function otherNumber(text: string): string {
  return text.replace(/[0-9](?=[^0-9]*$)/, (digit) => String((Number(digit) + 1) % 10));
}

type Put = (holder: Holder, key: string) => void;
const setting = (make: (value: Json) => Json): Put => {
  return (holder, key) => {
    (holder as Record<string, Json>)[key] = make((holder as Record<string, Json>)[key]);
  };
};

function breaksOf(path: Path, values: ReadonlySet<Json>): [what: string, put: Put][] {
  const all = [...values];
  const field = !/^([0-9]|\*)$/.test(path.at(-1)!);
  const breaks: [string, Put][] = [];
  if (field) {
    breaks.push(['is missing', (holder, key) => delete (holder as Record<string, Json>)[key]]);
    breaks.push([
      'has another name',
      (holder, key) => {
        const record = holder as Record<string, Json>;
        record[`${key}s`] = record[key];
        delete record[key];
      },
    ]);
  }
  breaks.push(['is null', setting(() => null)]);
  if (all.includes('[]'))
    breaks.push(['lacks its last entry', setting((list) => (list as Json[]).slice(0, -1))]);
  if (all.includes('[]')) breaks.push(['is empty', setting(() => [])]);
  if (all.includes('{}') && field) breaks.push(['is wrapped', setting((value) => [value])]);
  const texts = all.filter((value) => value !== '[]' && value !== '{}');
  if (texts.length === 0) return breaks;
  breaks.push(['is a number', setting((value) => Number(value) || 0)]);
  if (texts.some((value) => value !== '')) breaks.push(['is empty', setting(() => '')]);
  if (texts.some(isNumeric)) {
    breaks.push([
      'tells another number',
      setting((value) => (isNumeric(value) ? otherNumber(value) : value)),
    ]);
  }
  const words = texts.filter(isWord).sort();
  // Names that the test itself has chosen are many; one of them is enough.
  const chosen = words.length > WORDS_MAX ? words.slice(0, 1) : words;
  for (const [n, word] of chosen.entries()) {
    const other = words[(n + 1) % words.length]!;
    const instead = other === word ? `${word}x` : other;
    breaks.push([`says ${instead} for ${word}`, setting((value) => (value === word ? instead : value))]);
  }
  return breaks;
}
const WORDS_MAX = 40;

const withData = (reply: Reply, data: Json): Reply => {
  const envelope = { ...JSON.parse(reply.text), data };
  return { ...reply, data, text: JSON.stringify(envelope) };
};

function fieldMutants(endpoint: string, answers: readonly Reply[], category?: string): AnswerMutant[] {
  const places = new Map<string, Place>();
  for (const { data } of answers) gather(data, [], places, category);
  const fits: Fits = (record) =>
    category === undefined ||
    Array.isArray(record) ||
    !('category' in record) ||
    record.category === category;
  const only = category === undefined ? '' : ` in ${category}`;
  return [...places.values()].flatMap(({ path, values }) =>
    breaksOf(path, values).map(([what, put]) => ({
      title: `${endpoint} ${path.join('.')} ${what}${only}`,
      alter: (recorded: Recorded) => {
        const { reply } = recorded;
        if (recorded.endpoint !== endpoint || reply.code !== '00000') return reply;
        return withData(reply, changed(reply.data, path, put, fits));
      },
    })),
  );
}

const NO_CODE = '40999';

function refusalMutants(endpoint: string, replies: readonly Reply[]): AnswerMutant[] {
  const codes = new Set(replies.map(({ code }) => code).filter((code) => code !== '00000'));
  return [...codes].flatMap((code) => {
    const refused = (what: string, make: (reply: Reply) => Partial<Record<string, Json>>): AnswerMutant => ({
      title: `${endpoint} refused with ${code} ${what}`,
      alter: (recorded) => {
        const { reply } = recorded;
        if (recorded.endpoint !== endpoint || reply.code !== code) return reply;
        const envelope = { ...JSON.parse(reply.text), ...make(reply) };
        return {
          ...reply,
          code: envelope.code,
          msg: envelope.msg,
          data: envelope.data,
          text: JSON.stringify(envelope),
        };
      },
    });
    return [
      refused('has another code', () => ({ code: NO_CODE })),
      refused('says nothing', () => ({ msg: '' })),
      refused('has data', () => ({ data: {} })),
    ];
  });
}

function envelopeMutants(endpoint: string): AnswerMutant[] {
  const breaks: [what: string, change: Record<string, Json>][] = [
    ['code is a number', { code: 0 }],
    ['code is another one', { code: '0' }],
    ['msg is another one', { msg: 'ok' }],
    ['requestTime is a string', { requestTime: '1794000000000' }],
    ['requestTime is missing', { requestTime: undefined }],
    ['has another field', { surplus: '' }],
  ];
  return breaks.map(([what, change]) => ({
    title: `${endpoint} envelope: ${what}`,
    alter: (recorded) => {
      const { reply } = recorded;
      if (recorded.endpoint !== endpoint || reply.code !== '00000') return reply;
      const envelope = { ...JSON.parse(reply.text), ...change };
      return { ...reply, code: envelope.code, msg: envelope.msg, text: JSON.stringify(envelope) };
    },
  }));
}

export function answerMutants(recorded: Iterable<Recorded>, byCategory: boolean): AnswerMutant[] {
  const replies = new Map(Object.keys(ENDPOINTS).map((endpoint) => [endpoint, [] as Reply[]]));
  for (const { endpoint, reply } of recorded) replies.get(endpoint)?.push(reply);
  return [...replies].flatMap(([endpoint, of]) => {
    const answers = of.filter(({ code }) => code === '00000');
    if (byCategory) return CATEGORIES.flatMap((category) => fieldMutants(endpoint, answers, category));
    return [
      ...envelopeMutants(endpoint),
      ...fieldMutants(endpoint, answers),
      ...refusalMutants(endpoint, of),
    ];
  });
}
