/** Runs a scenario on a running exchange: what is given, then each step at its time, and a report of all of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OrderKind } from '../../core/model/enums.ts';
import type { Event } from '../../core/model/event.ts';
import { parseDuration } from '../../sequencer/duration.ts';
import { OutcomeUnknown, type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import { isLiquidation } from '../../views/market-record-view.ts';
import type { FaultAction } from '../faults/fault-action.ts';
import type { When } from '../faults/when.ts';
import type { Referee } from '../referee/report.ts';
import { type CrowdRequest, openCrowd } from './crowd.ts';
import { type ActionName, actionOf, type Expect, type Scenario, type Step } from './document.ts';
import { unmet } from './expectation.ts';
import { CallFailed, type ScenarioTarget } from './scenario-target.ts';
import { openWithPrices, reach } from './time.ts';

const OK = '00000';
/** The code of a call whose answer is lost. */
const NO_ANSWER = 'none';
const SECOND_MS = 1000;
const LOOK_MS = 20;

export interface StepReport {
  /** Its place in the document, such as `steps.3`. */
  readonly step: string;
  readonly at: string;
  readonly action: string;
  readonly ok: boolean;
  /** What was not as expected, or refused; empty when all went well. */
  readonly message: string;
}

export interface ScenarioReport {
  readonly scenario: string;
  readonly ok: boolean;
  readonly failed: number;
  /** The exchange's time. */
  readonly from: number;
  readonly to: number;
  readonly commands: number;
  readonly events: Readonly<Record<string, number>>;
  readonly stateHash: string;
  /** Every coin adds up to nothing over users, house and world. */
  readonly balanced: boolean;
  readonly steps: readonly StepReport[];
}

/** Thrown by a step that did not come out as the scenario says. */
class StepFailed extends Error {}

type Carry = (value: never, runner: ScenarioRunner) => Promise<unknown>;

interface OrderStep {
  readonly account: string;
  readonly code?: string;
}
interface CallStep {
  readonly account?: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly code?: string;
}

const CARRIED_OUT: Readonly<Record<ActionName, Carry>> = {
  deposit: (body: { readonly account: string }, { target, place }) =>
    target.operator('POST', '/admin/deposits', {
      ...body,
      reference: `scenario-${target.sequencer.appliedSeq}-${place}`,
    }),
  order: ({ account, code = OK, ...order }: OrderStep, runner) =>
    runner.called({ account, path: 'trade/place-order', body: { orderType: 'limit', ...order }, code }),
  call: (call: CallStep, runner) => runner.called(call),
  leverage: (
    { account, leverage, ...market }: { readonly account: string; readonly leverage: number },
    runner,
  ) =>
    runner.called({ account, path: 'account/set-leverage', body: { ...market, leverage: String(leverage) } }),
  crowd: (request: CrowdRequest, { target, seed }) => openCrowd(target.sequencer, seed, request),
  price: (body: object, { target }) => target.operator('POST', '/admin/prices', body),
  shock: (shock: { readonly coin: string; readonly percent: number; readonly over?: string }, runner) =>
    runner.shock(shock),
  fault: (
    fault: { readonly name?: string; readonly when?: When; readonly do: FaultAction; readonly for?: string },
    runner,
  ) => runner.addFault(fault),
  removeFault: ({ name }: { readonly name: string }, { target, faults }) =>
    target.operator('DELETE', `/lab/faults/${faults.get(name) ?? name}`),
  funding: (body: object, { target }) => target.operator('POST', '/admin/force/funding', body),
  liquidate: (body: object, { target }) => target.operator('POST', '/admin/force/liquidation', body),
  halt: (_value, { target }) => target.operator('POST', '/admin/halt', {}),
  resume: (_value, { target }) => target.operator('POST', '/admin/resume', {}),
  status: (body: object, { target }) => target.operator('POST', '/admin/instruments/status', body),
  operator: (
    {
      method = 'POST',
      path,
      body,
    }: { readonly method?: string; readonly path: string; readonly body?: object },
    { target },
  ) =>
    target.operator(
      method,
      path.startsWith('/') ? path : `/admin/${path}`,
      body ?? (method === 'POST' ? {} : undefined),
    ),
  snapshot: (body: object, { target }) => target.operator('POST', '/lab/snapshots', body),
  revert: (body: object, { target }) => target.operator('POST', '/lab/revert', body),
  expect: (expect: Expect, runner) => runner.expect(expect),
};

