/**
 * Beginnings of scenarios whose states have been checked in this process. Hundreds of scenarios begin alike: the same
 * listings, accounts and deposits come to the same state (I40), which is not checked twice.
 */
import type { State } from '../../../src/core/state/state.ts';

/** Scenarios that are longer than this have parted. */
const LENGTH_MAX = 100;

class Beginning {
  readonly length: number;
  /** By the bytes of the command. */
  readonly next = new Map<string, Beginning>();
  /** The marks of the states that were checked here. */
  readonly checked = new Set<string>();

  constructor(length: number) {
    this.length = length;
  }
}

const nothing = new Beginning(0);

export class ScenarioPath {
  private at: Beginning | undefined = nothing;

  /** Carries out the check unless the same commands have come to the same state before. */
  follow(command: Uint8Array, state: State, check: () => void): void {
    const here = this.step(command);
    if (here === undefined) {
      check();
      return;
    }
    const mark = markOf(state);
    if (here.checked.has(mark)) return;
    check();
    here.checked.add(mark);
  }

  /** The state is no longer what the commands alone come to. */
  leave(): void {
    this.at = undefined;
  }

  private step(command: Uint8Array): Beginning | undefined {
    if (this.at === undefined || this.at.length === LENGTH_MAX) {
      this.at = undefined;
      return undefined;
    }
    const key = Buffer.from(command.buffer, command.byteOffset, command.byteLength).toString('latin1');
    let next = this.at.next.get(key);
    if (next === undefined) {
      next = new Beginning(this.at.length + 1);
      this.at.next.set(key, next);
    }
    this.at = next;
    return next;
  }
}

/** What tests set beside commands, and what the commands came to. */
function markOf({ digest, rules, portion, lastId, verifiesFillChecks }: State): string {
  return `${digest.value} ${lastId} ${portion} ${verifiesFillChecks} ${Object.values(rules).join()}`;
}
