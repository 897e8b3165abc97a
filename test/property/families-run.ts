/**
 * One run from a seed: a venue, an outside world, and schemes one after the other, disturbed by random commands. Every step is
 * kept, so that a finding can be played again without the generator and cut down (`families-shrink.ts`).
 */
import { Exchange } from '../../src/core/engine/exchange.ts';
import { isDue } from '../../src/core/liquidation/liquidation-check.ts';
import type { Command, CommandType } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import type { EditionRule } from '../../src/core/model/edition.ts';
import { FIRST_USER_ACCOUNT } from '../../src/core/model/ledger-accounts.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { InvariantBroken } from '../../src/core/model/units.ts';
import { ContractEnd } from '../../src/core/state/contract-end.ts';
import { awaitsPriceCheck, HourWork } from '../../src/core/state/open-work.ts';
import { randomAct, strangerAct } from './families-acts.ts';
import type { Finding } from './families-finding.ts';
import { Ground } from './families-ground.ts';
import { Judge } from './families-judge.ts';
import { SCHEMES, type Scheme } from './families-schemes.ts';
import { describe, resolved, type Step } from './families-steps.ts';
import { drawTerms, INDICES, setUp, type VenueTerms } from './families-venue.ts';
import { World } from './families-world.ts';
import { Rng } from './futures-flow.ts';

export interface RunWords {
  /** Rules that are put back to an earlier edition. */
  readonly without?: readonly EditionRule[];
  /** Only these schemes, by name. */
  readonly only?: readonly string[];
  readonly steps?: number;
  /** Size of the portions of long work (rules 14). */
  readonly portion?: number | undefined;
}

export interface Run {
  readonly seed: number;
  readonly portion: number | undefined;
  readonly terms: VenueTerms;
  readonly steps: readonly Step[];
  readonly commands: number;
  readonly fills: number;
  /** Hours, and ends of contracts, whose work was open between two commands. */
  readonly hours: number;
  readonly ends: number;
  /** Commands while somebody was due and waited for his check (rules 18.1). */
  readonly betweenTests: number;
  /** Is some of it open after the last step? */
  readonly endsWithin: boolean;
  readonly finding: Finding | undefined;
  readonly allowed: Judge['allowed'];
  readonly overdue: Judge['overdue'];
  readonly done: ReadonlyMap<CommandType, number>;
}

const STEPS = 1500;
const HOUR_MS = 3_600_000;

/** An exchange at the opening of the venue, before the first step. */
export class Stage {
  readonly exchange = new Exchange();
  readonly world = new World();
  readonly judge: Judge;
  readonly terms: VenueTerms;
  readonly dice: Rng;
  commands = 0;
  hours = 0;
  ends = 0;
  /** Commands other than ticks while checks at the prices of a second were still to do (rules 18.1), and somebody was due. */
  betweenTests = 0;
  private readonly inPortions: boolean;
  /** How often each kind of command was carried out. */
  readonly done = new Map<CommandType, number>();

  constructor(seed: number, without: readonly EditionRule[] = [], portion?: number) {
    this.inPortions = portion !== undefined;
    this.dice = new Rng(seed);
    this.terms = drawTerms(this.dice);
    const { exchange, world } = this;
    for (const command of setUp(this.terms, this.dice)) {
      const { rejectReason, detail } = exchange.apply(command);
      if (rejectReason !== 0) throw new Error(`${command.type}: ${rejectReason} ${detail ?? ''}`);
    }
    if (portion !== undefined) exchange.state.portion = portion;
    for (const rule of without) exchange.state.rules[rule] = false;
    const time = this.terms.start;
    for (const [index, { base, quote }] of INDICES.entries())
      exchange.apply({
        type: 'componentPrice',
        time,
        index,
        component: 255,
        price: world.units(base, quote),
        volume: 0n,
      });
    exchange.apply({ type: 'tick', time: time + 1000 });
    exchange.takeEvents();
    this.judge = new Judge(exchange.state, world);
  }

  /** Returns whether something is wrong. */
  take(step: Step): boolean {
    if ('outside' in step) {
      this.judge.pricesMoved(() => {
        for (const { coin, price } of step.outside) this.world.set(coin, price);
      });
      return false;
    }
    const { exchange } = this;
    const command = resolved(exchange.state, step.command);
    const hour = Math.floor(command.time / HOUR_MS) * HOUR_MS;
    if (!this.inPortions || hour <= exchange.state.now) return this.apply(command);
    // Whoever comes first in an hour comes between its portions.
    return this.apply({ type: 'tick', time: hour }) || this.apply({ ...command, time: hour + 1 });
  }

