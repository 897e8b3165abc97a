/**
 * How many files and sockets the process may have open, and how many of them connections may take: what is left over
 * must do for the log, the databases, snapshots and the operator.
 *
 * Linux tells in `/proc`; elsewhere Node's own report does, and Windows has no such limit. Node raises the soft limit to
 * the hard one when it starts, so what counts is what is found here and not what the shell shows.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { CannotStart } from '../exit-codes.ts';

/** The operator's listener takes so many connections at most; segments, snapshots, threads and feeds need the rest. */
const RESERVED = 64 + 48;
const CONNECTIONS_MIN = 16;
/** What a start has open, where nobody can count it. */
const OPEN_AT_START = 64;

interface UserLimits {
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
}

/** Undefined when there is no limit. */
export function descriptorLimit(): number | undefined {
  const found = process.platform === 'linux' ? limitInProc() : limitInReport();
  return Number.isFinite(found) ? found : undefined;
}

function limitInProc(): number {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(soft);
  } catch {
    return limitInReport();
  }
}

function limitInReport(): number {
  if (process.platform === 'win32') return Number.POSITIVE_INFINITY;
  // The addresses of connections would be looked up by name.
  Object.assign(process.report, { excludeNetwork: true });
  return Number((process.report.getReport() as UserLimits).userLimits?.open_files?.soft);
}

export function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return OPEN_AT_START;
  }
}

/** How many connections fit under the limit, beside `open` other files; undefined when there is no limit. */
export function connectionsWithin(limit: number | undefined, open: number): number | undefined {
  if (limit === undefined) return undefined;
  const left = limit - open - RESERVED;
  if (left >= CONNECTIONS_MIN) return left;
  throw new CannotStart(
    `the process may open ${limit} files and sockets; it needs at least ${open + RESERVED + CONNECTIONS_MIN}. ` +
      'Raise the limit (ulimit -n, LimitNOFILE= of a service, --ulimit nofile= of a container)',
  );
}
