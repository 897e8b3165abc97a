/** Damages of a stored history. */
import type { SQLInputValue } from 'node:sqlite';

export interface Damage {
  readonly table: string;
  /** The key of the row, such as `exec_id=12`; empty for a whole table. */
  readonly row: string;
  readonly problem: string;
  /** The field that differs, where it is known, with the stored and the expected value. */
  readonly field?: string;
  readonly stored?: string;
  readonly expected?: string;
}

/** A value for people. */
export function shown(value: SQLInputValue | undefined): string {
  return ArrayBuffer.isView(value) ? `${value.byteLength} bytes` : String(value);
}

/** Damages kept in full; further ones are only counted, so that a lost disk does not fill the memory. */
const KEPT_MAX = 1000;

export class Damages {
  readonly list: Damage[] = [];
  readonly #byTable = new Map<string, number>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  in(table: string): number {
    return this.#byTable.get(table) ?? 0;
  }

  add(damage: Damage): void {
    this.#count += 1;
    this.#byTable.set(damage.table, this.in(damage.table) + 1);
    if (this.list.length < KEPT_MAX) this.list.push(damage);
  }
}
