/**
 * A file system of its own, small enough to be filled: a tmpfs, which only root may mount and only on Linux. It goes
 * with the process; what a killed one left behind is taken away by the next.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary-directory.ts';

const NAME = 'bourse-test-';
const STEP_BYTES = 64 * 1024;
const FILLER = 'filler';

export class SmallDisk implements Disposable {
  readonly directory: string;
  readonly #unmount = () => this[Symbol.dispose]();
  #fillers = 0;

  private constructor(directory: string) {
    this.directory = directory;
    // Before the directory that it is mounted in is removed.
    process.prependListener('exit', this.#unmount);
  }

  /** Why there can be none here; undefined when there can. */
  static get impossible(): string | undefined {
    if (process.platform !== 'linux') return 'a small file system is mounted on Linux only';
    if (process.getuid?.() !== 0) return 'only root may mount a small file system';
    try {
      SmallDisk.mount(1)[Symbol.dispose]();
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  static mount(mebibytes: number): SmallDisk {
    unmountLeftovers();
    const directory = join(temporaryDirectory(), 'disk');
    mkdirSync(directory);
    const name = `${NAME}${process.pid}`;
    const options = ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, name, directory];
    const { status, stderr, error } = spawnSync('mount', options, { encoding: 'utf8' });
    if (status !== 0)
      throw new Error(`a small file system cannot be mounted here: ${error?.message ?? stderr}`);
    return new SmallDisk(directory);
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.directory);
    return bavail * bsize;
  }

  /** Takes all space but so much, in a file that the exchange knows nothing of. */
  fill(leaveBytes = 0): void {
    const path = join(this.directory, `${FILLER}-${this.#fillers++}`);
    const file = openSync(path, 'w');
    try {
      while (this.freeBytes > leaveBytes) {
        writeSync(file, new Uint8Array(Math.min(STEP_BYTES, this.freeBytes - leaveBytes)));
      }
      fsyncSync(file);
    } catch (error) {
      // Somebody else was quicker with the last bytes.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Gives back what `fill` took. */
  free(): void {
    for (let n = 0; n < this.#fillers; n++) rmSync(join(this.directory, `${FILLER}-${n}`), { force: true });
    this.#fillers = 0;
  }

  [Symbol.dispose](): void {
    spawnSync('umount', ['-l', this.directory]);
    process.off('exit', this.#unmount);
  }
}

function unmountLeftovers(): void {
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [name = '', directory = ''] = line.split(' ');
    if (name.startsWith(NAME) && !isAlive(Number(name.slice(NAME.length))))
      spawnSync('umount', ['-l', directory]);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
