/**
 * Judges a run. Let W be the worth of an account at outside prices (`families-worth.ts`). Between two moves of outside
 * prices W changes by commands alone, and over a move of prices by exposure alone, so
 *
 *   W(end) - W(begin) = deposits - withdrawals + exposure + sum over commands of (dW at constant prices - its flow).
 *
 * The last sum is the edge of an account. Edges of all accounts and of the house add up to zero at every command, so an edge
 * of the family is somebody's loss, and the judge asks of each command whose. The family's edge is taken with the floors of
 * limited liability (`takeHome`): who drives an account below zero by a trade has taken the difference, although a debt
 * stands against it on paper. What outside prices do to floors is risk of the venue, counted as exposure.
 *
 * (1) The edge of the family by one command is at most the sum of
 *   - trades with strangers' and makers' own orders: how much better than outside the price was for the family;
 *   - forced closes and deleveraging, of strangers and of itself, within the reach of a forced close (rules 13.7 (a));
 *     When overdue work is finished (rules 14.3 (d)) the mark is that of the second before: from a price that was heard of
 *     only in that second it may be as far as it is;
 *   - funding that it was paid, at a rate that quotes of backed accounts can explain (rules 13.8);
 *   - what the insurance fund paid in a forced close of the family, at most a fifth of it a close (rules 13.7 (b)), and in
 *     an hour at most 60 % of what it held;
 *   - trades among itself in coin-margined contracts, which all together may cost the house `limit_c` at prices it was told
 *     (rules 13.2 (c));
 *   - trades among itself at a mark that is not the outside price because a feed is silent or a second late: no venue
 *     knows what it was not told. The desks of the house, and what borrows, get no such allowance (rules 13.6);
 *   - of a coin-margined contract that a forced close or deleveraging closes, the profit or loss so far times the distance
 *     to the mark, within the same reach: it is paid at the trade price (rules 13.2 (e));
 *   - what a contract in its last hour settles at by samples of an index that differs a little from the outside price,
 *     also over seconds that nobody saw (rules 5.15);
 *   - a bound for rounding: some units of 10^-8 for each posting.
 * (2) A stranger's edge is that of his own orders, fees, funding and interest, and of samples in the last hour of a contract
 *   as above; he is closed by force only at a mark that is the outside price, in the last hour of a contract the mean that
 *   it settles at (rules 5.15), deleveraged in the published order.
 * (3) Custody of no coin is below zero at any time, and at the end no coin lacks more than what outside prices did to
 *   accounts that nobody could close in time, to their debts that were written off, and to the house's side of coin-margined
 *   contracts, delivered ones included; what the desks sold for other coins counts as held.
 * (4) Behind each order that opens, the party's positions are within the tier of its leverage (rules 13.9).
 *
 * Trades, funds, tiers, strangers, what the venue was told and the last hour of a contract have files of their own. The table
 * of allowances with their reasons is in docs/testing.md.
 */

import { wholeEquity } from '../../src/core/margin/bad-debt.ts';
import { coinShortfall, shortfallLimit } from '../../src/core/margin/clearing-shortfall.ts';
import { custodyOf } from '../../src/core/margin/custody.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { Category, Side } from '../../src/core/model/enums.ts';
import type { Event, FillRecord } from '../../src/core/model/event.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { solvencyOf } from '../../src/core/reads/solvency-reads.ts';
import type { Account } from '../../src/core/state/account.ts';
import { ContractEnd } from '../../src/core/state/contract-end.ts';
import type { State } from '../../src/core/state/state.ts';
import {
  dollars,
  type Find,
  type Finding,
  family,
  isForced,
  isFunding,
  ROUNDING,
  rounding,
} from './families-finding.ts';
import { Funds } from './families-funds.ts';
import { Settling } from './families-settling.ts';
import { OUTFLOWS, Strangers } from './families-strangers.ts';
import { Tiers } from './families-tiers.ts';
import { DESKS, Told } from './families-told.ts';
import { Trades } from './families-trades.ts';
import { COIN, COIN_NAMES, FAMILY } from './families-venue.ts';
import type { World } from './families-world.ts';
import { Worth } from './families-worth.ts';

