/**
 * The mistakes in what one viewer may see. It reads the records from the oldest on, few at a time: they may be many, and
 * reading must not slow down trading.
 */
import type { KeyDirectory } from '../../../identity/identity.ts';
import type { Entry, Recorder } from '../../../inspector/recorder.ts';
import { type Mistake, Mistakes } from './mistakes.ts';

const ENTRIES_PER_STEP = 250;
const BEHIND_MS = 20;
const CURRENT_MS = 500;
/** Mistakes that are shown: those that were made most often. */
const SHOWN_MAX = 100;

export interface MistakeFeedOptions {
  readonly recorder: Recorder;
  readonly keys: KeyDirectory;
  readonly sees: (entry: Entry) => boolean;
  /** False when the reader is too slow for it at the moment. */
  readonly push: (mistakes: readonly Mistake[]) => boolean;
}

export class MistakeFeed {
  readonly #options: MistakeFeedOptions;
  readonly #mistakes: Mistakes;
  #next = 0;
  /** The first push comes without any, too. */
  #changed = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MistakeFeedOptions) {
    this.#options = options;
    this.#mistakes = new Mistakes(options.keys);
    this.#step();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #step(): void {
    const { recorder, sees, push } = this.#options;
    const from = Math.max(this.#next, recorder.oldestId);
    this.#next = Math.min(recorder.nextId, from + ENTRIES_PER_STEP);
    for (let id = from; id < this.#next; id++) {
      const entry = recorder.find(id)!;
      if (sees(entry) && this.#mistakes.note(entry)) this.#changed = true;
    }
    const current = this.#next === recorder.nextId;
    if (current && this.#changed && push(this.#shown())) this.#changed = false;
    this.#timer = setTimeout(() => this.#step(), current ? CURRENT_MS : BEHIND_MS);
  }

  #shown(): readonly Mistake[] {
    return this.#mistakes.list.toSorted((one, other) => other.count - one.count).slice(0, SHOWN_MAX);
  }
}
