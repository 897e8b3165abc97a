/**
 * The wall clock of a server in the hand of its test: limits, signatures and receive windows are then met by counting
 * and not by being quick. Unless it is held it runs like the machine's. The server is the real one; what it asks for the
 * time is replaced in its process (`held-wall-hook.ts`, in a host `held-walls.ts`).
 */
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { programUrl } from './program.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { wallRecord } from './wall-record.ts';

/** The server's clock may be some milliseconds ahead of ours, and does not go back. */
const LEAD_MS = 100;
const HOOK = programUrl('test/harness/held-wall-hook.ts');

export class HeldWall {
  readonly #file = join(temporaryDirectory(), 'wall');
  #heldMs: number | undefined;
  #aheadMs = 0;

  constructor() {
    this.#tell();
  }

  /** What the server must be started with. */
  get env(): { readonly NODE_OPTIONS: string; readonly TEST_WALL_FILE: string } {
    return { NODE_OPTIONS: `--import=${HOOK}`, TEST_WALL_FILE: this.#file };
  }

  /** What a host must be told. */
  get file(): string {
    return this.#file;
  }

  /** For clients that sign by this clock. */
  readonly now = (): number => this.#heldMs ?? Date.now() + this.#aheadMs;

  /** It stands still until it is moved or released. */
  hold(): void {
    this.#heldMs = this.now() + LEAD_MS;
    this.#tell();
  }

  /** Forward, whether it stands or runs. */
  advance(ms: number): void {
    if (this.#heldMs === undefined) this.#aheadMs += ms;
    else this.#heldMs += ms;
    this.#tell();
  }

  /** It runs again; time is never taken back, so it may be ahead of the machine's from now on. */
  release(): void {
    if (this.#heldMs === undefined) return;
    this.#aheadMs = Math.max(this.#aheadMs, this.#heldMs - Date.now());
    this.#heldMs = undefined;
    this.#tell();
  }

  #tell(): void {
    // In its place: the server keeps it open.
    const record = wallRecord(this.#heldMs !== undefined, this.#heldMs ?? this.#aheadMs);
    const file = openSync(this.#file, constants.O_WRONLY | constants.O_CREAT);
    writeSync(file, record, 0, record.length, 0);
    closeSync(file);
  }
}