/** Quotes of makers explain no more; the cap is 0.003. */
const HONEST_FUNDING = 0.001;

export class Judge {
  finding: Finding | undefined;
  fills = 0;
  /** Dollars, for reports: what the family may keep of the house by published bounds. */
  readonly allowed = { rolls: 0, gaps: 0 };
  private readonly state: State;
  private readonly world: World;
  private readonly worth: Worth;
  private readonly members: Account[];
  private readonly told: Told;
  private readonly trades: Trades;
  private readonly funds: Funds;
  private readonly settling: Settling;
  private readonly tiers: Tiers;
  private readonly strangers: Strangers;
  private homes: number[] = [];
  private custody: bigint[] = [];
  /** What deliveries left of the house's side of a contract that its fund could not pay (rules 13.2 (d)). */
  private undelivered = 0n;
  private badDebt = 0n;
  private nextSecond = 0;
  /** Milliseconds that the last command passed over. */
  private passed = 0;

  constructor(state: State, world: World) {
    this.state = state;
    this.world = world;
    this.worth = new Worth(state, world);
    this.members = FAMILY.map((uid) => state.accountByUid.get(uid)!);
    this.told = new Told(state, world);
    this.trades = new Trades(state, world, this.worth, this.told);
    this.funds = new Funds(state, this.worth, this.trades);
    this.settling = new Settling(state, world, this.worth);
    const find: Find = (kind, text) => this.find(kind, text);
    this.tiers = new Tiers(state, this.members, this.trades, find);
    const { worth, told, trades, settling } = this;
    this.strangers = new Strangers({ state, world, worth, told, trades, settling }, find);
    this.nextSecond = state.nextSecond;
    this.pricesMoved(() => {});
  }

  get overdue(): number {
    return this.trades.overdue;
  }

  /** Outside prices change: what follows from that is exposure. */
  pricesMoved(change: () => void): void {
    const everybody = [...this.members, ...this.strangers.accounts];
    const before = everybody.map((account) => [this.worth.takeHome(account), this.worth.plain(account)]);
    const writtenOff = this.writtenOff();
    change();
    this.allowed.gaps += this.writtenOff() - writtenOff;
    for (const [n, account] of everybody.entries()) {
      const [home, plain] = before[n]!;
      const spared = this.worth.takeHome(account) - home! - (this.worth.plain(account) - plain!);
      if (spared > 0) this.allowed.gaps += spared;
    }
    this.homes = this.members.map((account) => this.worth.takeHome(account));
    this.strangers.lookAgain();
    this.funds.lookAgain();
    this.custody = COIN_NAMES.map((_, coin) => custodyOf(this.state, coin));
    this.told.remember();
  }

  /** After each command; returns whether something is wrong. */
  observe(command: Command, result: CommandResult, events: readonly Event[]): boolean {
    this.check(command, result, events);
    this.told.remember();
    return this.finding !== undefined;
  }

  private check(command: Command, result: CommandResult, events: readonly Event[]): void {
    const { state } = this;
    const second = state.nextSecond !== this.nextSecond;
    this.passed = state.nextSecond - this.nextSecond;
    this.nextSecond = state.nextSecond;
    if (result.rejectReason !== RejectReason.none && !second && events.length === 0) return;
    const fills = events.flatMap((event) => (event.type === 'fill' ? [event.fill] : []));
    this.fills += fills.length;
    this.countDelivery(command);
    this.checkCustody(command);
    this.checkFunding(events);
    this.strangers.checkForced(fills);
    this.checkFamily(command, events, fills);
    this.checkRolls();
    this.strangers.check(command, events, fills, this.passed);
    this.tiers.check(command, result, fills);
  }

