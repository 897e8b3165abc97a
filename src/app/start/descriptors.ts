/**
 * The limit of open files and sockets, and how many of them connections may use: the rest is for the journal, the
 * databases, snapshots and the operator.
 * Linux has the limit in `/proc`; elsewhere Node's own report has it, and Windows has no such limit. Node raises the
 * soft
 * limit to the hard one when it starts, so this value counts and not the one that the shell shows.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { CannotStart } from '../exit-codes.ts';

/** The operator's listener has this many connections at most; segments, snapshots, threads and feeds need the rest. */
const RESERVED = 64 + 48;
const CONNECTIONS_MIN = 16;
/** Open files of a start, where they cannot be counted. */
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
  // Without this the report would resolve addresses of connections to names.
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

/** Connections that fit under the limit, beside `open` other files; undefined when there is no limit. */
export function connectionsWithin(limit: number | undefined, open: number): number | undefined {
  if (limit === undefined) return undefined;
  const left = limit - open - RESERVED;
  if (left >= CONNECTIONS_MIN) return left;
  throw new CannotStart(
    `the process may open ${limit} files and sockets; it needs at least ${open + RESERVED + CONNECTIONS_MIN}. ` +
      'Raise the limit (ulimit -n, LimitNOFILE= of a service, --ulimit nofile= of a container)',
  );
}
