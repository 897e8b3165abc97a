/** Time that passes only when everything that can happen now has happened. */

interface Due {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export class VirtualTime {
  now = 1_800_000_000_000;
  #order = 0;
  #due: Due[] = [];

  /** Returns what takes it back. */
  after(ms: number, act: () => void): () => void {
    const due = { at: this.now + Math.max(0, ms), order: this.#order++, act };
    let place = this.#due.length;
    while (place > 0 && this.#due[place - 1]!.at > due.at) place--;
    this.#due.splice(place, 0, due);
    return () => {
      this.#due = this.#due.filter((each) => each !== due);
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  async run(ms: number): Promise<void> {
    const end = this.now + ms;
    await turn();
    while (this.#due.length > 0 && this.#due[0]!.at <= end) {
      const { at, act } = this.#due.shift()!;
      this.now = at;
      act();
      await turn();
    }
    this.now = end;
  }
}
