import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { PLACEHOLDERS, programOf } from './code.ts';

test('a program in Python has the words of Python, and texts as they are', () => {
  const body = { autoSize: true, reduceOnly: false, note: 'is "true" or null', preset: null };
  const call = {
    method: 'POST',
    path: '/api/v3/trade/place-order',
    query: {},
    body,
    signed: 'text',
  } as const;
  const program = programOf('ccxt Python', call, 'http://127.0.0.1:8787', PLACEHOLDERS);
  match(program, /"autoSize": True/);
  match(program, /"reduceOnly": False/);
  match(program, /"preset": None/);
  match(program, /"note": "is \\"true\\" or null"/);
  equal(/: (true|false|null)\b/.test(program), false);
  match(programOf('ccxt JS', call, 'http://127.0.0.1:8787', PLACEHOLDERS), /"autoSize": true/);
});
