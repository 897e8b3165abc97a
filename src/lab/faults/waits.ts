/** Requests that a fault holds up. Those that still wait when the exchange is replaced or stops are cut off. */

interface Wait {
  readonly timer: NodeJS.Timeout;
  readonly cut: () => void;
}

export class Waits {
  readonly #waiting = new Set<Wait>();

  add(ms: number, goOn: () => void, cut: () => void): void {
    const timer = setTimeout(() => {
      this.#waiting.delete(wait);
      goOn();
    }, ms);
    const wait = { timer, cut };
    this.#waiting.add(wait);
  }

  cutAll(): void {
    for (const { timer, cut } of this.#waiting) {
      clearTimeout(timer);
      cut();
    }
    this.#waiting.clear();
  }
}