export class ScenarioRunner {
  readonly target: ScenarioTarget;
  readonly seed: number;
  /** Ids of the scenario's faults, by name. */
  readonly faults = new Map<string, string>();
  /** The place in the document of the step that is carried out. */
  place = '';
  readonly #events: Record<string, number> = {};
  readonly #heard = new WeakSet<Sequencer>();
  #over = false;

  constructor(target: ScenarioTarget, seed: number) {
    this.target = target;
    this.seed = seed;
  }

  async run({ scenario, world, given = [], steps }: Scenario): Promise<ScenarioReport> {
    const { target } = this;
    this.#listen();
    const before = target.sequencer.appliedSeq;
    const reports: StepReport[] = [];
    const add = async (step: Step, place: string) => {
      reports.push(await this.#carryOut(step, place));
      return reports.at(-1)!.ok;
    };
    /** Time that cannot be moved, because somebody else moves it or it has come to its end, is told like a step. */
    const moves = async (row: Pick<StepReport, 'step' | 'at' | 'action'>, move: () => Promise<void>) => {
      const message = await failureOf(move);
      if (message !== '') reports.push({ ...row, ok: false, message });
      return message === '';
    };
    const opening = { step: 'world', at: '', action: 'prices' };
    let goesOn =
      target.options.market() !== undefined ||
      (await moves(opening, () => openWithPrices(target, world?.prices ?? {})));
    for (const [n, step] of given.entries()) goesOn &&= await add(step, `given.${n}`);
    const from = target.sequencer.clock.now();
    for (const [n, step] of steps.entries()) {
      // An expectation may fail and others still tell more; after anything else nothing would mean what it says.
      if (!goesOn) break;
      const place = `steps.${n}`;
      const { at = '' } = step;
      const untilMs = from + (parseDuration(at) ?? 0);
      goesOn = await moves({ step: place, at, action: actionOf(step)! }, () => reach(target, untilMs));
      if (goesOn) goesOn = (await add(step, place)) || actionOf(step) === 'expect';
    }
    this.#over = true;
    const { balanced } = await target.operator<{ balanced: boolean }>('GET', '/admin/books');
    const failed = reports.filter(({ ok }) => !ok).length;
    await target.sequencer.durable();
    return {
      scenario,
      ok: failed === 0 && balanced,
      failed,
      from,
      to: target.sequencer.clock.now(),
      commands: target.sequencer.appliedSeq - before,
      events: this.#events,
      stateHash: stateHash(target.sequencer.state),
      balanced,
      steps: reports,
    };
  }

  /** A call of the public interface that must be answered with a code. */
  async called({ account, method = 'POST', path, body, code = OK }: CallStep): Promise<void> {
    const whole = path.startsWith('/') ? path : `/api/v3/${path}`;
    const answering = this.target.call(account, method, whole, body);
    if (code === NO_ANSWER) {
      const lost = await answering.then(
        () => false,
        (error: Error) => error instanceof CallFailed,
      );
      if (!lost) throw new StepFailed('was answered, although its answer should be lost');
      return;
    }
    const answer = await answering;
    if (answer.code !== code)
      throw new StepFailed(`answered with ${answer.code} (${answer.msg}), not ${code}`);
  }

  async shock({
    coin,
    percent,
    over,
  }: {
    readonly coin: string;
    readonly percent: number;
    readonly over?: string;
  }): Promise<void> {
    const { target } = this;
    const seconds = over === undefined ? 0 : Math.ceil(parseDuration(over)! / SECOND_MS);
    if (target.options.market() !== undefined) {
      await target.operator('POST', '/admin/market/shock', { coin, percent, seconds });
      return;
    }
    const steps = Math.max(1, seconds);
    const each = ((1 + percent / 100) ** (1 / steps) - 1) * 100;
    for (let n = 0; n < steps; n++) {
      await this.addFault({ do: { gap: coin, percent: each } });
      if (seconds > 0) await reach(target, target.sequencer.clock.now() + SECOND_MS);
    }
  }

  async addFault({
    name,
    when,
    do: action,
    for: span,
  }: {
    readonly name?: string;
    readonly when?: When;
    readonly do: FaultAction;
    readonly for?: string;
  }): Promise<void> {
    const { target } = this;
    const rule = { when: { ...when, ...(span !== undefined && { until: span }) }, do: action };
    const made = await target.operator<{ id: string; problem: string | null }>('POST', '/lab/faults', rule);
    if (name !== undefined) this.faults.set(name, made.id);
    if (made.problem !== null) throw new StepFailed(made.problem);
    if (action.outage !== undefined && when === undefined) await this.#untilOver(made.id);
    // It is over, and no later step can name it.
    else if (name === undefined && action.gap !== undefined && when === undefined)
      await target.operator('DELETE', `/lab/faults/${made.id}`);
  }

  async expect(expect: Expect): Promise<void> {
    const { target } = this;
    await target.sequencer.durable();
    const { faults } = await target.operator<{ faults: { id: string; hits: number }[] }>(
      'GET',
      '/lab/faults',
    );
    const hitsOf = (id: string) => faults.find((fault) => fault.id === id)?.hits ?? 0;
    const hits = Object.fromEntries([...this.faults].map(([name, id]) => [name, hitsOf(id)]));
    const found = {
      state: target.sequencer.state,
      identity: target.options.identity(),
      events: this.#events,
      hits,
      findings: await this.#findingsOf(expect),
    };
    const missing = unmet(expect, found);
    if (missing.length > 0) throw new StepFailed(missing.join('; '));
  }

  async #findingsOf({ account, noMistakes }: Expect): Promise<Referee['findings']> {
    if (account === undefined || noMistakes === undefined) return [];
    const path = `/lab/referee?account=${encodeURIComponent(account)}`;
    const { findings } = await this.target.operator<Pick<Referee, 'findings'>>('GET', path);
    return findings;
  }

