/**
 * The market simulator: a feed of outside prices, and agents that trade on every book. One step does this, always in
 * this
 * order:
 *   1. outside prices that have become known enter as commands
 *   2. new listings get their views and agents
 *   3. every view reads its book
 *   4. agents act, each in its own time
 *   5. at intervals the treasury rebalances the house accounts
 * Time is the exchange's: with the same clock, seed and commands of others, every step does the same.
 */
import type { Command, Unstamped } from '../core/model/command.ts';
import { InstrumentStatus } from '../core/model/enums.ts';
import { RejectReason } from '../core/model/reject-reason.ts';
import type { State } from '../core/state/state.ts';
import type { Published, Sequencer } from '../sequencer/sequencer.ts';
import { ACTIVITY_LEVELS, type MarketLevel } from './activity-level.ts';
import { AgentClient } from './agent-client.ts';
import {
  type AgentAccount,
  holdingsOf,
  makersOf,
  openingCommands,
  tapeOf,
  tradersOf,
} from './agent-roster.ts';
import { Maker } from './agents/maker.ts';
import { Tape, type TapeReport } from './agents/tape.ts';
import { followedIndices, type PriceFeed } from './feed/price-feed.ts';
import { cancelEverything, rebalancing } from './house-accounts.ts';
import { InstrumentView } from './instrument-view.ts';
import { STEP_SPAN_MAX_MS } from './limits.ts';
import type { MarketParameters } from './parameters.ts';
import { type Recording, type ReplayDepth, replayStart } from './recording/recording.ts';

const TREASURY_MS = 20_000;

/** Recorded data that is replayed; deeper than `price` it happens again on the books of its pairs. */
export interface Replay {
  readonly file: string;
  readonly depth: ReplayDepth;
  readonly recording: Recording;
}

/** How far a replay is. */
export interface ReplayReport {
  readonly file: string;
  readonly depth: ReplayDepth;
  /** Times of the exchange at which its first and last rows happen. */
  readonly start: number;
  readonly end: number;
  readonly rows: number;
  readonly skipped: number;
  readonly books: readonly TapeReport[];
}

export interface MarketOptions {
  readonly level: Exclude<MarketLevel, 'off'>;
  readonly seed: number;
  readonly parameters: MarketParameters;
  readonly feed: PriceFeed;
  /** What the feed replays, and how deep. */
  readonly replay?: Replay;
}

export class MarketSimulator {
  readonly options: MarketOptions;
  readonly client: AgentClient;
  views: InstrumentView[] = [];
  private readonly sequencer: Sequencer;
  private readonly seed: number;
  private makers: AgentAccount[] = [];
  private traders: AgentAccount[] = [];
  private readonly taped = new Set<InstrumentView>();
  private readonly endTape: () => void;
  private readonly replayStart: number;
  private readonly stopped = new Set<string>();
  private lastMs: number;
  private treasuryMs = 0;
  private knownInstruments = 0;

  constructor(sequencer: Sequencer, options: MarketOptions) {
    this.sequencer = sequencer;
    this.options = options;
    this.client = new AgentClient(sequencer);
    this.lastMs = sequencer.clock.now();
    this.replayStart = options.replay === undefined ? 0 : replayStart(options.replay.recording, this.lastMs);
    const isPlayed = options.replay !== undefined && options.replay.depth !== 'price';
    this.endTape = !isPlayed ? () => {} : sequencer.onPublished((done) => this.observe(done));
    // After a restart the random numbers must not repeat those of the first minutes.
    const { lastId } = sequencer.state;
    this.seed = hasHouse(sequencer.state)
      ? (options.seed ^ Math.imul(lastId, 0x9e37_79b1)) >>> 0
      : options.seed;
  }

  /** Undefined when nothing is replayed. */
  get replay(): ReplayReport | undefined {
    const { replay } = this.options;
    if (replay === undefined) return undefined;
    const { file, depth, recording } = replay;
    const { times, skipped } = recording;
    const books = this.makers.flatMap(({ agent }) => (agent instanceof Tape ? [agent.report] : []));
    const start = Math.floor(this.replayStart);
    return {
      file,
      depth,
      start,
      end: Math.ceil(this.replayStart + times.at(-1)!),
      rows: times.length,
      skipped,
      books,
    };
  }

  get members(): readonly AgentAccount[] {
    return [...this.makers, ...this.traders];
  }

  /** First prices, views, accounts with their balances, and instruments that waited for prices. */
  async open(): Promise<void> {
    const results: Promise<void>[] = [];
    const submit = (command: Unstamped<Command>) => void results.push(this.submitOrThrow(command));
    this.lastMs = this.sequencer.clock.now();
    this.submitFeedPrices(this.lastMs, submit);
    this.openViews(this.lastMs, submit);
    await Promise.all(results);
    // Where commands are applied later than they are submitted, accounts that were opened just now have no money yet.
    this.rebalance(this.lastMs, submit);
    await Promise.all(results);
  }

