/** The sequencer of a node: commands come back from the log of all nodes, and not for certain. */
import type { Exchange } from '../core/engine/exchange.ts';
import type { Command, Unstamped } from '../core/model/command.ts';
import type { CommandResult } from '../core/model/command-result.ts';
import type { History } from '../history/history.ts';
import type { Clock } from '../sequencer/clock.ts';
import { OutcomeUnknown, Sequencer } from '../sequencer/sequencer.ts';
import type { Duty } from './engine.ts';
import type { SharedLog } from './shared-log.ts';

/** After so long the answer to a client is that the outcome is unknown; so much later it is final. */
const OUTCOME_MS = 3_000;
const SWEEP_MS = 200;
const UNKNOWN = 'the command has not got its place in the log yet: within 3 s it is executed or never is';

interface Impatient {
  readonly untilMs: number;
  readonly reject: (error: Error) => void;
}

type Together = Sequencer['submitTogether'];

export class NodeSequencer extends Sequencer {
  readonly #shared: SharedLog;
  /** All wait equally long, so the oldest is first. */
  #impatient: Impatient[] = [];
  readonly #sweep: NodeJS.Timeout;

  constructor(exchange: Exchange, log: SharedLog, history: History, clock: Clock, lastSeq: number) {
    super(exchange, log, history, clock, lastSeq);
    this.#shared = log;
    this.runAsOrderCall = (call, act) => log.runAsOrderCall(call, act);
    this.#sweep = setInterval(() => this.#giveUp(), SWEEP_MS).unref();
  }

  override submit(command: Unstamped<Command>, timing = this.timing): Promise<CommandResult> {
    return this.#inTime(super.submit(command, timing));
  }

  override submitTogether(...both: Parameters<Together>): ReturnType<Together> {
    const [first, second] = super.submitTogether(...both);
    return [this.#inTime(first), this.#inTime(second)];
  }

  /** Resolves when everything is applied that the log had when it was called, however long that takes. */
  async catchUp(): Promise<void> {
    await super.submit({ type: 'tick' });
  }

  /** The same sequencer for the work of a duty: what it submits is refused once another node has the duty. */
  under(duty: Duty): Sequencer {
    const fenced = Object.create(this) as Sequencer;
    const outstanding = new Set<Promise<unknown>>();
    const send = <Sent>(submit: () => Sent): Sent => this.#shared.under(duty, submit);
    const follow = <Result>(result: Promise<Result>): Promise<Result> => {
      outstanding.add(result);
      const settled = () => outstanding.delete(result);
      result.then(settled, settled);
      return result;
    };
    fenced.submit = (command) => follow(send(() => super.submit(command, undefined)));
    fenced.submitTogether = (...both) => {
      const [first, second] = send(() => super.submitTogether(...both));
      return [follow(first), follow(second)];
    };
    // Its own commands are not applied yet when they are submitted.
    fenced.durable = () =>
      outstanding.size === 0 ? super.durable(undefined) : Promise.allSettled([...outstanding]);
    return fenced;
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  #inTime(result: Promise<CommandResult>): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      this.#impatient.push({ untilMs: performance.now() + OUTCOME_MS, reject });
      result.then(resolve, reject);
    });
  }

  #giveUp(): void {
    const now = performance.now();
    const late = this.#impatient.findIndex(({ untilMs }) => untilMs > now);
    const over = this.#impatient.splice(0, late < 0 ? this.#impatient.length : late);
    if (over.length === 0) return;
    // Those that have their result take no notice.
    const unknown = new OutcomeUnknown(UNKNOWN);
    for (const { reject } of over) reject(unknown);
  }
}
