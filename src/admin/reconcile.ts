/**
 * Completes actions that a crash interrupted. The journal decides: a command that it holds was carried out, one that
 * it does not hold never happened. The audit log then gets the missing outcome.
 */
import type { Command } from '../core/model/command.ts';
import type { CommandResult } from '../core/model/command-result.ts';
import { RejectReason } from '../core/model/reject-reason.ts';
import { AuditFull, type AuditLog, type Ending } from './audit-log.ts';
import { readAuditReference } from './audit-reference.ts';

interface Trace {
  readonly seq: number;
  /** Undefined when the command lies before the snapshot and was not replayed. */
  readonly outcome: CommandResult | undefined;
}

export class Reconciliation {
  readonly #audit: AuditLog;
  readonly #traces = new Map<number, Trace>();

  constructor(audit: AuditLog) {
    this.#audit = audit;
  }

  /** Called with the commands of the journal, replayed or only read. */
  note(seq: number, command: Command, outcome?: CommandResult): void {
    if (this.#audit.interrupted().size === 0) return;
    const signature = readAuditReference(command);
    if (signature?.chain !== this.#audit.chain) return;
    if (this.#audit.interrupted().has(signature.line)) this.#traces.set(signature.line, { seq, outcome });
  }

  /** Did an action begin before command `seq`, so that a replay from there may miss its command? */
  reachesBefore(seq: number): boolean {
    return [...this.#audit.interrupted().values()].some(({ after }) => (after ?? 0) < seq);
  }

  /** Resolves with the outcomes found, as text. */
  async complete(): Promise<string[]> {
    const cutOff: string[] = [];
    for (const [line, { operator, action }] of [...this.#audit.interrupted()]) {
      const ending = endingOf(this.#traces.get(line));
      await this.#audit.end(line, ending).catch((error: Error) => {
        // It is written when there is space; a start must not fail for it.
        if (!(error instanceof AuditFull)) throw error;
      });
      cutOff.push(`audit line ${line}, ${action} by ${operator}: ${ending.detail}`);
    }
    return cutOff;
  }
}

function endingOf(trace: Trace | undefined): Ending {
  if (trace === undefined) {
    const detail = 'the process ended; the command log does not hold it, users and keys may show it';
    return { outcome: 'interrupted', detail, command: null };
  }
  const { seq, outcome } = trace;
  if (outcome === undefined) {
    return {
      outcome: 'interrupted',
      detail: `the process ended; it is command ${seq} of the log`,
      command: seq,
    };
  }
  const refused = outcome.rejectReason !== RejectReason.none;
  const detail = `found in the log after the process had ended${refused ? `; refused, reason ${outcome.rejectReason}` : ''}`;
  return { outcome: refused ? 'refused' : 'done', detail, command: seq };
}