  /**
   * Work that is open is done, by ticks as of the sequencer, and judged as a whole then. Until it is over, gains of a contract
   * that has ended and funding of an hour are in no account (rules 14.3, 14.5): of who is to get them, debts that they pay
   * look bad, and everything together looks as if more were owed than is there. The audit of reserves waits for it too.
   */
  end(): void {
    const { exchange, judge } = this;
    while (exchange.hasOpenWork) if (this.apply({ type: 'tick', time: exchange.state.now })) return;
    judge.end();
  }

  private somebodyWaits(): boolean {
    const { state } = this.exchange;
    if (state.priceCheckRound === undefined) return false;
    return state.accounts.some(
      (account, index) =>
        index >= FIRST_USER_ACCOUNT && awaitsPriceCheck(state, index) && isDue(state, account),
    );
  }

  private apply(command: Command): boolean {
    const { exchange, judge } = this;
    this.commands++;
    try {
      const before = exchange.state.works[0];
      if (command.type !== 'tick' && this.somebodyWaits()) this.betweenTests++;
      const result = exchange.apply(command);
      const [open] = exchange.state.works;
      if (open !== before && open instanceof HourWork) this.hours++;
      if (open !== before && open instanceof ContractEnd) this.ends++;
      if (isDone(result)) this.done.set(command.type, (this.done.get(command.type) ?? 0) + 1);
      return judge.observe(command, result, exchange.takeEvents());
    } catch (error) {
      if (!(error instanceof InvariantBroken)) throw error;
      judge.finding = { kind: `invariant ${error.message.slice(0, 12)}`, text: error.message };
      return true;
    }
  }
}

export function run(seed: number, { without = [], only, steps: most = STEPS, portion }: RunWords = {}): Run {
  const stage = new Stage(seed, without, portion);
  const { exchange, world, terms, dice, judge } = stage;
  const ground = new Ground(exchange, world, terms, dice);
  ground.now += 1000;
  const steps: Step[] = [];
  const take = (step: Step): boolean => {
    steps.push(step);
    return stage.take(step);
  };
  const schemes = (only ?? Object.keys(SCHEMES)).map((name) => SCHEMES[name]!);
  let wrong = playOn(ground.requote(), take);
  while (!wrong && steps.length < most) {
    const scheme: Scheme = dice.pick(schemes);
    const disturbed = dice.chance(0.5) ? 0 : 0.15;
    wrong = playOn(scheme(ground), (step) => {
      if (take(step)) return true;
      if (disturbed === 0 || !dice.chance(disturbed)) return false;
      return take(dice.chance(0.8) ? randomAct(ground) : strangerAct(ground));
    });
  }
  wrong ||= playOn(ground.speak(), take);
  const endsWithin = exchange.hasOpenWork;
  if (!wrong) stage.end();
  const { commands, done, hours, ends, betweenTests } = stage;
  const { fills, finding, allowed, overdue } = judge;
  const counts = { commands, fills, hours, ends, betweenTests, done };
  return { seed, portion, terms, steps, ...counts, endsWithin, finding, allowed, overdue };
}

/** Of a batch, at least one of its items. */
function isDone({ rejectReason, items }: CommandResult): boolean {
  if (rejectReason !== RejectReason.none) return false;
  return items === undefined || items.some((item) => item.rejectReason === RejectReason.none);
}

function playOn(steps: Generator<Step, void, void>, take: (step: Step) => boolean): boolean {
  for (const step of steps) if (take(step)) return true;
  return false;
}

/** What the steps come to without the generator, at the venue of the seed. */
export function replay(
  seed: number,
  steps: readonly Step[],
  without: readonly EditionRule[] = [],
  portion?: number,
): Finding | undefined {
  const stage = new Stage(seed, without, portion);
  for (const step of steps) if (stage.take(step)) return stage.judge.finding;
  stage.end();
  return stage.judge.finding;
}

/** The steps as a person reads them. */
export function script(seed: number, steps: readonly Step[]): string[] {
  const stage = new Stage(seed);
  return steps.map((step) => describe(stage.exchange.state, step, stage.terms.start));
}
