/**
 * What clients write down, in files that survive every node: the intent before it is sent, the result after it came. Whatever
 * the log says in the end is judged by this alone.
 */
import { appendFileSync, readFileSync } from 'node:fs';

export type Action = 'place' | 'cancel' | 'open orders' | 'balances' | 'look up';

/** `not executed`: the node says that nothing happened. `unknown`: no answer, or one that says so. */
export type Outcome = 'done' | 'refused' | 'not executed' | 'unknown';

export interface Intent {
  /** Of all clients no other has it. */
  readonly id: string;
  /** Calls of a session follow one another: the next is sent when the last was answered. */
  readonly session: string;
  readonly node: string;
  readonly uid: number;
  readonly action: Action;
  /** Of the order that is placed, cancelled or looked up; no two orders share one. */
  readonly clientOid: string;
  readonly sentMs: number;
}

export interface Result {
  readonly id: string;
  readonly answeredMs: number;
  readonly outcome: Outcome;
  /** `X-Bourse-Seq`: the last command that the answer knows. */
  readonly seq?: number | undefined;
  readonly orderId?: string | undefined;
  /** Of a read; undefined when an order was not found. */
  readonly data?: unknown;
  /** For people. */
  readonly message?: string | undefined;
}

/** An intent with its result; without one the outcome is unknown. */
export interface Call extends Intent, Omit<Result, 'answeredMs'> {
  readonly answeredMs: number | undefined;
}

export class NoteBook {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  intend(intent: Intent): void {
    this.#write({ intent });
  }

  note(result: Result): void {
    this.#write({ result });
  }

  #write(line: object): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

/** In the order of the intents. */
export function readNotes(files: readonly string[]): Call[] {
  const intents: Intent[] = [];
  const results = new Map<string, Result>();
  for (const file of files)
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (line === '') continue;
      const { intent, result } = JSON.parse(line) as { intent?: Intent; result?: Result };
      if (intent !== undefined) intents.push(intent);
      if (result !== undefined) results.set(result.id, result);
    }
  return intents
    .map((intent): Call => {
      const unanswered = { answeredMs: undefined, outcome: 'unknown' } as const;
      return { ...intent, ...(results.get(intent.id) ?? unanswered) };
    })
    .sort((a, b) => a.sentMs - b.sentMs);
}
