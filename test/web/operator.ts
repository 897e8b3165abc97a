/** The operator's listener of a server under test, and addresses that open its console. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestServer } from '../harness/server.ts';

export interface Operator {
  readonly url: string;
  readonly token: string;
}

export function operatorOf({ data }: TestServer): Operator {
  return JSON.parse(readFileSync(join(data, 'operator.json'), 'utf8')) as Operator;
}

/** A request with the token; the answer must be a success. */
export async function ask<Answer>(operator: Operator, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${operator.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${operator.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text) as Answer;
}

export async function codeFor(operator: Operator): Promise<string> {
  return (await ask<{ code: string }>(operator, '/admin/session-codes', {})).code;
}

/** Works once. */
export async function consoleAddress(operator: Operator): Promise<string> {
  return `${operator.url}/#code=${await codeFor(operator)}`;
}
