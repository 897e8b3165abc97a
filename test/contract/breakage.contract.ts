/**
 * Breaking any field name or type of any answer makes a check fail that names the section: every answer that this run
 * received is broken in every place, and the check of its endpoint must say so.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentOf, ENDPOINTS, examples } from './endpoints.ts';

/** Something in an answer that can be put back changed, or under another name; `undo` makes it as it was. */
interface Place {
  readonly path: string;
  readonly value: unknown;
  readonly put: (value: unknown, name?: string) => void;
  readonly undo: () => void;
}

/** Every field and every entry, at any depth. */
function placesOf(value: unknown, path: string): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Array.isArray(value) ? entriesOf(value, path) : fieldsOf(value as Record<string, unknown>, path);
}

function entriesOf(list: unknown[], path: string): Place[] {
  return list.flatMap((each, n) => {
    const put = (changed: unknown) => {
      list[n] = changed;
    };
    const entry = `${path}[${n}]`;
    return [{ path: entry, value: each, put, undo: () => put(each) }, ...placesOf(each, entry)];
  });
}

function fieldsOf(record: Record<string, unknown>, path: string): Place[] {
  return Object.entries(record).flatMap(([field, each]) => {
    const put = (changed: unknown, name = field) => {
      delete record[field];
      if (changed !== undefined) record[name] = changed;
    };
    const undo = () => {
      delete record[otherName(field)];
      record[field] = each;
    };
    const name = `${path}.${field}`;
    return [{ path: name, value: each, put, undo }, ...placesOf(each, name)];
  });
}

const otherName = (field: string) => `${field}s`;

/** Returned only where it is YES (interface 2.6), so only `market-data.contract.ts` can miss it. */
const OPTIONAL = /\.areaSymbol$/;

type Breakage = readonly [what: string, apply: (place: Place) => void];
const isField = ({ path }: Place) => !path.endsWith(']');

function breakagesOf(place: Place): Breakage[] {
  const { value } = place;
  const retyped: Breakage[] = [
    ['is null', ({ put }) => put(null)],
    ['is a number', ({ put }) => put(Number(value) || 0)],
    ['is wrapped', ({ put }) => put([value])],
  ];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    retyped.push(['has another field', ({ put }) => put({ ...value, surplus: '' })]);
  }
  if (!isField(place)) return retyped;
  if (!OPTIONAL.test(place.path)) retyped.push(['is missing', ({ put }) => put(undefined)]);
  return [
    ...retyped,
    ['has another name', ({ path, put }) => put(value, otherName(path.split('.').at(-1)!))],
  ];
}

/** A copy with one entry of each content: long lists say the same again and again. */
function essence(data: unknown): unknown {
  return JSON.parse(
    JSON.stringify(data, (_key, value) => {
      if (!Array.isArray(value)) return value;
      const contents = value.map(contentOf);
      return value.filter((_each, n) => contents.indexOf(contents[n]!) === n);
    }),
  );
}

/** What is wrong with how the endpoint's check takes this answer, if anything is. */
function unnoticed(endpoint: string, data: unknown): string | undefined {
  // Only the message is looked at, of thousands of errors.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    ENDPOINTS[endpoint]!(data);
    return 'goes unnoticed';
  } catch (error) {
    const { message } = error as Error;
    return /^interface [0-9]/.test(message) ? undefined : `fails without a section: ${message}`;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export function breakage(): void {
  describe('interface 2, 4: an answer broken anywhere fails a check that names the section', () => {
    for (const endpoint of Object.keys(ENDPOINTS)) {
      it(`interface 4 ${endpoint}: every field of every kind of answer`, (test) => {
        const answers = [...examples.values()].filter((example) => example.endpoint === endpoint);
        assert.ok(answers.length > 0, `interface 4: ${endpoint} was never answered`);
        let broken = 0;
        const survivors = new Set<string>();
        for (const { data } of answers) {
          const root = { data: essence(data) };
          for (const place of placesOf(root, '')) {
            for (const [what, apply] of breakagesOf(place)) {
              apply(place);
              broken++;
              const problem = unnoticed(endpoint, root.data);
              if (problem !== undefined) survivors.add(`${place.path} ${what}: ${problem}`);
              place.undo();
            }
          }
        }
        assert.deepEqual([...survivors], [], `interface 4: ${endpoint}`);
        test.diagnostic(`${broken} breakages of ${answers.length} kinds of answers`);
      });
    }
  });
}
