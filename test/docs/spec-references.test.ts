/**
 * References to the specifications (docs/spec/README.md) lead somewhere: every one in code, tests and documents to a heading, and every
 * number of the rule book to a test. A reference is written in one form, so that it can be followed: the document's word, then numbers.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROUTES } from '../../src/api/http/routes.ts';
import { ROOT } from './blocks.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const DOCUMENTS = ['rules', 'wire', 'interface', 'reliability'] as const;
type Name = (typeof DOCUMENTS)[number];

class Specification {
  readonly text: string;
  /** Text of each section up to the next heading, by its number. */
  readonly sections = new Map<string, string>();

  constructor(name: Name) {
    this.text = read(`docs/spec/${name}.md`);
    for (const part of this.text.split(/^(?=#{2,4} )/m)) {
      const number = /^#{2,4} (?:Appendix )?(\d+(?:\.\d+)*|[A-Z])(?=[. ])/.exec(part)?.[1];
      if (number === undefined) continue;
      assert.ok(!this.sections.has(number), `docs/spec/${name}.md has ${number} twice`);
      this.sections.set(number, part);
    }
  }

  /** Numbers of the list items and table rows of a section. */
  rows(section: string): Set<string> {
    const rows = (this.sections.get(section) ?? '').matchAll(/^(?:\| )?([A-Z]?\d+)(?:\. | \|)/gm);
    return new Set([...rows].map((row) => row[1]!));
  }
}

const SPECIFICATIONS: Readonly<Record<Name, Specification>> = {
  rules: new Specification('rules'),
  wire: new Specification('wire'),
  interface: new Specification('interface'),
  reliability: new Specification('reliability'),
};
const CASES = SPECIFICATIONS.rules.rows('10.2');
const INVARIANTS = SPECIFICATIONS.rules.rows('10.1');

interface Text {
  readonly file: string;
  readonly text: string;
}

/** Line breaks of comments do not part a reference. */
const TEXTS: readonly Text[] = globSync(
  ['{src,test,bench,build,examples}/**/*.ts', '{docs,src}/**/*.md', '*.md'],
  { cwd: ROOT },
).map((file) => ({ file, text: read(file).replaceAll(/\n\s*(?:\*|\/\/)? ?/g, ' ') }));

const NUMBER = String.raw`\d+(?:\.\d+)*`;
const JOIN = '(?:, (?:and )?| and | to |-)';
/** A whole number goes on a list only where it cannot be the begin of something else, such as `interface 8, 20 a second`. */
const MORE = String.raw`(?:${JOIN}(?:\d+(?:\.\d+)+|\d{1,2}(?=[):;,'\`.]))(?![\d%]))*`;
const PART = String.raw`(?:,? (?:steps?|items?|numbers?|cases?) \d+(?:${JOIN}\d+)*| model [AB])?`;
const REFERENCE = new RegExp(
  String.raw`(?<![\w/.-])(${DOCUMENTS.join('|')})( rules?)? (${NUMBER}${PART}${MORE}(?:${PART})?)`,
  'gi',
);
const LABEL = /\breliability [\d.]+((?:(?:, | and )[CT]\d+)+)/gi;

interface Reference {
  readonly file: string;
  readonly whole: string;
  readonly name: Name;
  /** Of a rule of the wire: `wire rule 19`. */
  readonly rule: boolean;
  readonly list: string;
}

function referencesIn({ file, text }: Text): Reference[] {
  return [...text.matchAll(REFERENCE)].map(([whole, name, rule, list]) => ({
    file,
    whole,
    name: name!.toLowerCase() as Name,
    rule: rule !== undefined,
    list: list!,
  }));
}

/** The numbers of a reference with the steps, items and rows that follow them: `5.9 step 4`. */
function targets(list: string): { number: string; rows: string[] }[] {
  const parts = [...list.matchAll(new RegExp(`(?<![\\w.])(${NUMBER})(${PART})`, 'g'))];
  return parts.map(([, number, part]) => ({
    number: number!,
    rows: / case/.test(part!) ? [] : [...part!.matchAll(/\d+/g)].map(([row]) => row),
  }));
}

function deadEnds({ file, whole, name, rule, list }: Reference): string[] {
  const specification = SPECIFICATIONS[name];
  if (rule) {
    const rules = name === 'wire' ? specification.rows('0') : new Set<string>();
    const missing = [...list.matchAll(/\d+/g)].filter(([number]) => !rules.has(number));
    return missing.map(([number]) => `${file}: ${whole}: the ${name} has no rule ${number}`);
  }
  return targets(list).flatMap(({ number, rows }) => {
    if (!specification.sections.has(number)) return [`${file}: ${whole}: the ${name} has no ${number}`];
    const known = specification.rows(number);
    const missing = rows.filter((row) => !known.has(row));
    return missing.map((row) => `${file}: ${whole}: ${name} ${number} has no ${row}`);
  });
}

test('every reference leads to a heading of docs/spec, every step, item and row to one of its section', () => {
  const references = TEXTS.flatMap(referencesIn);
  assert.ok(references.length > 700, `${references.length} references`);
  assert.deepEqual(references.flatMap(deadEnds), []);
});

test('every promise and test of reliability that is cited has its row', () => {
  const { reliability } = SPECIFICATIONS;
  const known = new Set([...reliability.rows('2.0'), ...reliability.rows('4')]);
  const cited = TEXTS.flatMap(({ file, text }) =>
    [...text.matchAll(LABEL)].flatMap(([, labels]) =>
      [...labels!.matchAll(/[CT]\d+/g)].map(([label]) => ({ file, label })),
    ),
  );
  assert.ok(cited.length > 5, `${cited.length} labels`);
  assert.deepEqual(
    cited.filter(({ label }) => !known.has(label)),
    [],
  );
});

test('no reference is written in another form', () => {
  const other =
    /(?<!\]\()(?<!\[)(?<!docs\/spec\/)\b(?:domain|wire|reliability|interface-v3)\.md\b`? ?[\w.]*/gi;
  const outside = TEXTS.filter(({ file }) => !file.startsWith('docs/spec/'));
  const found = outside.flatMap(({ file, text }) =>
    [...text.matchAll(other)].map(([whole]) => `${file}: ${whole}`),
  );
  assert.deepEqual(found, [], `${found.length} references are written in another form`);
});

const TEST_TEXTS = TEXTS.filter(({ file }) => /\.(?:test|faults)\.ts$/.test(file)).map(({ text }) => text);

/** Names of tests: what is quoted and begins with a number of the rule book. */
const TEST_NAMES = TEST_TEXTS.flatMap((text) =>
  [...text.matchAll(/(?<=['`])(?:cases? \d[\d, and]*|I\d\d): /g)].map(([name]) => name),
);

