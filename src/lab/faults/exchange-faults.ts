/** What faults do to the exchange itself, by commands that the operator, the market or the outside world could give. */
import { type Command, EVERY_COMPONENT, type Unstamped } from '../../core/model/command.ts';
import type { CategoryName, InstrumentStatusName } from '../../core/model/enums.ts';
import { RejectReason } from '../../core/model/reject-reason.ts';
import { divFloor } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';
import { OutcomeUnknown, type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';
import { followedIndices } from '../../simulator/feed/price-feed.ts';
import type { MarketSimulator } from '../../simulator/market-simulator.ts';

/** How long makers stay away from a price that has jumped. */
const MAKERS_AWAY_MS = 2000;
/** Reported by hand, and not by a feed, whose prices are old after a minute. */
export const BY_HAND = 'laboratory';
const PERCENT_SCALE = 1_000_000n;

export type OutageKind = 'clean' | 'kill';

export interface ExchangeFaultsOptions {
  readonly sequencer: () => Sequencer;
  readonly market: () => MarketSimulator | undefined;
  /** Answers wait so much longer for the disk. */
  readonly slowDisk: (ms: number) => void;
  /** Begins an outage, which is over by itself; the answer says why it does not. */
  readonly outage: (seconds: number, how: OutageKind) => string | undefined;
}

/** Indices of a coin, or the index of that name; none when there is neither. */
export function indicesOf(state: State, name: string): number[] {
  const followed = followedIndices(state);
  const ofCoin = followed.filter(({ base }) => base === name);
  return (ofCoin.length > 0 ? ofCoin : followed.filter((each) => each.name === name)).map(
    ({ index }) => index,
  );
}

export class ExchangeFaults {
  readonly #options: ExchangeFaultsOptions;
  readonly #away = new Set<string>();
  #awayUntil = 0;

  constructor(options: ExchangeFaultsOptions) {
    this.#options = options;
  }

  /** Prices of these indices do not arrive, from wherever they come. */
  withhold(indices: ReadonlySet<number>): void {
    const sequencer = this.#options.sequencer();
    sequencer.admissionFilter =
      indices.size === 0
        ? undefined
        : (command) =>
            command.type === 'componentPrice' && indices.has(command.index)
              ? 'a fault of the laboratory holds prices of this index back'
              : undefined;
  }

  slowDisk(ms: number): void {
    this.#options.slowDisk(ms);
  }

  outage(seconds: number, how: OutageKind): string | undefined {
    return this.#options.outage(seconds, how);
  }

  /** The price of a coin jumps; with `withBook` makers take their quotes away first and come back later. */
  async gap(coin: string, percent: number, withBook: boolean): Promise<string | undefined> {
    const { sequencer, market } = this.#options;
    const simulator = market();
    if (simulator === undefined) return this.#movePrices(coin, percent);
    if (withBook) {
      const makers = simulator.members.filter(
        ({ agent, views }) =>
          (agent.kind === 'maker' || agent.kind === 'rpi') &&
          views.some(({ instrument }) => instrument.spec.baseCoin === coin) &&
          simulator.isRunning(agent.name),
      );
      for (const { agent } of makers) {
        simulator.setRunning(agent.name, false);
        this.#away.add(agent.name);
      }
      this.#awayUntil = sequencer().clock.now() + MAKERS_AWAY_MS;
      await sequencer().durable();
    }
    return simulator.shock(coin, 1 + percent / 100, 0)
      ? undefined
      : `the feed (${simulator.options.feed.name}) cannot move the price of ${coin}`;
  }

  halt(halted: boolean): Promise<string | undefined> {
    return this.#submit({ type: 'setHalt', halted });
  }

  async setStatus(
    category: CategoryName,
    symbol: string,
    status: InstrumentStatusName,
  ): Promise<string | undefined> {
    const instrument = this.#options.sequencer().state.instrument(category, symbol);
    if (instrument === undefined) return `there is no ${category} instrument ${symbol}`;
    return this.#submit({ type: 'setInstrumentStatus', instrument: instrument.index, status });
  }

  /** Makers come back. */
  tick(nowMs: number): void {
    if (this.#away.size === 0 || nowMs < this.#awayUntil) return;
    const simulator = this.#options.market();
    for (const name of this.#away) simulator?.setRunning(name, true);
    this.#away.clear();
  }

  /** Without a market the operator's prices are the only ones. */
  async #movePrices(coin: string, percent: number): Promise<string | undefined> {
    const sequencer = this.#options.sequencer();
    const { state } = sequencer;
    const factor = PERCENT_SCALE + BigInt(Math.round((percent / 100) * Number(PERCENT_SCALE)));
    for (const index of indicesOf(state, coin)) {
      const price = divFloor(state.indices[index]!.price * factor, PERCENT_SCALE);
      const said = { index, component: EVERY_COMPONENT, price, volume: 0n, by: BY_HAND };
      const command = { type: 'componentPrice', ...said } as const;
      const problem = await this.#submit(command, sequencer);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** To the exchange that ran when it began: a revert meanwhile leaves what it began with behind. */
  async #submit(
    command: Unstamped<Command>,
    sequencer = this.#options.sequencer(),
  ): Promise<string | undefined> {
    try {
      // A log that is behind would refuse it.
      await sequencer.durable();
      const { rejectReason, detail } = await sequencer.submit(command);
      if (rejectReason === RejectReason.none) return undefined;
      const reason = Object.entries(RejectReason).find(([, value]) => value === rejectReason)?.[0];
      return `${command.type} was refused: ${detail ?? reason}`;
    } catch (error) {
      // The exchange takes no such command now, or stops.
      if (error instanceof Unavailable || error instanceof OutcomeUnknown) return error.message;
      throw error;
    }
  }
}
