/** What a list of commands comes to: every outcome and event in a hash, every balance in clear, the state as its hash. */
import { createHash } from 'node:crypto';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { Command } from '../../src/core/model/command.ts';
import { canonicalState } from '../../src/core/snapshot/canonical-state.ts';

export interface Replayed {
  readonly commands: number;
  /** SHA-256 over the values of all outcomes, in order; names of fields do not count. */
  readonly outcomes: string;
  /** The same over all events. */
  readonly events: string;
  /** The same over every cell of the ledger, by account and coin. */
  readonly balances: string;
  /** SHA-256 of the canonical encoding of the state. */
  readonly state: string;
}

export class Replay {
  readonly exchange = new Exchange();
  private readonly outcomes = createHash('sha256');
  private readonly events = createHash('sha256');
  private commands = 0;

  /** Returns the types of the command's events. */
  apply(command: Command): string[] {
    this.outcomes.update(`${valuesOf(this.exchange.apply(command))}\n`);
    this.commands++;
    const events = this.exchange.takeEvents();
    if (events.length > 0) this.events.update(events.map((event) => `${valuesOf(event)}\n`).join(''));
    return events.map(({ type }) => type);
  }

  result(): Replayed {
    const { state } = this.exchange;
    const balances = createHash('sha256');
    state.ledger.eachRow((account, coin, buckets) => {
      balances.update(`${account} ${coin} ${buckets.join(' ')}\n`);
    });
    return {
      commands: this.commands,
      outcomes: this.outcomes.digest('hex'),
      events: this.events.digest('hex'),
      balances: balances.digest('hex'),
      state: createHash('sha256').update(canonicalState(state)).digest('hex'),
    };
  }
}

/** Values without the names and the order of their fields: either may change while the meaning stays. */
function valuesOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  if (Array.isArray(value)) return `[${value.map(valuesOf).join()}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.values(value).map(valuesOf).sort().join()}}`;
  return JSON.stringify(value) ?? '-';
}
