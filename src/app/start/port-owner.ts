/** The process that listens on a port, as far as Linux shows it; elsewhere it stays unknown. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

const LISTENING = '0A';
/** The lock of a data directory (`src/journal/directory-lock.ts`). */
const HELD_LOCK = /^(\/.*)\/log\/lock\.db$/;

export interface PortOwner {
  readonly pid: number;
  readonly command: string;
}

export function portOwner(port: number): PortOwner | undefined {
  const sockets = listeningSockets(port);
  if (sockets.size === 0) return undefined;
  const pid = entriesOf('/proc').find((name) => /^\d+$/.test(name) && holdsSocket(name, sockets));
  return pid === undefined ? undefined : { pid: Number(pid), command: commandOf(pid) };
}

/** The command as it was called: `comm` is the name of the main thread, which Node changes. */
function commandOf(pid: string): string {
  const [program] = textOf(`/proc/${pid}/cmdline`).split('\0');
  return basename(program!) || textOf(`/proc/${pid}/comm`).trim();
}

/**
 * The exchange that listens on a port, found by the lock on its data directory; undefined when it is another program.
 */
export function dataOfListener(port: number): { readonly pid: number; readonly data: string } | undefined {
  const holder = portOwner(port);
  if (holder === undefined) return undefined;
  for (const descriptor of entriesOf(`/proc/${holder.pid}/fd`)) {
    const [, data] = HELD_LOCK.exec(linkOf(`/proc/${holder.pid}/fd/${descriptor}`)) ?? [];
    if (data !== undefined) return { pid: holder.pid, data };
  }
  return undefined;
}

/** As in `/proc/PID/fd`: `socket:[inode]`. */
function listeningSockets(port: number): Set<string> {
  const sockets = new Set<string>();
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => textOf(file).split('\n'));
  for (const row of rows) {
    const [, local, , state, , , , , , inode] = row.trim().split(/\s+/);
    const localPort = Number.parseInt(local?.split(':')[1] ?? '', 16);
    if (state === LISTENING && localPort === port) sockets.add(`socket:[${inode}]`);
  }
  return sockets;
}

function holdsSocket(pid: string, sockets: ReadonlySet<string>): boolean {
  return entriesOf(`/proc/${pid}/fd`).some((descriptor) =>
    sockets.has(linkOf(`/proc/${pid}/fd/${descriptor}`)),
  );
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Processes of other users and ended processes cannot be read; they count as empty. */
function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
