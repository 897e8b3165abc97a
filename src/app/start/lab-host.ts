/** What the laboratory asks of a running exchange: opens its branches, puts them behind the listeners, stops and starts it. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Recorder } from '../../inspector/recorder.ts';
import type { OutageKind } from '../../lab/faults/exchange-faults.ts';
import type { Faults } from '../../lab/faults/faults.ts';
import type { Fork, ForkRequest, Host, Switch, Traffic } from '../../lab/host.ts';
import { ScenarioTarget } from '../../lab/scenarios/scenario-target.ts';
import type { BranchStart } from '../../lab/snapshot.ts';
import { demoKeys } from './bootstrap.ts';
import { type Beginning, openComponents } from './components.ts';
import { completeCutOffWork } from './cut-off-work.ts';
import type { Fronts } from './fronts.ts';
import type { LabDependencies } from './lab-dependencies.ts';
import { ForkStarter } from './lab-forks.ts';
import { urlOf } from './loopback.ts';
import { goDown } from './outage.ts';
import type { ProcessContext } from './servers.ts';
import type { RunningExchange } from './start-exchange.ts';
import { openVenue, type Venue } from './venue.ts';

/** Set by `attach`, when the first venue is open. */
interface Attached {
  readonly context: ProcessContext;
  readonly fronts: Fronts;
  readonly replace: (venue: Venue) => void;
}

export class LabHost implements Host<Venue> {
  readonly #dependencies: LabDependencies;
  readonly #faults: Faults;
  readonly #forks: ForkStarter;
  #attached: Attached | undefined;
  /** Scenarios that run now. */
  #scenarios = 0;

  constructor(dependencies: LabDependencies, faults: Faults) {
    this.#dependencies = dependencies;
    this.#faults = faults;
    this.#forks = new ForkStarter(dependencies);
  }

  attach(attached: Attached): void {
    this.#attached = attached;
  }

  /** A scenario may replace the exchange that answers its own request. */
  async during<Done>(work: () => Promise<Done>): Promise<Done> {
    this.#scenarios += 1;
    try {
      return await work();
    } finally {
      this.#scenarios -= 1;
    }
  }

  /** The exchange that scenarios run against. */
  get scenarioTarget(): ScenarioTarget {
    const attached = () => this.#attached!;
    const { resolved, current } = this.#dependencies;
    const { operatorHost } = resolved.config;
    return new ScenarioTarget({
      url: () => attached().context.url(),
      operatorUrl: () => urlOf(operatorHost, (attached().fronts.admin.server.address() as AddressInfo).port),
      token: () => attached().context.token,
      keys: () => demoKeys(current().identity, this.#dependencies.demo),
      sequencer: () => current().sequencer,
      identity: () => current().identity,
      market: () => current().simulator,
    });
  }

  get venue(): Venue {
    return this.#dependencies.current();
  }

  wallMs(): number {
    return this.#dependencies.shared.wallClock.now();
  }

  traffic(): Traffic {
    const { open, done } = this.#attached!.fronts.api.traffic;
    const { metrics, halfClosed } = this.venue.streams;
    const { sent, subscriptions, accepted, connections } = metrics;
    return { open: open + halfClosed, done: done + sent + accepted - connections, subscriptions };
  }

  get recorder(): Recorder | undefined {
    return this.#attached?.context.recorder;
  }

  pushDue(): void {
    this.venue.streams.poll();
  }

  runningAt(url: string): RunningExchange | undefined {
    return this.#forks.runningAt(url);
  }

  open({ time, clock, image, directory }: BranchStart, gapMs: number): Promise<Venue> {
    return this.#open({
      time,
      gapMs,
      ...(clock !== undefined && { clock }),
      ...(image !== undefined && { image }),
      ...(directory !== undefined && { directory }),
    });
  }

  async #open(from: Beginning): Promise<Venue> {
    const { resolved, logger, failed, shared } = this.#dependencies;
    const { context } = this.#attached!;
    const { config } = resolved;
    const resources = new AsyncDisposableStack();
    try {
      const { generated24h } = this.venue.sequencer;
      const beginning = { ...shared, generated24h, ...from };
      const opened = await openComponents(config, logger, resources, failed, beginning);
      resources.defer(() => opened.sequencer.end());
      return await openVenue(opened, context, from.directory ?? config.data, resources);
    } catch (error) {
      await resources.disposeAsync();
      throw error;
    }
  }

  /** Until `commit` everything can be undone; after it nothing can fail. */
  async replace(next: Venue, { reason, keepSockets, commit }: Switch): Promise<Venue> {
    const { fronts, replace } = this.#attached!;
    const old = this.venue;
    const both = [fronts.api, fronts.admin];
    for (const front of both) front.hold();
    old.pause();
    old.streams.hold();
    this.#faults.abortDelayed();
    try {
      // The request for the revert is itself being answered.
      if (!(await fronts.api.settled(0)) || !(await fronts.admin.settled(1 + this.#scenarios)))
        throw new Error('requests are being answered that do not end');
      await old.sequencer.durable();
      commit();
    } catch (error) {
      old.streams.resume();
      old.start();
      for (const front of both) front.release();
      throw error;
    }
    old.sequencer.stopWith(new Error('it has gone back to an earlier state'));
    next.sequencer.memoryShort = old.sequencer.memoryShort;
    replace(next);
    fronts.serve(next);
    if (keepSockets) next.streams.adopt(old.streams.handOver());
    else old.streams.leave(reason);
    next.start();
    for (const front of both) front.release();
    return old;
  }

  async outage(seconds: number, how: OutageKind, signal: AbortSignal): Promise<void> {
    const { fronts, replace } = this.#attached!;
    const { config } = this.#dependencies.resolved;
    const old = this.venue;
    fronts.admin.hold();
    old.pause();
    // Whoever asked for it is answered; an operator's long request ends with what it waits for.
    await fronts.admin.settled(this.#scenarios);
    this.#faults.abortDelayed();
    const remains = await goDown(old, fronts.api, how, config);
    await sleep(seconds * 1000, undefined, { signal }).catch(() => {});
    const next = await this.#open(remains);
    try {
      await completeCutOffWork(next.components, this.#dependencies.logger);
    } catch (error) {
      await next.close();
      throw error;
    }
    replace(next);
    fronts.serve(next);
    this.#faults.resume();
    await fronts.api.reopen();
    next.start();
    fronts.admin.release();
  }

  fork(start: BranchStart, request: ForkRequest, ended: () => void): Promise<Fork> {
    return this.#forks.start(start, request, ended);
  }
}
