/** The audit log of a small venue, as tests read and change it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatHead } from '../../src/admin/audit-file.ts';
import { command } from '../app/bourse-process.ts';
import { Venue } from './venue-process.ts';

/** One that has stopped, with nine lines. */
export async function auditedVenue(): Promise<Venue> {
  const venue = new Venue();
  await venue.start();
  await venue.ask('account', 'create', 'alice');
  await venue.ask('deposit', 'alice', '100', 'USDT', '--reference', 'one');
  await venue.ask('deposit', 'alice', '200', 'USDT', '--reference', 'two');
  await venue.ask('account', 'freeze', 'alice');
  await venue.stop();
  return venue;
}

export function readLines(data: string): string[] {
  return readFileSync(join(data, 'audit.log'), 'utf8').trimEnd().split('\n');
}

export function writeLines(data: string, lines: readonly string[]): void {
  writeFileSync(join(data, 'audit.log'), `${lines.join('\n')}\n`);
}

export async function verify(data: string): Promise<{ code: number | null; problems: string[] }> {
  const { code, stdout, stderr } = await command(['audit', 'verify', '--data', data, '--json']);
  assert.equal(stderr, '');
  return { code, problems: JSON.parse(stdout).problems };
}

export function replaceChain(data: string, lines: readonly string[]): void {
  writeLines(data, lines);
  const head = { seq: lines.length, hash: lines.at(-1)!.slice(-66, -2) };
  writeFileSync(join(data, 'audit.head'), formatHead(head));
}
