/** The duty to write the history: begun and ended one after the other, and left when the database refuses. */
import type { ClusterHistory } from './cluster-history.ts';
import type { Duties } from './duties.ts';

export interface HistoryDutyOptions {
  readonly duties: Duties;
  readonly history: ClusterHistory;
  readonly wanted: () => boolean;
  readonly warn: (text: string, error?: Error) => void;
  readonly onRetryableError: (error: Error) => void;
}

export class HistoryDuty {
  readonly #options: HistoryDutyOptions;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: HistoryDutyOptions) {
    this.#options = options;
    const { duties, history, wanted } = options;
    duties.add('history', {
      wanted,
      begin: () => this.#queue(() => this.#begin()),
      end: () => this.#queue(() => history.stopWriting()),
    });
  }

  /** Resolves when what was begun or ended so far has come to its end. */
  settled(): Promise<void> {
    return this.#turn;
  }

  #queue(act: () => Promise<void>): void {
    this.#turn = this.#turn.then(act).catch(this.#options.onRetryableError);
  }

  async #begin(): Promise<void> {
    const { duties, history, warn, onRetryableError } = this.#options;
    const release = () => duties.release('history').catch(onRetryableError);
    try {
      await history.write((error) => {
        warn('this node does not write the history any more', error);
        void release();
      });
      if (!duties.holds('history')) await history.stopWriting();
    } catch (error) {
      warn('this node cannot write the history', error as Error);
      await release();
    }
  }
}