  step(): void {
    const { sequencer, client } = this;
    const now = sequencer.clock.now();
    const seconds = Math.min(now - this.lastMs, STEP_SPAN_MAX_MS) / 1000;
    if (seconds <= 0 || sequencer.failure !== undefined) return;
    this.lastMs = now;
    client.begin(now, seconds);
    const submit = (command: Unstamped<Command>) => client.submit(command);
    this.submitFeedPrices(now, submit);
    if (sequencer.state.instruments.length !== this.knownInstruments) this.openViews(now, submit);
    for (const view of this.views) view.observe(now, seconds);
    for (const { agent } of this.makers) if (!this.stopped.has(agent.name)) agent.act(client, seconds);
    for (const { agent } of this.traders) if (!this.stopped.has(agent.name)) agent.act(client, seconds);
    if (now >= this.treasuryMs) this.rebalance(now, submit);
  }

  isRunning(name: string): boolean {
    return !this.stopped.has(name);
  }

  /**
   * Stops agents and cancels their orders, or lets them go on: one by its name, or all of a kind. Returns how many
   * match.
   */
  setRunning(name: string, running: boolean): number {
    const named = this.members.filter(({ agent }) => agent.name === name || agent.kind === name);
    for (const { agent } of named) {
      if (running) this.stopped.delete(agent.name);
      else {
        this.stopped.add(agent.name);
        for (const command of cancelEverything(this.sequencer.state, agent.uid)) this.client.submit(command);
      }
    }
    return named.length;
  }

  /** Moves the outside price of a coin by a factor; false when the feed cannot. */
  shock(coin: string, factor: number, overMs: number): boolean {
    return this.options.feed.shock(coin, factor, overMs);
  }

  /** Multiplies the spread of a book for a time; false when the book has no view. */
  widen(instrument: number, factor: number, forMs: number): boolean {
    const { state, clock } = this.sequencer;
    const view = this.views.find((each) => each.instrument.book === state.instruments[instrument]?.book);
    if (view === undefined) return false;
    view.widening = { factor, untilMs: clock.now() + forMs };
    return true;
  }

  close(): void {
    this.endTape();
    this.options.feed.close();
  }

  private observe(published: Published): void {
    for (const { agent } of this.makers) if (agent instanceof Tape) agent.observe(published);
  }

  private submitFeedPrices(now: number, submit: (command: Unstamped<Command>) => void): void {
    const { feed } = this.options;
    if (this.sequencer.state.instruments.length !== this.knownInstruments)
      feed.follow(followedIndices(this.sequencer.state), now);
    for (const { index, component, price, volume } of feed.reports(now)) {
      submit({ type: 'componentPrice', index, component, price, volume });
    }
  }

  /** Opens a view for each book without one; MARGIN shares the book, and so the view, of its SPOT pair. */
  private openViews(now: number, submit: (command: Unstamped<Command>) => void): void {
    const { state } = this.sequencer;
    const { parameters, level } = this.options;
    for (const instrument of state.instruments.slice(this.knownInstruments)) {
      const { status, calendar } = instrument;
      // An instrument with a future launch opens by itself.
      const waits = Number.isFinite(calendar.launchTime) && calendar.launchTime > state.now;
      if (status === InstrumentStatus.listed && !waits && !hasTraded(state, instrument.index)) {
        submit({ type: 'setInstrumentStatus', instrument: instrument.index, status: 'online' });
      }
      if (state.market(instrument).instrument !== instrument.index) continue;
      const view = new InstrumentView(
        state,
        instrument,
        parameters.instrument(instrument),
        ACTIVITY_LEVELS[level],
        parameters.pairVolatility(instrument.spec.baseCoin, instrument.spec.quoteCoin),
        this.seed,
      );
      view.observe(now, 0);
      this.views.push(view);
      const { replay } = this.options;
      const tape =
        replay === undefined || replay.depth === 'price'
          ? []
          : tapeOf(view, replay.recording, replay.depth, now);
      if (tape.length > 0) this.taped.add(view);
      this.makers.push(...(tape.length > 0 ? tape : makersOf(view, this.seed)));
    }
    this.knownInstruments = state.instruments.length;
    this.traders = tradersOf(
      this.views.filter((view) => !this.taped.has(view)),
      this.seed,
    );
    for (const member of this.members) for (const command of openingCommands(state, member)) submit(command);
    this.rebalance(now, submit);
  }

  private rebalance(now: number, submit: (command: Unstamped<Command>) => void): void {
    this.treasuryMs = now + TREASURY_MS;
    for (const member of this.members) {
      const commands = rebalancing(this.sequencer.state, holdingsOf(member));
      for (const command of commands) submit(command);
      if (commands.length > 0 && member.agent instanceof Maker) member.agent.resetInventory();
    }
  }

  /** During set-up a rejected command is an error. */
  private async submitOrThrow(command: Unstamped<Command>): Promise<void> {
    const { rejectReason, detail } = await this.sequencer.submit(command);
    if (rejectReason === RejectReason.none) return;
    throw new Error(
      `${command.type} was refused while the market was set up: ${detail ?? `reason ${rejectReason}`}`,
    );
  }
}

function hasHouse(state: State): boolean {
  for (const { house } of state.accountByUid.values()) if (house) return true;
  return false;
}

function hasTraded(state: State, instrument: number): boolean {
  return state.market(state.instruments[instrument]!).day.lastTicks !== 0;
}
