/** Strangers who trade honestly: what happens to them is their own doing, or published. */
import type { Command } from '../../src/core/model/command.ts';
import { OrderKind } from '../../src/core/model/enums.ts';
import type { Event, FillRecord } from '../../src/core/model/event.ts';
import type { Account } from '../../src/core/state/account.ts';
import { ContractEnd } from '../../src/core/state/contract-end.ts';
import type { State } from '../../src/core/state/state.ts';
import { dollars, type Find, isFunding, MARK_AWAY, rounding, strangers } from './families-finding.ts';
import type { Settling } from './families-settling.ts';
import type { Told } from './families-told.ts';
import type { Trades } from './families-trades.ts';
import { STRANGERS } from './families-venue.ts';
import type { World } from './families-world.ts';
import type { Worth } from './families-worth.ts';

/** Money comes from outside or goes there. */
export const OUTFLOWS: ReadonlySet<Command['type']> = new Set(['deposit', 'withdraw', 'endWithdrawal']);

/** What a part of the judge looks at. */
export interface Eyes {
  readonly state: State;
  readonly world: World;
  readonly worth: Worth;
  readonly told: Told;
  readonly trades: Trades;
  readonly settling: Settling;
}

interface Stranger {
  readonly account: Account;
  worth: number;
  ends: boolean;
}

export class Strangers {
  private readonly state: State;
  private readonly world: World;
  private readonly worth: Worth;
  private readonly told: Told;
  private readonly trades: Trades;
  private readonly settling: Settling;
  private readonly find: Find;
  private readonly all: Stranger[];

  constructor({ state, world, worth, told, trades, settling }: Eyes, find: Find) {
    this.state = state;
    this.world = world;
    this.worth = worth;
    this.told = told;
    this.trades = trades;
    this.settling = settling;
    this.find = find;
    this.all = STRANGERS.map((uid) => ({ account: state.accountByUid.get(uid)!, worth: 0, ends: false }));
  }

  get accounts(): Account[] {
    return this.all.map(({ account }) => account);
  }

  /** Does he hold a contract that has ended, or wait for what it brings him? */
  private isSettled({ index, positions }: Account): boolean {
    const { state } = this;
    return state.works.some(
      (work) =>
        work instanceof ContractEnd &&
        (work.owes(index) ||
          [...positions.values()].some(({ instrument }) => instrument === work.instrument)),
    );
  }

  /** Outside prices have changed. */
  lookAgain(): void {
    for (const stranger of this.all) stranger.worth = this.worth.plain(stranger.account);
  }

  /** Nobody of them loses to anything but his own orders and prices, fees, funding and deleveraging. */
  check(command: Command, events: readonly Event[], fills: readonly FillRecord[], passedMs: number): void {
    for (const stranger of this.all) {
      const { uid } = stranger.account;
      const before = stranger.worth;
      stranger.worth = this.worth.plain(stranger.account);
      const own = fills.filter((fill) => fill.uid === uid);
      // In portions (rules 14.5) the instant fixes what his contract is worth; the close and his share come later.
      const ended = stranger.ends;
      stranger.ends = this.isSettled(stranger.account);
      if (ended || stranger.ends) continue;
      if (OUTFLOWS.has(command.type) && (command as { uid: number }).uid === uid) continue;
      if (own.some(({ futures }) => futures !== undefined && futures.kind !== OrderKind.user)) continue;
      let explained = 0;
      let lines = 0;
      for (const fill of own) explained += this.trades.edgeOf(fill) - this.trades.feeOf(fill);
      let converted = false;
      for (const event of events) {
        if (event.type === 'conversion' && event.uid === uid) converted = true;
        if (event.type !== 'ledgerLine' || event.uid !== uid) continue;
        lines++;
        if (isFunding(event.kind) || event.kind === 'interest')
          explained += this.worth.usd(event.coin, event.amount);
      }
      if (converted) continue;
      const lost = explained - (stranger.worth - before);
      if (lost > rounding(own.length + lines) + this.settling.differs([stranger.account], passedMs))
        this.find(
          'stranger',
          `stranger ${uid} loses ${dollars(lost)} to nothing of his own: ${dollars(before)} to ${dollars(stranger.worth)}`,
        );
    }
  }

  checkForced(fills: readonly FillRecord[]): void {
    for (const fill of fills) {
      const { uid, instrument, futures } = fill;
      if (futures?.kind !== OrderKind.liquidation || !strangers.has(uid)) continue;
      const contract = this.state.instruments[instrument]!;
      const index = this.state.indexOf(contract)!;
      // A voice that comes back moves the index over a minute, whatever the voices say meanwhile (rules 5.14 (e)).
      const outside = index.isSpread ? Number(index.price) * 1e-8 : this.world.priceOf(contract);
      const price = this.worth.settlementOf(contract) ?? outside;
      const mark = this.told.markAt(fill);
      const untold = this.told.isUntold() || this.told.wasUntold(fill);
      if (Math.abs(mark / price - 1) > MARK_AWAY && !untold)
        this.find('mark', `stranger ${uid} is liquidated at a mark of ${mark} while outside it is ${price}`);
    }
  }
}
