/** What tests of starts and ends do with an exchange. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Verification } from '../../src/app/verify/verification.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { command } from './bourse-process.ts';

/** No market, and small segments: a start prepares less. */
export const SMALL = ['--market', 'off', '--segment-bytes', '1048576'];

export async function verified(data: string): Promise<Verification> {
  const { code, stdout, stderr } = await command(['verify', '--data', data, '--json']);
  assert.equal(code, 0, `${stdout}${stderr}`);
  return JSON.parse(stdout) as Verification;
}

export async function place(url: string, body: object): Promise<{ code: string; msg: string }> {
  const path = '/api/v3/trade/place-order';
  const text = JSON.stringify(body);
  const time = String(Date.now());
  const sign = createHmac('sha256', 'demo-alice-secret').update(`${time}POST${path}${text}`).digest('base64');
  const headers = {
    'access-key': 'demo-alice',
    'access-sign': sign,
    'access-timestamp': time,
    'access-passphrase': 'demo',
    'content-type': 'application/json',
  };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: text });
  return (await answer.json()) as { code: string; msg: string };
}

/** For what a start does to the directory; it is that of a process in the other tests. */
export async function startedAndStopped(data: string, ...args: string[]): Promise<void> {
  const server = await startHosted({ data, args: [...SMALL, ...args] });
  assert.equal(await server.stop(), 0);
}

export const BUY = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '59000',
  qty: '0.01',
  timeInForce: 'gtc',
};
