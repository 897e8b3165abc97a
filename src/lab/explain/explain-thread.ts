/** Asks the thread that explains. It is started with the first question and ends when nobody has asked for a while. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { CommandJournal } from '../../journal/command-journal.ts';
import { MemoryJournal } from '../../journal/memory-journal.ts';
import { threadModule } from '../../program-files.ts';
import type { Answered, Asked, ExplainWorkerData, ToExplainer } from './explain-worker.ts';
import type { Answer, Asker, Question } from './explanation.ts';
import type { Feed } from './past.ts';

const IDLE_MS = 60_000;
const QUESTIONS_MAX = 16;
const MEBIBYTE = 2 ** 20;
/** Segments of a journal in memory that are copied at once: less than two milliseconds. */
const SEGMENTS_A_TURN = 16;

/** Too many questions wait, or the thread has failed; the message says which. */
export class CannotExplain extends Error {
  override readonly name = 'CannotExplain';
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export class ExplainThread {
  readonly #journal: CommandJournal;
  readonly #directory: string | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #fedSeq = 0;
  #fedSnapshot = 0;
  /** What it is being given, in order. */
  #fed: Promise<void> = Promise.resolve();
  #lastNumber = 0;
  #closed = false;

  /** `directory`: of the journal's files; undefined for one in memory. */
  constructor(journal: CommandJournal, directory: string | undefined) {
    this.#journal = journal;
    this.#directory = directory;
  }

  /** Throws CannotExplain. */
  ask(question: Question, asker: Asker): Promise<Answer> {
    if (this.#closed) throw new CannotExplain('the exchange stops');
    if (this.#waiting.size >= QUESTIONS_MAX)
      throw new CannotExplain(`${QUESTIONS_MAX} questions are being answered: ask again later`);
    const worker = this.#running();
    const number = ++this.#lastNumber;
    const lastSeq = this.#journal.durableSeq;
    const asked: Asked = { number, question, lastSeq, asker };
    clearTimeout(this.#idle);
    worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#fed = this.#fed
        .then(() => this.#feed(worker, lastSeq))
        .then(() => worker.postMessage(asked))
        .catch((error: Error) => this.#answered({ number, failure: error.message }));
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const workerData: ExplainWorkerData = { directory: this.#directory };
    const worker = new Worker(threadModule('lab/explain/explain-worker'), {
      workerData,
      name: 'explain',
      resourceLimits: { maxOldGenerationSizeMb: getHeapStatistics().heap_size_limit / MEBIBYTE },
    });
    worker.on('message', (answered: Answered) => this.#answered(answered));
    worker.on('error', (error) => this.#failed(worker, error));
    worker.on('exit', () => this.#failed(worker, new Error('its thread ended')));
    this.#worker = worker;
    this.#fedSeq = 0;
    this.#fedSnapshot = 0;
    return worker;
  }

  /** Gives the thread what a journal in memory has had since the last question, a little in each turn. */
  async #feed(worker: Worker, lastSeq: number): Promise<void> {
    const journal = this.#journal;
    if (!(journal instanceof MemoryJournal)) return;
    this.#fedSeq = Math.max(this.#fedSeq, journal.firstSeq - 1);
    while (this.#worker === worker) {
      const snapshot = journal.snapshots.find(({ seq }) => seq > this.#fedSnapshot);
      if (snapshot !== undefined) this.#fedSnapshot = snapshot.seq;
      const pieces = journal.copyFrom(this.#fedSeq + 1, SEGMENTS_A_TURN);
      const feed: Feed = {
        pieces,
        firstSeq: journal.firstSeq,
        ...(snapshot !== undefined && { snapshot }),
      };
      const last = pieces.at(-1);
      // They are empty here once they are given away.
      if (last !== undefined) this.#fedSeq = last.firstSeq + last.ends.length - 1;
      const message: ToExplainer = { feed };
      worker.postMessage(
        message,
        pieces.flatMap(({ bytes, ends }) => [bytes.buffer, ends.buffer]),
      );
      if (snapshot === undefined && (last === undefined || this.#fedSeq >= lastSeq)) return;
      await nextTurn();
    }
  }

  #answered({ number, answer, failure }: Answered): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (answer !== undefined) waiting?.resolve(answer);
    else waiting?.reject(new CannotExplain(`the replay failed: ${failure}`));
    if (this.#waiting.size > 0) return;
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
  }

  #failed(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new CannotExplain(error.message));
    this.#waiting.clear();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new CannotExplain('the exchange stops'));
    this.#waiting.clear();
    await worker?.terminate();
  }
}
