/** Whether the server is away: why, and whether for so long that the exchange should know. */

/** A restart is over by then. */
const STARVED_AFTER_MS = 5000;

export interface AbsenceListener {
  notice(text: string): void;
  /** `starved` is another. */
  changed(): void;
}

export class Absence {
  readonly #place: string;
  readonly #listener: AbsenceListener;
  #since: { readonly ms: number; readonly reason: string } | undefined;
  #starved = false;

  constructor(place: string, listener: AbsenceListener) {
    this.#place = place;
    this.#listener = listener;
  }

  get starved(): boolean {
    return this.#starved;
  }

  /** Empty while the server is there. */
  get reason(): string {
    return this.#since?.reason ?? '';
  }

  /** Called with every attempt that failed. */
  note(reason: string): void {
    const nowMs = performance.now();
    if (this.#since === undefined) {
      this.#since = { ms: nowMs, reason };
      this.#listener.notice(
        `the history's database ${this.#place} is away: ${reason}. Records wait in memory`,
      );
    }
    if (this.#starved || nowMs - this.#since.ms < STARVED_AFTER_MS) return;
    this.#starved = true;
    this.#listener.changed();
  }

  /** Something was stored. */
  end(): void {
    if (this.#since === undefined) return;
    const seconds = Math.round((performance.now() - this.#since.ms) / 1000);
    this.#since = undefined;
    this.#starved = false;
    this.#listener.changed();
    this.#listener.notice(`the history's database is back after ${seconds} s`);
  }
}
