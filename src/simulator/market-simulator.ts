/**
 * The living market: a feed that tells what the world outside pays, and agents that trade on every book. One wake-up
 * goes through these steps, always in this order:
 *
 *   1. prices of the outside that have become known enter as commands
 *   2. new listings get their desks and agents
 *   3. every desk looks at its book
 *   4. agents act, each in its own time
 *   5. now and then the treasury looks after the money of the house
 *
 * Time is the venue's: with the same clock, seed and commands of others, every wake-up does the same.
 */
import type { Command } from '../core/model/command.ts';
import { Refusal } from '../core/model/reject-reason.ts';
import type { State } from '../core/state/state.ts';
import { InstrumentStatus } from '../core/model/enums.ts';
import type { Venue } from '../sequencer/sequencer.ts';
import { Maker } from './agents/maker.ts';
import { crowdOf, holdingsOf, type Member, makersOf, openingCommands } from './agent-roster.ts';
import { Desk } from './instrument-view.ts';
import { followedIndices, type PriceFeed } from './feed/price-feed.ts';
import { Floor } from './agent-client.ts';
import { cancelEverything, rebalancing } from './house-accounts.ts';
import type { Knobs } from './parameters.ts';
import { LIVELINESS, type MarketLevel } from './activity-level.ts';
import { WAKE_SPAN_MAX_MS } from './limits.ts';

const TREASURY_MS = 20_000;

export interface MarketOptions {
  readonly level: Exclude<MarketLevel, 'off'>;
  readonly seed: number;
  readonly knobs: Knobs;
  readonly feed: PriceFeed;
}

export class LivingMarket {
  readonly options: MarketOptions;
  readonly floor: Floor;
  desks: Desk[] = [];
  private readonly venue: Venue;
  private readonly seed: number;
  private makers: Member[] = [];
  private crowd: Member[] = [];
  private readonly stopped = new Set<string>();
  private lastMs: number;
  private treasuryMs = 0;
  private knownInstruments = 0;

  constructor(venue: Venue, options: MarketOptions) {
    this.venue = venue;
    this.options = options;
    this.floor = new Floor(venue);
    this.lastMs = venue.clock.now();
    // A market that goes on after a restart must not roll the dice of its first minutes again.
    const { lastId } = venue.state;
    this.seed = hasHouse(venue.state) ? (options.seed ^ Math.imul(lastId, 0x9e37_79b1)) >>> 0 : options.seed;
  }

  get members(): readonly Member[] {
    return [...this.makers, ...this.crowd];
  }

  /** First prices, desks, accounts with their money, and instruments that waited for prices. */
  async open(): Promise<void> {
    const outcomes: Promise<void>[] = [];
    const give = (command: Command) => void outcomes.push(this.insist(command));
    this.lastMs = this.venue.clock.now();
    this.tellPrices(this.lastMs, give);
    this.openDesks(this.lastMs, give);
    await Promise.all(outcomes);
  }

  wake(): void {
    const { venue, floor } = this;
    const now = venue.clock.now();
    const seconds = Math.min(now - this.lastMs, WAKE_SPAN_MAX_MS) / 1000;
    if (seconds <= 0 || venue.failure !== undefined) return;
    this.lastMs = now;
    floor.begin(now, seconds);
    const give = (command: Command) => floor.give(command);
    this.tellPrices(now, give);
    if (venue.state.instruments.length !== this.knownInstruments) this.openDesks(now, give);
    for (const desk of this.desks) desk.observe(now, seconds);
    for (const { agent } of this.makers) if (!this.stopped.has(agent.name)) agent.act(floor, seconds);
    for (const { agent } of this.crowd) if (!this.stopped.has(agent.name)) agent.act(floor, seconds);
    if (now >= this.treasuryMs) this.lookAfterMoney(now, give);
  }

  isRunning(name: string): boolean {
    return !this.stopped.has(name);
  }

  /**
   * Stops agents and takes their orders out of the books, or lets them go on: one by its name, or all of a kind.
   * Returns how many there are of the name.
   */
  setRunning(name: string, running: boolean): number {
    const named = this.members.filter(({ agent }) => agent.name === name || agent.kind === name);
    for (const { agent } of named) {
      if (running) this.stopped.delete(agent.name);
      else {
        this.stopped.add(agent.name);
        for (const command of cancelEverything(this.venue.state, agent.uid)) this.floor.give(command);
      }
    }
    return named.length;
  }

  /** Moves what the world outside pays for a coin by a factor; false when the feed cannot. */
  shock(coin: string, factor: number, overMs: number): boolean {
    return this.options.feed.shock(coin, factor, overMs);
  }

  /** Multiplies the spread of a book for a time; false when it has no desk. */
  widen(instrument: number, factor: number, forMs: number): boolean {
    const { state, clock } = this.venue;
    const desk = this.desks.find((each) => each.instrument.book === state.instruments[instrument]?.book);
    if (desk === undefined) return false;
    desk.widening = { factor, untilMs: clock.now() + forMs };
    return true;
  }

  close(): void {
    this.options.feed.close();
  }

  private tellPrices(now: number, give: (command: Command) => void): void {
    const { feed } = this.options;
    if (this.venue.state.instruments.length !== this.knownInstruments)
      feed.follow(followedIndices(this.venue.state), now);
    for (const { index, component, price, volume } of feed.reports(now)) {
      give({ type: 'componentPrice', time: 0, index, component, price, volume });
    }
  }

  /** A desk for each book that has none yet; MARGIN shares the book, and so the desk, of its SPOT pair. */
  private openDesks(now: number, give: (command: Command) => void): void {
    const { state } = this.venue;
    const { knobs, level } = this.options;
    for (const instrument of state.instruments.slice(this.knownInstruments)) {
      const { status, calendar } = instrument;
      // One with a launch to come opens by itself.
      const waits = Number.isFinite(calendar.launchTime) && calendar.launchTime > state.now;
      if (status === InstrumentStatus.listed && !waits && !hasTraded(state, instrument.index)) {
        give({ type: 'setInstrumentStatus', time: 0, instrument: instrument.index, status: 'online' });
      }
      if (state.market(instrument).instrument !== instrument.index) continue;
      const desk = new Desk(
        state,
        instrument,
        knobs.instrument(instrument),
        LIVELINESS[level],
        knobs.pairVolatility(instrument.spec.baseCoin, instrument.spec.quoteCoin),
        this.seed,
      );
      desk.observe(now, 0);
      this.desks.push(desk);
      this.makers.push(...makersOf(desk, this.seed));
    }
    this.knownInstruments = state.instruments.length;
    this.crowd = crowdOf(this.desks, this.seed);
    for (const member of this.members) for (const command of openingCommands(state, member)) give(command);
    this.lookAfterMoney(now, give);
  }

  private lookAfterMoney(now: number, give: (command: Command) => void): void {
    this.treasuryMs = now + TREASURY_MS;
    for (const member of this.members) {
      const commands = rebalancing(this.venue.state, holdingsOf(member));
      for (const command of commands) give(command);
      if (commands.length > 0 && member.agent instanceof Maker) member.agent.forgetStock();
    }
  }

  /** While the market is set up nothing may be refused. */
  private async insist(command: Command): Promise<void> {
    const { refusal, detail } = await this.venue.submit(command);
    if (refusal === Refusal.none) return;
    throw new Error(
      `${command.type} was refused while the market was set up: ${detail ?? `reason ${refusal}`}`,
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
