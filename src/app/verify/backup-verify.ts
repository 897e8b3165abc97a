/**
 * Proves a backup without changing it: every file against its hash, then the whole as a data directory that a restore
 * would make, in a temporary place. The replay must end in the state that the exchange had at the moment of the
 * backup.
 */
import { constants, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { hashFile, placeIn } from '../backup/copying.ts';
import { CONTENTS, MANIFEST_FILE, type Manifest, readManifest } from '../backup/manifest.ts';
import { LOG_DIRECTORY } from '../data/data-files.ts';
import { count, counted } from '../terminal/format.ts';
import { verifyAudit } from './audit-verify.ts';
import type { Check, Verification } from './verification.ts';
import { verify } from './verify.ts';

/** Limit of file problems listed. */
const PROBLEMS_MAX = 20;

export async function verifyBackup(
  directory: string,
  progress: (what: string, share: number) => void = () => {},
): Promise<Verification> {
  const manifest = readManifest(directory);
  const files = await checkFiles(directory, manifest, (share) => progress(`reading ${directory}`, share));
  if (files.some(({ ok }) => !ok)) return unproven(directory, manifest, files);
  const place = mkdtempSync(join(tmpdir(), 'bourse-verify-'));
  try {
    layOut(directory, place, manifest);
    const proven = await verify(place, { progress });
    const checks = [...files, ...proven.checks, momentCheck(manifest, proven), auditCheck(place)];
    return { ...proven, data: directory, checks, ok: checks.every(({ ok }) => ok) };
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function checkFiles(
  directory: string,
  { files, madeAt }: Manifest,
  progress: (share: number) => void,
): Promise<Check[]> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 1);
  let done = 0;
  const wrong: Check[] = [];
  for (const { path, bytes, sha256 } of files) {
    const place = placeIn(join(directory, CONTENTS), path);
    if (!existsSync(place)) {
      wrong.push({ name: path, ok: false, detail: 'is missing' });
      continue;
    }
    const found = await hashFile(place, (step) => {
      done += step;
      progress(done / total);
    });
    if (found.sha256 === sha256) continue;
    const size = found.bytes === bytes ? '' : `, ${count(found.bytes)} bytes instead of ${count(bytes)}`;
    wrong.push({ name: path, ok: false, detail: `was changed since the backup was made${size}` });
  }
  if (wrong.length > 0) return wrong.slice(0, PROBLEMS_MAX);
  const detail = `${counted(files.length, 'file')}, ${count(total - 1)} bytes, made ${madeAt}`;
  return [{ name: `${MANIFEST_FILE}: hashes`, ok: true, detail }];
}

/** The journal is only read and may be large: links to its files suffice. Databases create files beside them. */
function layOut(directory: string, place: string, { files }: Manifest): void {
  mkdirSync(join(place, LOG_DIRECTORY));
  for (const { path } of files) {
    const source = placeIn(join(resolve(directory), CONTENTS), path);
    const target = placeIn(place, path);
    if (basename(dirname(target)) === LOG_DIRECTORY) linkOrCopy(source, target);
    else copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    symlinkSync(source, target);
  } catch {
    // For users who may not create links.
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
}

function momentCheck({ moment }: Manifest, { lastSeq, stateHash }: Verification): Check {
  const name = 'moment';
  const where = `state after command ${count(moment.seq)}`;
  if (lastSeq !== moment.seq)
    return { name, ok: false, detail: `the replay ends at command ${lastSeq} instead of ${moment.seq}` };
  if (moment.stateHash === null) return { name, ok: true, detail: `${where}; its hash was not noted` };
  const ok = moment.stateHash === stateHash;
  return { name, ok, detail: ok ? `${where} has the hash of the exchange` : `${where} has another hash` };
}

function auditCheck(place: string): Check {
  const { ok, lines, problems } = verifyAudit(place);
  return { name: 'audit log', ok, detail: ok ? counted(lines, 'line') : problems.join('; ') };
}

function unproven(directory: string, { moment }: Manifest, checks: readonly Check[]): Verification {
  return {
    ok: false,
    data: directory,
    checks,
    damages: [],
    remedy: '',
    repairedRows: 0,
    coins: [],
    snapshots: [],
    accounts: 0,
    openOrders: 0,
    lastSeq: moment.seq,
    stateHash: 'not worked out',
  };
}
