/**
 * The same commands come to the same state and events however the engine runs them (rules 9.1; reliability 2.0, C3 and C6): only
 * interpreted, compiled at once, with other hashes of its tables.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { sizeOf } from './seeds.ts';

const SEED = process.env.PROPERTY_FIRST ?? '2001';
const COMMANDS = String(sizeOf(100, 400));

const ENGINES: Readonly<Record<string, readonly string[]>> = {
  interpreted: ['--no-opt', '--no-maglev', '--no-sparkplug'],
  'compiled at once': ['--always-sparkplug', '--invocation-count-for-turbofan=1'],
  'with other hashes': ['--hash-seed=77', '--random-seed=77', '--no-rehash-snapshot'],
};

function trade(flags: readonly string[]): string {
  const program = join(import.meta.dirname, 'trading-digest.ts');
  return execFileSync(process.execPath, [...flags, program, SEED, COMMANDS], { encoding: 'utf8' });
}

test('every kind of trading comes to the same state and events in engines of every kind', () => {
  const usual = trade([]);
  assert.equal(usual.trim().split('\n').length, 5);
  for (const [name, flags] of Object.entries(ENGINES)) assert.equal(trade(flags), usual, name);
});
