/**
 * A read as the statements that it needs, each answered with its rows. So every read is written once, for a database that
 * answers at once (SQLite) and for one that answers later (PostgreSQL).
 */
import type { Row } from './tables/table.ts';

export type SelectValue = string | number | readonly string[] | readonly number[];

export interface Select {
  /** SQL that every database understands; `?` is a value, `IN ?` a list of them. */
  readonly text: string;
  /** The index that the rows come from, where a planner might choose worse. */
  readonly index?: string | undefined;
  readonly values: readonly SelectValue[];
}

export type Read<Answer> = Generator<Select, Answer, Row[]>;

/** The answer of a database that has each statement's rows at once. */
export function answerNow<Answer>(read: Read<Answer>, rowsOf: (select: Select) => Row[]): Answer {
  let step = read.next();
  while (step.done !== true) step = read.next(rowsOf(step.value));
  return step.value;
}

/** The answer of one that has them later. */
export async function answerLater<Answer>(
  read: Read<Answer>,
  rowsOf: (select: Select) => Promise<Row[]>,
): Promise<Answer> {
  let step = read.next();
  while (step.done !== true) step = read.next(await rowsOf(step.value));
  return step.value;
}