/** Names of tests of the second edition, such as `R3 (b): …` and `13.11: …`: what they begin with, and the rest. */
const SECOND_EDITION_NAMES = TEST_TEXTS.flatMap((text) =>
  [...text.matchAll(/(?<=test\(['`])(R\d+(?: \([a-z]\))?|13\.\d+): ([^'`]*)/g)].map(([, about, rest]) => ({
    about: about!,
    rest: rest!,
  })),
);

function missing(numbers: ReadonlySet<string>, found: ReadonlySet<string>): string[] {
  return [...numbers].filter((number) => !found.has(number));
}

test('every edge case of the rule book has a test that begins with its number', () => {
  const names = TEST_NAMES.filter((name) => name.startsWith('case'));
  const tested = new Set(names.flatMap((name) => name.match(/\d+/g)!));
  assert.ok(CASES.size > 140, `${CASES.size} cases`);
  assert.deepEqual(missing(CASES, tested), [], 'cases without a test');
  assert.deepEqual(missing(tested, CASES), [], 'tests of cases that are not in the rule book');
});

test('every invariant of the rule book has a test that begins with its number', () => {
  const tested = new Set(TEST_NAMES.filter((name) => name.startsWith('I')).map((name) => name.slice(0, 3)));
  assert.ok(INVARIANTS.size > 40, `${INVARIANTS.size} invariants`);
  assert.deepEqual(missing(INVARIANTS, tested), [], 'invariants without a test');
});

/** The lettered clauses of the second edition, as `R3 (b)`, and the rules that have an example. */
const SECOND_EDITION = [...SPECIFICATIONS.rules.sections.values()].flatMap((section) => {
  const rule = /^### 13\.\d+ .*\((R\d+)\)$/m.exec(section)?.[1];
  if (rule === undefined) return [];
  const clauses = [...section.matchAll(/^\(([a-z])\) /gm)].map(([, letter]) => `${rule} (${letter})`);
  return [{ rule, clauses, example: section.includes('**Example') }];
});

test('every clause and example of the second edition has a test that begins with its name', () => {
  const clauses = new Set(SECOND_EDITION.flatMap((each) => each.clauses));
  assert.equal(SECOND_EDITION.length, 10);
  assert.ok(clauses.size >= 41, `${clauses.size} clauses`);
  const begins = new Set(SECOND_EDITION_NAMES.map(({ about }) => about));
  assert.deepEqual(missing(clauses, begins), [], 'clauses without a test');
  const cited = new Set([...begins].filter((about) => about.endsWith(')')));
  assert.deepEqual(missing(cited, clauses), [], 'tests of clauses that are not in the rule book');
  const examples = SECOND_EDITION.filter((each) => each.example).map((each) => each.rule);
  assert.equal(examples.length, 10);
  const isShown = (rule: string) =>
    SECOND_EDITION_NAMES.some(({ about, rest }) => about.split(' ')[0] === rule && /\bexample\b/.test(rest));
  assert.deepEqual(
    examples.filter((rule) => !isShown(rule)),
    [],
    'examples without a test',
  );
  // The order of work of a second, and old data directories.
  assert.deepEqual(missing(new Set(['13.11', '13.12']), begins), []);
});

test('every edge case and invariant that is cited is in the rule book', () => {
  const dead = TEXTS.flatMap(({ file, text }) => {
    // A `case 0` is one of a program.
    const cases = [...text.matchAll(/\bcases? ((?!0)\d+(?:(?:, | and | to |, and )\d+)*)/gi)].flatMap(
      ([, list]) => list!.match(/\d+/g)!.filter((number) => !CASES.has(number)),
    );
    const invariants = (text.match(/(?<![\w.])I\d\d(?!\w)/g) ?? []).filter((name) => !INVARIANTS.has(name));
    return [...cases, ...invariants].map((number) => `${file}: ${number}`);
  });
  assert.deepEqual(dead, []);
});

/** Sections that say nothing that a test of the exchange could break. */
const WITHOUT_TESTS: Readonly<Record<string, string>> = {
  '0.1': 'words',
  '9.2': 'a list, held by the test below',
  '13.0': 'words',
};

test('every section of the rule book is cited by a test', () => {
  const cited = new Set(
    TEXTS.filter(({ file }) => file.startsWith('test/') || file.endsWith('.test.ts'))
      .flatMap(referencesIn)
      .filter(({ name, rule }) => name === 'rules' && !rule)
      .flatMap(({ list }) => spelledOut(list)),
  );
  const sections = [...SPECIFICATIONS.rules.sections.keys()].filter((number) => number.includes('.'));
  assert.deepEqual(
    sections.filter((number) => !cited.has(number) && WITHOUT_TESTS[number] === undefined),
    [],
  );
});

/** `3.1 to 3.3` cites 3.2 too. */
function spelledOut(list: string): string[] {
  const numbers = targets(list).map(({ number }) => number);
  const between = [...list.matchAll(/(\d+)\.(\d+)(?: to |-)\1\.(\d+)/g)].flatMap(([, chapter, from, to]) =>
    Array.from({ length: Number(to) - Number(from) }, (_, n) => `${chapter}.${Number(from) + n}`),
  );
  return [...numbers, ...between];
}

test('every rule of the wire has the test that stands beside it', () => {
  const rules = SPECIFICATIONS.wire.rows('0');
  const rows = [
    ...SPECIFICATIONS.wire.sections.get('0')!.matchAll(/^\| (\d+) \|.*\| `([^`]+)`: `([^`]+)` \|$/gm),
  ];
  assert.deepEqual(new Set(rows.map(([, rule]) => rule)), rules);
  const absent = rows.filter(([, , file, words]) => !read(file!).includes(words!));
  assert.deepEqual(
    absent.map(([, rule, file, words]) => `wire rule ${rule}: ${file} has no "${words}"`),
    [],
  );
});

test('the commands of rules 9.2 are those of the log', () => {
  const types = [...read('src/core/model/command.ts').matchAll(/readonly type: '(\w+)'/g)].map(
    (match) => match[1]!,
  );
  const listed = [...SPECIFICATIONS.rules.sections.get('9.2')!.matchAll(/`(\w+)`/g)].map(
    (match) => match[1]!,
  );
  assert.deepEqual(listed.toSorted(), types.toSorted());
});

test('every call that is served stands in the interface or the wire', () => {
  const { text: ofInterface } = SPECIFICATIONS.interface;
  const { text: ofWire } = SPECIFICATIONS.wire;
  const stands = (path: string) => new RegExp(`${path}(?![\\w-])`).test(ofInterface + ofWire);
  const absent = ROUTES.filter(({ path }) => !stands(path)).map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(absent, []);
});

test('links and paths of the documents lead to what exists', () => {
  for (const file of globSync(['*.md', 'docs/**/*.md', 'src/**/*.md'], { cwd: ROOT })) {
    if (file === 'CHANGELOG.md') continue;
    const text = read(file);
    const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target]) => join(dirname(file), target!));
    const paths = [...text.matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g)].map(([, path]) => path!);
    const dead = [...links, ...paths].filter((path) => !existsSync(join(ROOT, path)));
    assert.deepEqual(dead, [], file);
  }
});

test('the glossary is a page: at most 80 words', () => {
  const words = [...read('docs/glossary.md').matchAll(/^\| (?!word )([^|]+) \|/gm)].map(([, word]) => word!);
  assert.ok(words.length > 50 && words.length <= 80, `${words.length} words`);
  assert.equal(new Set(words).size, words.length);
});
