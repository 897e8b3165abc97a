/**
 * Compares the audit log with itself and with the journal, in both directions: each command that an audit line names
 * must be there in that operator's name, and each command that names an audit line must have it. A running exchange
 * may append to both: the audit log is read before the journal, and again for later lines.
 */
import { linesOfLeftBranches } from '../../admin/audit-branches.ts';
import { AuditDamaged, readAudit } from '../../admin/audit-file.ts';
import type { AuditLine } from '../../admin/audit-line.ts';
import { type AuditReference, readAuditReference } from '../../admin/audit-reference.ts';
import { liveDirectory } from '../../lab/head.ts';
import { loggedCommands } from '../data/logged-commands.ts';

export interface AuditVerification {
  readonly ok: boolean;
  readonly lines: number;
  /** Commands of audit lines that the journal holds. */
  readonly commands: number;
  /** Commands that the journal does not hold, because a snapshot has replaced them or their branch was left. */
  readonly older: number;
  /** Hash of the last line: with a copy of it kept elsewhere, a rewritten chain is detected. */
  readonly head: string;
  readonly problems: readonly string[];
}

/** Limit of problems listed, so that the log of another exchange does not fill the screen. */
const PROBLEMS_MAX = 20;

export function verifyAudit(data: string): AuditVerification {
  try {
    const comparison = new Comparison(readAudit(data).lines);
    comparison.checkEndings();
    for (const { seq, command } of loggedCommands(liveDirectory(data)))
      comparison.note(seq, readAuditReference(command));
    return comparison.conclude(readAudit(data).lines);
  } catch (error) {
    if (!(error instanceof AuditDamaged)) throw error;
    return { ok: false, lines: 0, commands: 0, older: 0, head: '', problems: [error.message] };
  }
}

class Comparison {
  readonly #lines: readonly AuditLine[];
  readonly #chain: string;
  /** Lines that name a command, by its number, until the journal reaches it. */
  readonly #wanted = new Map<number, AuditLine>();
  /** Lines without an outcome. */
  readonly #open = new Set<number>();
  readonly #unannounced: { readonly seq: number; readonly signature: AuditReference }[] = [];
  readonly #problems: string[] = [];
  #firstSeq = Number.POSITIVE_INFINITY;
  #commands = 0;
  /** Commands that the journal does not hold: of branches that were left, or replaced by a snapshot. */
  #older = 0;

  constructor(lines: readonly AuditLine[]) {
    this.#lines = lines;
    this.#chain = String(lines[0]?.arguments.chain);
  }

  /** An outcome belongs to exactly one line that began the same action of the same operator. */
  checkEndings(): void {
    const left = linesOfLeftBranches(this.#lines);
    for (const [n, line] of this.#lines.entries()) {
      if (line.outcome === 'begun') this.#open.add(line.seq);
      if (line.command !== null && n < left) this.#older += 1;
      else if (line.command !== null) this.#wanted.set(line.command, line);
      if (line.of === undefined) continue;
      const begun = this.#lines[line.of - 1];
      const fits = begun?.operator === line.operator && begun.action === line.action;
      if (!fits || !this.#open.delete(line.of)) {
        this.#problems.push(`line ${line.seq} ends line ${line.of}, which did not begin it`);
      }
    }
  }

  note(seq: number, signed: AuditReference | undefined): void {
    this.#firstSeq = Math.min(this.#firstSeq, seq);
    // Commands of another audit chain are ignored.
    const signature = signed?.chain === this.#chain ? signed : undefined;
    const line = this.#wanted.get(seq);
    this.#wanted.delete(seq);
    if (line !== undefined) {
      const same = signature?.line === line.of && signature?.operator === line.operator;
      if (same) this.#commands += 1;
      else
        this.#problems.push(`line ${line.seq} names command ${seq}, which is not that of ${line.operator}`);
    } else if (signature !== undefined && !this.#open.has(signature.line) && !this.#names(signature, seq)) {
      this.#unannounced.push({ seq, signature });
    }
  }

  /** Did a line before the last revert announce the command? A branch that was gone back to has such. */
  #names({ line }: AuditReference, seq: number): boolean {
    return this.#lines.some(({ of, command }) => of === line && command === seq);
  }

  /** `later` is the audit log as it is now: a command submitted meanwhile has its line there. */
  conclude(later: readonly AuditLine[]): AuditVerification {
    const known = this.#lines.length;
    for (const { seq, signature } of this.#unannounced) {
      const announced = later[signature.line - 1];
      if (signature.line > known && announced?.operator === signature.operator) continue;
      this.#problems.push(
        `command ${seq} by ${signature.operator} names audit line ${signature.line}, which does not name it`,
      );
    }
    for (const [seq, line] of this.#wanted) {
      if (seq < this.#firstSeq) this.#older += 1;
      else this.#problems.push(`line ${line.seq} names command ${seq}, which the log does not hold`);
    }
    return {
      ok: this.#problems.length === 0,
      lines: known,
      commands: this.#commands,
      older: this.#older,
      head: this.#lines.at(-1)?.hash ?? '',
      problems: this.#problems.slice(0, PROBLEMS_MAX),
    };
  }
}
