/** A sequencer that reports every command, as stamped, and every result to the checker. */
import type { Stamped } from '../../src/core/codec/command-codec.ts';
import type { Command, Unstamped } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { OutcomeUnknown, Sequencer, Unavailable } from '../../src/sequencer/sequencer.ts';
import type { Checker } from './checker.ts';

export class WatchedVenue extends Sequencer {
  private checker: Checker | undefined;
  private stamped: Command | undefined;
  private projectedSeq_: () => number = () => 0;

  watch(checker: Checker, projectedSeq: () => number): void {
    this.checker = checker;
    this.projectedSeq_ = projectedSeq;
    this.onPublished((published) => checker.published(published));
  }

  protected override stamp(given: Unstamped<Command>, amended: readonly number[] | undefined): Stamped {
    const stamped = super.stamp(given, amended);
    this.stamped = stamped.command;
    return stamped;
  }

  override submit(command: Unstamped<Command>): Promise<CommandResult> {
    const checker = this.checker!;
    const before = this.appliedSeq;
    const answer = super.submit(command);
    const seq = this.appliedSeq > before ? before + 1 : undefined;
    if (seq !== undefined) checker.sequenced(seq, this.stamped!);
    answer.then(
      (outcome) => {
        if (seq === undefined) checker.failed(new Error('an answer without a command'));
        else checker.answered(seq, outcome, this.projectedSeq_());
      },
      (error: unknown) => {
        const expected = seq === undefined ? Unavailable : OutcomeUnknown;
        if (!(error instanceof expected)) checker.failed(error);
      },
    );
    return answer;
  }
}
