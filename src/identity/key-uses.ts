/** When each key was used last: noted with every request, written in one commit once a minute. */
import type { ApiKey } from './identity.ts';

const WRITE_INTERVAL_MS = 60_000;

type Uses = readonly (readonly [apiKey: string, usedMs: number])[];

export class KeyUses {
  readonly #unwritten = new Map<string, number>();
  readonly #write: (uses: Uses) => Promise<boolean>;
  readonly #timer = setInterval(() => void this.write(), WRITE_INTERVAL_MS).unref();

  /** `write` resolves with false when nothing was written and it must be tried again. */
  constructor(write: (uses: Uses) => Promise<boolean>) {
    this.#write = write;
  }

  note(apiKey: string, nowMs: number): void {
    this.#unwritten.set(apiKey, nowMs);
  }

  forget(apiKey: string): void {
    this.#unwritten.delete(apiKey);
  }

  /** The key with a use that is not written yet. */
  withLast(key: ApiKey): ApiKey {
    return { ...key, lastUsedTime: this.#unwritten.get(key.apiKey) ?? key.lastUsedTime };
  }

  async write(): Promise<void> {
    if (this.#unwritten.size === 0) return;
    const uses = [...this.#unwritten];
    if (!(await this.#write(uses))) return;
    for (const [apiKey, usedMs] of uses)
      if (this.#unwritten.get(apiKey) === usedMs) this.#unwritten.delete(apiKey);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}
