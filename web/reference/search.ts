/** Everything that can be looked for, and what fits a few words best. */
import type { Interface, Streams } from './documents.ts';
import { fieldsOf, type Schema } from './schema.ts';

export interface Entry {
  readonly slug: string;
  readonly kind: string;
  readonly title: string;
  readonly text: string;
  /** Further words that it is found by. */
  readonly words: string;
}

const namesIn = (schema: Schema | undefined): string =>
  schema === undefined
    ? ''
    : fieldsOf(schema.items ?? schema)
        .map(({ name }) => name)
        .join(' ');

export function entriesOf({ operations, errors }: Interface, streams: Streams): Entry[] {
  return [
    ...operations.map(({ slug, method, path, summary, group, query, body, id }) => ({
      slug,
      kind: method,
      title: path.replace(/^\/api\/(?:v3\/)?/, ''),
      text: summary,
      words: `${group} ${id} ${namesIn(query)} ${namesIn(body)}`,
    })),
    ...streams.messages.map(({ slug, name, summary }) => ({
      slug: `streams/${slug}`,
      kind: 'WS',
      title: slug,
      text: summary,
      words: `stream websocket topic ${name}`,
    })),
    ...errors.map(({ code, means, classic = '' }) => ({
      slug: `errors/${code}`,
      kind: 'code',
      title: code,
      text: means,
      words: `error ${classic}`,
    })),
    ...streams.errors
      .filter(({ code }) => !errors.some((error) => error.code === code))
      .map(({ code, means }) => ({
        slug: `errors/${code}`,
        kind: 'code',
        title: code,
        text: means,
        words: 'error websocket',
      })),
  ];
}

const FOUND_MAX = 40;

/** Every word must be somewhere; the beginning of the title counts most, then the title, then the rest. */
function weightOf({ title, text, words }: Entry, wanted: readonly string[]): number {
  let weight = 0;
  for (const word of wanted) {
    const at = title.toLowerCase().indexOf(word);
    if (at >= 0) weight += at === 0 || /[/-]/.test(title.charAt(at - 1)) ? 4 : 3;
    else if (text.toLowerCase().includes(word)) weight += 2;
    else if (words.toLowerCase().includes(word)) weight += 1;
    else return 0;
  }
  return weight;
}

export function find(entries: readonly Entry[], text: string): Entry[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return entries.slice(0, FOUND_MAX);
  return entries
    .map((entry) => ({ entry, weight: weightOf(entry, wanted) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, FOUND_MAX)
    .map(({ entry }) => entry);
}
