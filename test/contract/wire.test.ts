/**
 * The tables of both documents against the schemas that the exchange validates, serialises and documents with: a
 * parameter or a field that is missing, added, renamed, of another type or with another word fails here under its
 * section. That answers and pushes are what the schemas say is seen wherever a test asks or listens: nothing else
 * leaves over HTTP, and every frame is held against the document (`harness/documented.ts`).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '../../src/core/refusal.ts';
import type { State } from '../../src/core/state.ts';
import { ROUTES } from '../../src/gateway/routes.ts';
import { normaliseFields } from '../../src/gateway/wire/fields.ts';
import { refusalError } from '../../src/gateway/wire/refusal-message.ts';
import { CLASSIC_TWINS, type WireCode, wireError } from '../../src/gateway/wire/wire-error.ts';
import { asyncApiDocument } from '../../src/streams/asyncapi.ts';
import { CONTROL } from '../../src/streams/control.ts';
import { answersIn, asksIn, canonical, type Schema } from './notation.ts';
import { EXACT_WORDS, REASONS, STATUSES, TWINS } from './refusal-book.ts';
import { CALLS, CONTROL_CODES, FRAMES, PUSHES } from './wire-book.ts';

const routes = new Map(
  ROUTES.map((route) => [`${route.method} ${route.path.replace(/^\/api\/(v3\/)?/, '')}`, route]),
);
const { messages } = asyncApiDocument().components;
const payloadOf = (name: string) => messages[name]?.payload as Schema | undefined;

const same = (told: string, written: string, where: string) =>
  assert.equal(canonical(told), canonical(written), where);

describe('interface 4, wire 4: what calls take and answer', () => {
  it('interface 4, wire 4: every call has its row', () => {
    const rows = Object.values(CALLS).flatMap((section) => Object.keys(section));
    assert.deepEqual([...routes.keys()].sort(), rows.sort());
  });

  for (const [section, rows] of Object.entries(CALLS)) {
    for (const [call, { asks, answers }] of Object.entries(rows)) {
      it(`${section} ${call}`, () => {
        const { query, body, data } = routes.get(call)!;
        same(asksIn((query ?? body) as Schema | undefined), asks, `${section}: what ${call} takes`);
        same(answersIn(data as Schema), answers, `${section}: what ${call} answers`);
      });
    }
  }
});

describe('wire 5: what sockets say', () => {
  it('wire 5.3, 5.4: every topic has its row', () => {
    const topics = Object.values(PUSHES).flatMap((section) => Object.keys(section));
    const pushed = Object.keys(messages).filter((name) => name.startsWith('push-'));
    assert.deepEqual(pushed.sort(), topics.map((topic) => `push-${topic}`).sort());
  });

  for (const [section, rows] of Object.entries(PUSHES)) {
    for (const [topic, holds] of Object.entries(rows)) {
      it(`${section} ${topic}`, () => {
        const told = answersIn(payloadOf(`push-${topic}`)!);
        const written = FRAMES['wire 5.2']!.push!.replace('[…]', `[${holds}]`);
        same(told, written, `${section}: a push of ${topic}`);
      });
    }
  }

  for (const [section, rows] of Object.entries(FRAMES)) {
    for (const [name, holds] of Object.entries(rows)) {
      if (name === 'push') continue;
      it(`${section} ${name}`, () => same(answersIn(payloadOf(name)!), holds, `${section}: ${name}`));
    }
  }

  it('wire 2.5: numbers of error frames, and which of them end the connection', () => {
    const told = Object.values(CONTROL).map(({ code, closes }) => [code, closes ? 'ends' : 'stays']);
    assert.deepEqual(Object.fromEntries(told), CONTROL_CODES, 'wire 2.5');
  });
});

describe('wire 2: what refusals say', () => {
  it('wire 2.5: every reason has its code', () => {
    const told: Record<string, string[]> = {};
    for (const [name, refusal] of Object.entries(Refusal)) {
      if (refusal === Refusal.none) continue;
      const outcome = { refusal, orderId: 0, clientOid: '' };
      const { code } = refusalError({ coins: [] } as unknown as State, outcome);
      told[code] = [...(told[code] ?? []), name];
    }
    const written = Object.entries(REASONS).map(([code, names]) => [code, names.split(' ').sort()]);
    for (const names of Object.values(told)) names.sort();
    assert.deepEqual(told, Object.fromEntries(written), 'wire 2.5');
  });

  it('wire 2.4: every code of the classic dialect', () => {
    assert.deepEqual(Object.fromEntries(CLASSIC_TWINS), TWINS, 'wire 2.4');
  });

  it('wire 2.2: the status of every code', () => {
    for (const code of new Set([...Object.keys(REASONS), ...Object.keys(TWINS), ...Object.keys(STATUSES)])) {
      const { status } = wireError(code as WireCode, '');
      assert.equal(status, STATUSES[code] ?? 400, `wire 2.2: ${code}`);
    }
  });
});

describe('wire 0: what requests may look like', () => {
  it('wire rule 20: words are taken in any letter case', () => {
    const exact = new Set<string>();
    for (const { query, body } of ROUTES) {
      const whole = (query ?? body ?? {}) as Schema;
      const { properties = {} } = whole.items ?? whole;
      for (const [name, { enum: words = [] }] of Object.entries(properties)) {
        const cases = words.flatMap((word) => [String(word).toUpperCase(), String(word).toLowerCase()]);
        const read = cases.map((word) => (normaliseFields({ [name]: word }) as Record<string, string>)[name]);
        if (!read.every((word) => words.includes(word))) exact.add(name);
      }
    }
    assert.deepEqual([...exact].sort(), [...EXACT_WORDS].sort(), 'wire rule 20');
  });

  it('wire rule 19: numbers are taken as text, and what is empty as left out', () => {
    const sent = { amount: 1.5, size: '2', price: '', symbol: null, list: [{ triggerPrice: 51000 }] };
    const read = { amount: '1.5', size: '2', list: [{ triggerPrice: '51000' }] };
    assert.deepEqual(normaliseFields(sent), read, 'wire rule 19');
  });
});
