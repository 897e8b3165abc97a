/**
 * The same commands come to the same state and events however the engine runs them (rules 9.1; reliability 2.0, C3 and C6): only
 * interpreted, compiled at once, with other hashes of its tables.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { sizeOf } from './seeds.ts';
import { tradingDigest } from './trading-digest.ts';

const SEED = Number(process.env.PROPERTY_FIRST ?? 2001);
const COMMANDS = sizeOf(100, 400);

const ENGINES: Readonly<Record<string, readonly string[]>> = {
  'interpreted, with other hashes': [
    ...['--no-opt', '--no-maglev', '--no-sparkplug'],
    ...['--hash-seed=77', '--random-seed=77', '--no-rehash-snapshot'],
  ],
  'compiled at once': ['--always-sparkplug', '--invocation-count-for-turbofan=1'],
};

function trade(flags: readonly string[]): string {
  const program = join(import.meta.dirname, 'trading-digest.ts');
  const args = [...flags, program, String(SEED), String(COMMANDS)];
  return execFileSync(process.execPath, args, { encoding: 'utf8' });
}

test('every kind of trading comes to the same state and events in engines of every kind', () => {
  const usual = tradingDigest(SEED, COMMANDS);
  assert.equal(usual.trim().split('\n').length, 5);
  for (const [name, flags] of Object.entries(ENGINES)) assert.equal(trade(flags), usual, name);
});
