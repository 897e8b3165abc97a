/** What the venue was told of the outside world, and when. */
import type { Command } from '../../src/core/model/command.ts';
import type { FillRecord } from '../../src/core/model/event.ts';
import type { State } from '../../src/core/state/state.ts';
import { COIN, INDICES } from './families-venue.ts';
import type { World } from './families-world.ts';

/** A feed that has been silent for longer is known to be. */
export const SILENT_MS = 60_000;
/** More than prices move between two words of a feed. */
export const UNTOLD = 0.0005;
export const SPOT_AWAY = 0.001;
const SECOND_MS = 1000;

/** Commands by which the house trades or lends at prices of its own. */
export const DESKS: ReadonlySet<Command['type']> = new Set([
  'repay',
  'loanBorrow',
  'loanRepay',
  'loanRevise',
]);

export class Told {
  private readonly state: State;
  private readonly world: World;
  /** Of the moment before the present command: which indices were untold, and the mark of each contract. */
  private before: { now: number; untold: boolean[]; markTicks: (number | undefined)[] } | undefined;

  constructor(state: State, world: World) {
    this.state = state;
    this.world = world;
  }

  isSilent(): boolean {
    return INDICES.some((_, n) => this.isSilentOn(n));
  }

  private isSilentOn(n: number): boolean {
    const { state, world } = this;
    const { base, quote } = INDICES[n]!;
    const index = state.indices[n]!;
    const away = Math.abs(Number(index.price) / Number(world.units(base, quote)) - 1);
    return away > UNTOLD && (index.stale || state.now - index.reportedAt(state.now) > SILENT_MS);
  }

  /** Did a price change that a feed has not told yet, or only in this second? Mostly in scripts that were cut down. */
  isUntold(): boolean {
    return INDICES.some((_, n) => this.isUntoldOn(n));
  }

  isUntoldOn(n: number): boolean {
    const { state, world } = this;
    const { base, quote } = INDICES[n]!;
    const { components, price } = state.indices[n]!;
    const outside = Number(world.units(base, quote));
    const told = components.reduce((latest, each) =>
      each.reportedTime >= latest.reportedTime ? each : latest,
    );
    const away = (known: bigint) => Math.abs(Number(known) / outside - 1) > UNTOLD;
    // What was told in this second counts from the next one on.
    const heard = state.now - told.reportedTime < SECOND_MS;
    return state.now - told.reportedTime <= SILENT_MS && (away(told.price) || (heard && away(price)));
  }

  /** After each command and each move of outside prices. */
  remember(): void {
    const { state } = this;
    this.before = {
      now: state.now,
      untold: INDICES.map((_, n) => this.isUntoldOn(n)),
      markTicks: state.instruments.map((instrument) => state.market(instrument).futures?.markTicks),
    };
  }

  /**
   * The mark that a contract was closed at by force. Work that is overdue is finished, with its forced closes, before the
   * prices of the second that comes (rules 14.3 (d), 14.5 (d)): that of the second before.
   */
  markAt(fill: FillRecord): number {
    const { state } = this;
    const instrument = state.instruments[fill.instrument]!;
    const known = this.beforeOf(fill)?.markTicks[fill.instrument];
    return (known ?? state.market(instrument).futures!.markTicks) / 10 ** instrument.pricePrecision;
  }

  /** Was it made before the clock moved, while its price was untold? A command of its own in that second is not judged. */
  wasUntold(fill: FillRecord): boolean {
    const { state } = this;
    const index = state.indexOf(state.instruments[fill.instrument]!)!;
    return this.beforeOf(fill)?.untold[state.indices.indexOf(index)] ?? false;
  }

  private beforeOf({ time }: FillRecord): Told['before'] {
    const { state, before } = this;
    return before !== undefined && time <= before.now && before.now < state.now ? before : undefined;
  }

  /** Is a stablecoin not what the venue takes it for? It follows within a minute, as far as somebody says it (rules 13.3). */
  isDollarUnknown({ type }: Command): boolean {
    if (DESKS.has(type)) return false;
    const { state, world } = this;
    return [COIN.usdt, COIN.usdc].some(
      (coin) => Math.abs((Number(state.coinPrices[coin] ?? 0n) * 1e-8) / world.prices[coin]! - 1) > SPOT_AWAY,
    );
  }
}
