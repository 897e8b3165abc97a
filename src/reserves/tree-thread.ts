/**
 * The tree on a thread of its own: to hash a hundred thousand claims takes seconds, and what is made on the way would have the
 * collector hold up orders. It is started with the first audit and keeps no process alive while nobody waits for it.
 */
import { Worker } from 'node:worker_threads';
import { threadModule } from '../program-files.ts';
import type { AuditedProof, AuditPlan, ClaimRow, TreePlace, TreeSummary } from './claim-tree.ts';

type Question =
  | { readonly type: 'build'; readonly plan: AuditPlan }
  | { readonly type: 'proof'; readonly uid: number };

export type TreeRequest =
  | { readonly type: 'begin' }
  | { readonly type: 'add'; readonly rows: readonly ClaimRow[] }
  | (Question & { readonly id: number });

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
  #lastId = 0;
  readonly #waiting = new Map<number, Waiting>();

  begin(): void {
    this.#post({ type: 'begin' });
  }

  add(rows: readonly ClaimRow[]): void {
    this.#post({ type: 'add', rows });
  }

  build(plan: AuditPlan): Promise<TreeSummary> {
    return this.#ask({ type: 'build', plan });
  }

  /** A thread that has ended took its tree along: nobody is proved to be in it until the next audit. */
  proofOf(uid: number): Promise<AuditedProof | undefined> {
    return this.#worker === undefined ? Promise.resolve(undefined) : this.#ask({ type: 'proof', uid });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #post(request: TreeRequest): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(request);
  }

  #ask<T>(question: Question): Promise<T> {
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#post({ ...question, id });
      this.#worker?.ref();
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
      for (const { reject } of this.#waiting.values())
        reject(new Error('the thread of the audit has ended', { cause }));
      this.#waiting.clear();
    });
    return worker;
  }
}