  /** An outage is over when the operator is answered again. */
  async #untilOver(id: string): Promise<void> {
    for (;;) {
      await sleep(LOOK_MS);
      const answer = await this.target
        .operator<{ faults: { id: string; over: boolean }[] }>('GET', '/lab/faults')
        .catch(() => undefined);
      if (answer === undefined) continue;
      this.#listen();
      const still = answer.faults.find((fault) => fault.id === id);
      if (
        still === undefined ||
        (still.over && this.target.sequencer.failure === undefined && !(await this.#isDown()))
      )
        return;
    }
  }

  async #isDown(): Promise<boolean> {
    return this.target.call(undefined, 'GET', '/api/v3/public/time', undefined).then(
      () => false,
      () => true,
    );
  }

  async #carryOut(step: Step, place: string): Promise<StepReport> {
    const action = actionOf(step)!;
    this.place = place;
    const message = await failureOf(() => CARRIED_OUT[action](step[action] as never, this));
    if (message === '') this.#listen();
    return { step: place, at: step.at ?? '', action, ok: message === '', message };
  }

  /** Counts events of the exchange that runs now, once. */
  #listen(): void {
    const { sequencer } = this.target;
    if (this.#heard.has(sequencer)) return;
    this.#heard.add(sequencer);
    sequencer.onPublished(({ events }) => {
      if (this.#over) return;
      for (const event of events)
        for (const type of namesOf(event)) this.#events[type] = (this.#events[type] ?? 0) + 1;
    });
  }
}

/** The last two: the exchange was replaced or is down. */
const FAILURES = [StepFailed, CallFailed, Unavailable, OutcomeUnknown];

/** Why it did not come out as it should; empty when it did. */
async function failureOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return '';
  } catch (error) {
    if (FAILURES.some((kind) => error instanceof kind)) return (error as Error).message;
    throw error;
  }
}

/** The type of an event, and what a fill is besides. */
function namesOf(event: Event): string[] {
  if (event.type !== 'fill') return [event.type];
  if (event.fill.futures?.kind === OrderKind.adl) return ['fill', 'deleveraging'];
  return isLiquidation(event.fill) ? ['fill', 'liquidation'] : ['fill'];
}
