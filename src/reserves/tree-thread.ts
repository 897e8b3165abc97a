/**
 * The tree on a thread of its own: to hash a hundred thousand claims takes seconds, and what is made on the way would have the
 * collector hold up orders. It is started with the first audit and keeps no process alive while nobody waits for it. An audit
 * during which it ends fails; the next one starts another.
 */
import { Worker } from 'node:worker_threads';
import { threadModule } from '../program-files.ts';
import type { AuditedProof, AuditPlan, ClaimRow, TreePlace, TreeSummary } from './claim-tree.ts';

type Notice =
  | { readonly type: 'begin' }
  | { readonly type: 'add'; readonly rows: readonly ClaimRow[] }
  | { readonly type: 'publish' };
type Question =
  | { readonly type: 'build'; readonly plan: AuditPlan }
  | { readonly type: 'proof'; readonly uid: number };

export type TreeRequest = Notice | (Question & { readonly id: number });

export interface TreeAnswer {
  readonly id: number;
  readonly answer: TreeSummary | AuditedProof | undefined;
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

export class TreeThread implements TreePlace {
  #worker: Worker | undefined;
  /** Has the rows of the audit under way, and the published tree; another than `#worker` once it has ended. */
  #gathering: Worker | undefined;
  #published: Worker | undefined;
  #closed = false;
  #lastId = 0;
  readonly #waiting = new Map<number, Waiting>();

  get isLost(): boolean {
    return this.#published === undefined || this.#published !== this.#worker;
  }

  begin(): void {
    if (this.#closed) throw hasEnded();
    this.#worker ??= this.#start();
    this.#gathering = this.#worker;
    this.#tell(this.#gathering, { type: 'begin' });
  }

  add(rows: readonly ClaimRow[]): void {
    this.#tell(this.#gathering, { type: 'add', rows });
  }

  build(plan: AuditPlan): Promise<TreeSummary> {
    return this.#ask(this.#gathering, { type: 'build', plan });
  }

  publish(): void {
    this.#published = this.#gathering;
    this.#tell(this.#published, { type: 'publish' });
  }

  proofOf(uid: number): Promise<AuditedProof | undefined> {
    return this.#ask(this.#published, { type: 'proof', uid });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  /** Whoever waits for what comes of it finds out that the thread has ended. */
  #tell(worker: Worker | undefined, notice: Notice): void {
    if (worker === this.#worker) worker?.postMessage(notice);
  }

  #ask<T>(worker: Worker | undefined, question: Question): Promise<T> {
    if (worker === undefined || worker !== this.#worker) return Promise.reject(hasEnded());
    const id = ++this.#lastId;
    worker.postMessage({ ...question, id } satisfies TreeRequest);
    worker.ref();
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #start(): Worker {
    const worker = new Worker(threadModule('reserves/tree-worker'), { name: 'reserves' });
    worker.unref();
    let cause: Error | undefined;
    worker.on('message', ({ id, answer }: TreeAnswer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref();
      waiting?.resolve(answer as never);
    });
    worker.on('error', (error: Error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(hasEnded(cause));
      this.#waiting.clear();
    });
    return worker;
  }
}

const hasEnded = (cause?: Error) => new Error('the thread of the audit has ended', { cause });