  /** When the run is over, feeds have spoken and no work is open. */
  end(): void {
    const { state } = this;
    let lacking = 0;
    for (const [coin, { held, lent, owed }] of solvencyOf(state).entries()) {
      const sold = -state.ledger.balanceOf(SystemAccount.convert, coin, Bucket.cash);
      const missing = owed - held - lent - (sold > 0n ? sold : 0n);
      if (missing > 0n) lacking += this.worth.usd(coin, missing);
    }
    // What coin-margined contracts lack by a move of the mark is the exposure that their holders had (rules 13.2 (b)). A
    // delivery makes debt of the house of it, as far as its fund does not reach (rules 13.2 (d)).
    lacking -= this.worth.usd(COIN.btc, coinShortfall(state, COIN.btc) + this.undelivered);
    lacking -= this.withheld();
    const limit = this.worth.usd(COIN.btc, shortfallLimit(state, COIN.btc));
    const bound = limit + this.allowed.gaps * 1.01 + this.funds.used + 1;
    if (lacking > bound) this.find('owed', `coins worth ${dollars(lacking)} are owed and not there`);
  }

  /**
   * What accounts own that owe more than that: their debts are not counted as lent, and what they own of other coins stays
   * where it is (rules 13.7 (e)), in whatever wallet, until it pays for them. Positions may take some of it.
   */
  private withheld(): number {
    const { state } = this;
    let sum = 0;
    for (const account of [...this.members, ...this.strangers.accounts])
      if (account.positions.size === 0 && wholeEquity(state, account) <= 0n) sum += this.worth.owned(account);
    return sum;
  }

  /** Debts that the operator let off: coins that the house lacks since then, at whatever price. */
  private writtenOff(): number {
    const { ledger } = this.state;
    let sum = -this.worth.usd(COIN.btc, this.undelivered);
    for (let coin = 0; coin < COIN_NAMES.length; coin++)
      sum -= this.worth.usd(coin, ledger.balanceOf(SystemAccount.badDebt, coin, Bucket.cash));
    return sum;
  }

  /** A delivery may find no position: deleveraging has closed the last ones. What the house lacks is left all the same. */
  private countDelivery({ type }: Command): void {
    const before = this.badDebt;
    this.badDebt = -this.state.ledger.balanceOf(SystemAccount.badDebt, COIN.btc, Bucket.cash);
    // Debts of accounts that the operator lets off are another matter.
    if (type !== 'writeOffDebt') this.undelivered += this.badDebt - before;
  }

  // (1)

  /**
   * While a contract ends in portions (rules 14.5) gains and losses of one trade come by different commands: what the family
   * has gained since it began, and what explains it.
   */
  private ending: { readonly edge: number; readonly bound: number } | undefined;

  private checkFamily(command: Command, events: readonly Event[], fills: readonly FillRecord[]): void {
    const { state } = this;
    const flow = this.flowOf(command);
    const before = this.homes;
    this.homes = this.members.map((account) => this.worth.takeHome(account));
    const edge = this.homes.reduce((sum, home, n) => sum + home - before[n]!, flow);
    const forced = fills.filter(({ uid, futures }) => family.has(uid) && isForced(futures?.kind));
    const spared = this.members.reduce(
      (sum, { uid }, n) =>
        forced.some((fill) => fill.uid === uid) ? sum + Math.max(0, this.homes[n]! - before[n]!) : sum,
      0,
    );
    const fund = this.funds.allowance(forced, spared, fills);
    const trades = fills.length === 0 ? 0 : this.trades.gainOf(fills);
    const open = state.works.some((work) => work instanceof ContractEnd);
    if (edge <= ROUNDING && !open && this.ending === undefined) return;
    const funding = this.fundingOf(events);
    const settling = this.settling.differs(this.members, this.passed);
    const unseen = rounding(fills.length + events.length) + this.forcedAtIndex(events) + settling;
    const bound = this.isExcused(command, fills) ? edge : trades + funding + fund + unseen;
    const known = this.ending ?? { edge: 0, bound: 0 };
    const ending = { edge: known.edge + edge, bound: known.bound + Math.max(0, bound) };
    this.ending = open ? ending : undefined;
    if (!open && ending.edge > ROUNDING && ending.edge > ending.bound) {
      const parts = `trades ${dollars(trades)}, funding ${dollars(funding)}, fund ${dollars(fund)}`;
      this.find(
        `edge by ${command.type}`,
        `the family gains ${dollars(ending.edge)} at constant prices by ${command.type}; explained: ${parts}`,
      );
    }
    if (fund > 0) this.funds.use(Math.min(fund, Math.max(0, edge - trades - funding)));
  }

