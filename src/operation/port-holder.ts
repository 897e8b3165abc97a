/** Which process listens on a port, as far as Linux lets us see; elsewhere nobody is named. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

const LISTENING = '0A';

export interface PortHolder {
  readonly pid: number;
  readonly command: string;
}

export function portHolder(port: number): PortHolder | undefined {
  const sockets = listeningSockets(port);
  if (sockets.size === 0) return undefined;
  const pid = entriesOf('/proc').find((name) => /^\d+$/.test(name) && holdsSocket(name, sockets));
  return pid === undefined ? undefined : { pid: Number(pid), command: commandOf(pid) };
}

/** As it was called: `comm` is the name of the main thread, which a program may change, as Node does. */
function commandOf(pid: string): string {
  const [program] = textOf(`/proc/${pid}/cmdline`).split('\0');
  return basename(program!) || textOf(`/proc/${pid}/comm`).trim();
}

/** As the descriptors of a process name them: `socket:[inode]`. */
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
  return entriesOf(`/proc/${pid}/fd`).some((descriptor) => {
    try {
      return sockets.has(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
    } catch {
      return false;
    }
  });
}

/** Processes of others and such as have just ended cannot be read; they count as empty. */
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
