/**
 * The tables of both documents against the schemas that the exchange validates, serialises and documents with: a
 * parameter or a field that is missing, added, renamed, of another type or with another word fails here under its
 * section. That answers and pushes are what the schemas say is seen wherever a test asks or listens: nothing else
 * leaves over HTTP, and every frame is held against the document (`harness/documented.ts`).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ROUTES } from '../../src/api/http/routes.ts';
import { CATALOGUE, type WireCode } from '../../src/api/wire/error-catalogue.ts';
import { normaliseFields } from '../../src/api/wire/fields.ts';
import { cursorId, pageLimit, period } from '../../src/api/wire/paging.ts';
import { rejectError } from '../../src/api/wire/reject-messages.ts';
import { WireError } from '../../src/api/wire/wire-error.ts';
import { asyncApiDocument } from '../../src/api/ws/asyncapi.ts';
import { CONTROL } from '../../src/api/ws/control.ts';
import * as limits from '../../src/api/ws/limits.ts';
import { BOOK_TOPICS, PRIVATE_TOPICS } from '../../src/api/ws/topic-request.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import type { State } from '../../src/core/state/state.ts';
import { EXACT_WORDS, REASONS, STATUSES, TWINS } from './error-spec.ts';
import { answersIn, asksIn, canonical, type Schema } from './notation.ts';
import {
  BOOK_LEVELS,
  CALLS,
  CONTROL_CODES,
  callOf,
  FRAMES,
  PUSHES,
  SOCKET_LIMITS,
  TOPIC_RIGHTS,
} from './wire-spec.ts';

const routes = new Map(ROUTES.map((route) => [callOf(route), route]));
const { messages } = asyncApiDocument().components;
const payloadOf = (name: string) => messages[name]?.payload;

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
        same(asksIn(query ?? body), asks, `${section}: what ${call} takes`);
        same(answersIn(data), answers, `${section}: what ${call} answers`);
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

describe('wire 5: what sockets allow', () => {
  it('wire 5.1: limits of a connection, of an address and of time', () => {
    const named = limits as unknown as Readonly<Record<string, number>>;
    for (const [name, most] of Object.entries(SOCKET_LIMITS)) {
      assert.equal(named[name], most, `wire 5.1: ${name}`);
    }
  });

  it('wire 5.3: levels of every book topic', () => {
    const told = Object.entries(BOOK_TOPICS).map(([topic, { levels }]) => [topic, levels ?? 'all']);
    assert.deepEqual(Object.fromEntries(told), BOOK_LEVELS, 'wire 5.3');
    for (const [topic, { kind }] of Object.entries(BOOK_TOPICS)) {
      assert.equal(kind, topic.startsWith('rpi-') ? 'rpi' : 'displayed', `wire 5.3: ${topic}`);
    }
  });

  it('wire 5.4: a private topic needs what the same data needs over HTTP', () => {
    assert.deepEqual(PRIVATE_TOPICS, TOPIC_RIGHTS, 'wire 5.4');
  });
});

describe('wire 2: what refusals say', () => {
  it('wire 2.5: every reason has its code', () => {
    const told: Record<string, string[]> = {};
    for (const [name, rejectReason] of Object.entries(RejectReason)) {
      if (rejectReason === RejectReason.none) continue;
      const outcome = { rejectReason, orderId: 0, clientOid: '' };
      const { code } = rejectError({ coins: [] } as unknown as State, outcome);
      told[code] = [...(told[code] ?? []), name];
    }
    const written = Object.entries(REASONS).map(([code, names]) => [code, names.split(' ').sort()]);
    for (const names of Object.values(told)) names.sort();
    assert.deepEqual(told, Object.fromEntries(written), 'wire 2.5');
  });

  const codes = Object.keys(CATALOGUE) as WireCode[];

  it('wire 2.4: every code of the classic dialect', () => {
    const told = codes.map((code) => [code, new WireError(code, '').codeIn('classic')]);
    const older = told.filter(([code, twin]) => code !== twin);
    assert.deepEqual(Object.fromEntries(older), TWINS, 'wire 2.4');
  });

  it('wire 2.2: the status of every code', () => {
    const told = codes.map((code) => [code, new WireError(code, '').status]);
    const special = told.filter(([, status]) => status !== 400);
    assert.deepEqual(Object.fromEntries(special), STATUSES, 'wire 2.2');
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

describe('interface 8, wire 3.0: which part of history a query covers', () => {
  const DAY_MS = 86_400_000;
  const NOW = Date.UTC(2026, 10, 16);
  const ago = (days: number, ms = 0) => NOW - days * DAY_MS - ms;
  const asked = (start?: number, end?: number) => ({
    ...(start !== undefined && { startTime: String(start) }),
    ...(end !== undefined && { endTime: String(end) }),
  });

  it('interface 8: 30 days a query within 90, from the end that is given, or else to now', () => {
    const windows: [start: number | undefined, end: number | undefined, from: number, to: number][] = [
      [undefined, undefined, ago(30), NOW],
      [ago(10), undefined, ago(10), NOW],
      [ago(60), undefined, ago(60), ago(30)],
      [undefined, ago(10), ago(40), ago(10)],
      [undefined, ago(80), ago(90), ago(80)],
      [ago(90), ago(60), ago(90), ago(60)],
      [ago(5), ago(5), ago(5), ago(5)],
    ];
    for (const [start, end, startTime, endTime] of windows) {
      const covered = period(asked(start, end), NOW);
      assert.deepEqual(covered, { startTime, endTime }, `interface 8: ${JSON.stringify(asked(start, end))}`);
    }
  });

  it('interface 8: a millisecond more is refused', () => {
    const beyond: [start: number, end: number, says: RegExp][] = [
      [ago(90, 1), ago(80), /last 90 days/],
      [ago(60, 1), ago(30), /30 days apart/],
      [ago(5), ago(5, 1), /not be after/],
    ];
    for (const [start, end, says] of beyond) {
      const refused = period(asked(start, end), NOW);
      assert.ok(refused instanceof WireError, `interface 8: ${says}`);
      assert.equal(refused.code, '40017', 'wire 3.0');
      assert.match(refused.msg, says, 'interface 8');
    }
  });

  it('interface 1.5, 8: a page begins after its cursor, whatever number that is, and holds 1 to 100', () => {
    const cursors = ['1000000000000000005', '5', '9'.repeat(20)];
    assert.deepEqual(cursors.map(cursorId), [5, 0, Number.MAX_SAFE_INTEGER], 'interface 1.5');
    assert.equal(cursorId(undefined), undefined, 'interface 1.5');
    const limits = [undefined, '1', '99', '100', '101'].map((limit) => pageLimit(limit));
    assert.deepEqual(limits, [100, 1, 99, 100, 100], 'interface 8');
    assert.equal((pageLimit('0') as WireError).code, '40020', 'interface 8');
  });
});