  /** Coins that were sold by force at coin prices that follow the outside ones within a minute (rules 13.3). */
  private forcedAtIndex(events: readonly Event[]): number {
    let sum = 0;
    for (const event of events) {
      if (event.type === 'conversion' && event.forced && family.has(event.uid))
        sum += this.worth.usd(event.toCoin, event.toAmount) * this.indexAway(event.fromCoin, event.toCoin);
      if (event.type === 'loanReduced' && family.has(event.uid))
        sum += this.worth.usd(event.loanCoin, event.paid) * this.indexAway(event.pledgeCoin, event.loanCoin);
    }
    return sum;
  }

  private indexAway(one: number, other: number): number {
    const { state, world } = this;
    const away = (coin: number) => (Number(state.coinPrices[coin] ?? 0n) * 1e-8) / world.prices[coin]!;
    return Math.abs(away(one) / away(other) - 1) * 1.02;
  }

  /** What no venue could know, and what is worth another price than the outside one for a while. */
  private isExcused(command: Command, fills: readonly FillRecord[]): boolean {
    return (
      this.told.isUntold() ||
      this.told.isDollarUnknown(command) ||
      this.settling.settles(fills) ||
      (this.told.isSilent() && this.isTradeOfOwn(command, fills))
    );
  }

  /**
   * Trades among the family while feeds are silent: an account that is lost by a price nobody told may still give what the
   * venue sees of it. The desks and what borrows get no such excuse (rules 13.6).
   */
  private isTradeOfOwn({ type }: Command, fills: readonly FillRecord[]): boolean {
    return !DESKS.has(type) && fills.length > 0 && !fills.some((fill) => this.hasBorrowed(fill));
  }

  /** Who owes of the coin that he gave has borrowed some of it. */
  private hasBorrowed({ uid, category, instrument: index, side }: FillRecord): boolean {
    if (!family.has(uid) || category !== Category.margin) return false;
    const { ledger, accountByUid, instruments } = this.state;
    const { base, quote } = instruments[index]!;
    return (
      ledger.balanceOf(accountByUid.get(uid)!.index, side === Side.sell ? base : quote, Bucket.cash) < 0n
    );
  }

  /** What the family took out of the venue by this command, less what it brought. */
  private flowOf(command: Command): number {
    let flow = 0;
    const counts = OUTFLOWS.has(command.type) && family.has((command as { uid: number }).uid);
    const settled = command.type === 'endWithdrawal' && command.uid === 0;
    for (let coin = 0; coin < this.custody.length; coin++) {
      const now = custodyOf(this.state, coin);
      // Only the family asks for withdrawals; the operator settles them.
      if (counts || settled) flow += this.worth.usd(coin, this.custody[coin]! - now);
      this.custody[coin] = now;
    }
    return flow;
  }

  private checkRolls(): void {
    const { rolled } = this.trades;
    if (rolled <= this.allowed.rolls) return;
    this.allowed.rolls = rolled;
    const limit = this.worth.usd(COIN.btc, shortfallLimit(this.state, COIN.btc));
    if (rolled > limit + 1)
      this.find(
        'rolls',
        `coin-margined trades took ${dollars(rolled)} from the house, whose limit is ${dollars(limit)}`,
      );
  }

  private fundingOf(events: readonly Event[]): number {
    let sum = 0;
    for (const event of events)
      if (event.type === 'ledgerLine' && family.has(event.uid) && isFunding(event.kind))
        sum += this.worth.usd(event.coin, event.amount);
    return Math.max(0, sum);
  }

  private checkFunding(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type !== 'fundingSettled') continue;
      const paid = Math.abs(Number(event.rate)) * 1e-12;
      if (paid > HONEST_FUNDING)
        this.find('funding', `funding of ${paid} that no quotes of backed accounts explain`);
    }
  }

  // (3)

  private checkCustody({ type }: Command): void {
    if (!OUTFLOWS.has(type)) return;
    for (let coin = 0; coin < COIN_NAMES.length; coin++) {
      const held = custodyOf(this.state, coin);
      if (held < 0n) this.find('custody', `custody of ${COIN_NAMES[coin]} is ${Number(held) * 1e-8}`);
    }
  }

  private find(kind: string, text: string): void {
    this.finding ??= { kind, text };
  }
}
