/** The venue with somebody beside it who writes down what it is told and what it answers. */
import type { Command } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { OutcomeUnknown, Sequencer, Unavailable } from '../../src/sequencer/sequencer.ts';
import type { Checker } from './checker.ts';

/** Reports everything that goes in and comes out to the checker. */
export class WatchedVenue extends Sequencer {
  private checker: Checker | undefined;
  private projectedSeq_: () => number = () => 0;

  watch(checker: Checker, projectedSeq: () => number): void {
    this.checker = checker;
    this.projectedSeq_ = projectedSeq;
    this.onPublished((published) => checker.published(published));
  }

  override submit(command: Command): Promise<CommandResult> {
    const checker = this.checker!;
    const before = this.appliedSeq;
    const answer = super.submit(command);
    const seq = this.appliedSeq > before ? before + 1 : undefined;
    if (seq !== undefined) checker.sequenced(seq, command);
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
