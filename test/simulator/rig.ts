/** A venue with the shipped catalogue and a market on it, in memory, under a clock that moves when told. */
import { join } from 'node:path';
import { loadCatalogue } from '../../src/catalogue/catalogue.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { Command, Unstamped } from '../../src/core/model/command.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { ManualClock } from '../../src/sequencer/clock.ts';
import { JournalLog } from '../../src/sequencer/command-log.ts';
import { Sequencer } from '../../src/sequencer/sequencer.ts';
import { ACTIVITY_LEVELS, type MarketLevel } from '../../src/simulator/activity-level.ts';
import { SyntheticFeed } from '../../src/simulator/feed/synthetic-feed.ts';
import { MarketSimulator } from '../../src/simulator/market-simulator.ts';
import { loadParameters } from '../../src/simulator/parameters.ts';
import { MemoryJournal, noHistory } from '../harness/memory-journal.ts';

export const CATALOGUE = join(import.meta.dirname, '../../catalogue');
/** 2026-11-15T00:00:00Z. */
export const START_TIME = Date.UTC(2026, 10, 15);

export interface RigOptions {
  readonly seed?: number;
  readonly level?: Exclude<MarketLevel, 'off'>;
  readonly startTime?: number;
  /** Instruments to list; all when absent. */
  readonly only?: (category: string, symbol: string) => boolean;
  /** Sees each record of the log. */
  readonly onAppend?: (payload: Uint8Array) => void;
}

export class Rig {
  readonly clock: ManualClock;
  readonly journal: MemoryJournal;
  readonly venue: Sequencer;
  readonly market: MarketSimulator;

  constructor({
    seed = 1,
    level = 'normal',
    startTime = START_TIME,
    only = () => true,
    onAppend = () => {},
  }: RigOptions = {}) {
    this.journal = new MemoryJournal(onAppend);
    this.clock = new ManualClock(startTime);
    this.venue = new Sequencer(new Exchange(), new JournalLog(this.journal), noHistory(), this.clock, 0);
    const { coins, instruments } = loadCatalogue(CATALOGUE);
    for (const spec of coins) this.give({ type: 'listCoin', spec });
    for (const spec of instruments) {
      if (only(spec.category, spec.symbol)) this.give({ type: 'listInstrument', spec });
    }
    const parameters = loadParameters(CATALOGUE);
    const feed = new SyntheticFeed({ seed, parameters, intensity: ACTIVITY_LEVELS[level].volatility });
    this.market = new MarketSimulator(this.venue, { level, seed, parameters, feed });
  }

  get state() {
    return this.venue.state;
  }

  async open(): Promise<this> {
    const opened = this.market.open();
    this.journal.flush();
    await opened;
    return this;
  }

  /** Steps of `stepMs`, each with its wake-up. */
  run(ms: number, stepMs = 200, each: () => void = () => {}): void {
    for (let done = 0; done < ms; done += stepMs) {
      this.clock.advance(stepMs);
      this.market.step();
      this.journal.flush();
      each();
    }
  }

  /** A command of somebody else, which must be carried out. */
  give(command: Unstamped<Command>): void {
    const failed = (error: Error) => {
      throw error;
    };
    this.venue.submit(command).then(({ rejectReason, detail }) => {
      if (rejectReason !== RejectReason.none)
        throw new Error(`${command.type}: ${rejectReason} ${detail ?? ''}`);
    }, failed);
    this.journal.flush();
  }
}
