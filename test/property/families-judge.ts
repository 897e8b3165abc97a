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
 *   - funding that it was paid, at a rate that quotes of backed accounts can explain (rules 13.8);
 *   - what the insurance fund paid in a forced close of the family, at most a fifth of it a close (rules 13.7 (b)), and in
 *     an hour at most 60 % of what it held;
 *   - trades among itself in coin-margined contracts, which all together may cost the house `limit_c` at prices it was told
 *     (rules 13.2 (c));
 *   - trades among itself at a mark that is not the outside price because a feed is silent or a second late: no venue
 *     knows what it was not told. The desks of the house, and what borrows, get no such allowance (rules 13.6);
 *   - what leaves a funding wallet while a feed is silent: it stands behind an account only when the venue knows that this
 *     is below zero (rules 13.7 (e)). What leaves a unified account gets no such allowance (rules 13.6 (b));
 *   - of a coin-margined contract that a forced close or deleveraging closes, the profit or loss so far times the distance
 *     to the mark, within the same reach: it is paid at the trade price (rules 13.2 (e));
 *   - what a contract in its last hour settles at by samples of an index that differs a little from the outside price,
 *     also over seconds that nobody saw (rules 5.15);
 *   - a bound for rounding: some units of 10^-8 for each posting.
 * (2) A stranger's edge is that of his own orders, fees, funding and interest, and of samples in the last hour of a contract
 *   as above; he is closed by force only at a mark that is the outside price, in the last hour of a contract the mean that
 *   it settles at (rules 5.15), deleveraged in the published order.
 * (3) Custody of no coin is below zero at any time, and at the end no coin lacks more than what outside prices did to
 *   accounts that nobody could close in time and to the house's side of coin-margined contracts, delivered ones included;
 *   what the desks sold for other coins counts as held.
 * (4) Behind each order that opens, the party's positions are within the tier of its leverage (rules 13.9).
 */

import { wholeEquity } from '../../src/core/margin/bad-debt.ts';
import { coinShortfall, shortfallLimit } from '../../src/core/margin/clearing-shortfall.ts';
import { custodyOf } from '../../src/core/margin/custody.ts';
import type { Command, PlaceOrder } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { Category, HoldMode, OrderKind, PosSide, Side, Wallet } from '../../src/core/model/enums.ts';
import type { Event, FillRecord } from '../../src/core/model/event.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { solvencyOf } from '../../src/core/reads/solvency-reads.ts';
import type { Account } from '../../src/core/state/account.ts';
import type { State } from '../../src/core/state/state.ts';
import {
  BOOK,
  BROKER,
  BTCUSD,
  COIN,
  COIN_NAMES,
  FAMILY,
  INDICES,
  MASTERS,
  STRANGERS,
} from './families-venue.ts';
import type { World } from './families-world.ts';
import { Worth } from './families-worth.ts';

/** Dollars: a dozen units of the dearest coin, and some for each fill. */
const ROUNDING = 0.01;
const ROUNDING_PER_FILL = 0.005;
/** Farther from the outside price a mark is nobody's but the venue's. */
const MARK_AWAY = 0.004;
const SPOT_AWAY = 0.001;
/** Quotes of makers explain no more; the cap is 0.003. */
const HONEST_FUNDING = 0.001;
/** A feed that has been silent for longer is known to be. */
const SILENT_MS = 60_000;
/** More than prices move between two words of a feed. */
const UNTOLD = 0.0005;
const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const FUND_CLOSE_SHARE = 0.2;
const FUND_HOUR_SHARE = 0.6;
/** Highest maintenance of the tiers and the fee of a forced close. */
const REACH_MAX = 0.0306;
/**
 * An order counts at its limit, a market order a little above the best price (rules 5.6): within the band of a twentieth (rules
 * 1.9) a sell may be filled above the one, a market order beyond the other.
 */
const TIER_SLACK = 1.06;

const family = new Set<number>(FAMILY);
const strangers = new Set<number>(STRANGERS);
const FUND_COINS = [COIN.usdt, COIN.usdc, COIN.btc];
const OUTFLOWS: ReadonlySet<Command['type']> = new Set(['deposit', 'withdraw', 'endWithdrawal']);

/** By these money leaves a wallet. */
const LEAVING: ReadonlySet<Command['type']> = new Set([
  'transfer',
  'withdraw',
  'requestWithdrawal',
  'internalWithdrawal',
]);

/** Commands by which the house trades or lends at prices of its own. */
const DESKS: ReadonlySet<Command['type']> = new Set(['repay', 'loanBorrow', 'loanRepay', 'loanRevise']);

export interface Finding {
  /** What was broken, without numbers: findings of one kind shrink to each other. */
  readonly kind: string;
  readonly text: string;
}

interface Stranger {
  readonly account: Account;
  worth: number;
}

export class Judge {
  finding: Finding | undefined;
  fills = 0;
  /** Dollars, for reports: what the family may keep of the house by published bounds. */
  readonly allowed = { fund: 0, rolls: 0, gaps: 0 };
  private readonly state: State;
  private readonly world: World;
  private readonly worth: Worth;
  private readonly members: Account[];
  private readonly strangers: Stranger[];
  private homes: number[] = [];
  private funds: number[] = [];
  private hour = 0;
  private hourBase = 0;
  private hourPaid = 0;
  private custody: bigint[] = [];
  /** What trades of the family in coin-margined contracts gave both sides together, in dollars. */
  private rolled = 0;
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
    this.strangers = STRANGERS.map((uid) => ({ account: state.accountByUid.get(uid)!, worth: 0 }));
    this.nextSecond = state.nextSecond;
    this.pricesMoved(() => {});
  }

  /** Outside prices change: what follows from that is exposure. */
  pricesMoved(change: () => void): void {
    const everybody = [...this.members, ...this.strangers.map(({ account }) => account)];
    const before = everybody.map((account) => [this.worth.takeHome(account), this.worth.plain(account)]);
    change();
    for (const [n, account] of everybody.entries()) {
      const [home, plain] = before[n]!;
      const spared = this.worth.takeHome(account) - home! - (this.worth.plain(account) - plain!);
      if (spared > 0) this.allowed.gaps += spared;
    }
    this.homes = this.members.map((account) => this.worth.takeHome(account));
    for (const stranger of this.strangers) stranger.worth = this.worth.plain(stranger.account);
    this.funds = FUND_COINS.map((coin) => this.fundOf(coin));
    this.custody = COIN_NAMES.map((_, coin) => custodyOf(this.state, coin));
  }

  /** After each command; returns whether something is wrong. */
  observe(command: Command, result: CommandResult, events: readonly Event[]): boolean {
    const { state } = this;
    const second = state.nextSecond !== this.nextSecond;
    this.passed = state.nextSecond - this.nextSecond;
    this.nextSecond = state.nextSecond;
    if (result.rejectReason !== RejectReason.none && !second && events.length === 0) return false;
    const fills = events.flatMap((event) => (event.type === 'fill' ? [event.fill] : []));
    this.fills += fills.length;
    this.countDelivery(command, fills);
    this.checkCustody(command);
    this.checkFunding(events);
    this.checkForced(fills);
    this.checkFamily(command, events, fills);
    this.checkRolls();
    this.checkStrangers(command, events, fills);
    this.checkTiers(command, result, fills);
    return this.finding !== undefined;
  }

  /** When the run is over and feeds have spoken. */
  end(): void {
    const { state } = this;
    let lacking = 0;
    for (const [coin, { held, lent, owed }] of solvencyOf(state).entries()) {
      const sold = -state.ledger.peek(SystemAccount.convert, coin, Bucket.cash);
      const missing = owed - held - lent - (sold > 0n ? sold : 0n);
      if (missing > 0n) lacking += this.worth.usd(coin, missing);
    }
    // What coin-margined contracts lack by a move of the mark is the exposure that their holders had (rules 13.2 (b)). A
    // delivery makes debt of the house of it, as far as its fund does not reach (rules 13.2 (d)).
    lacking -= this.worth.usd(COIN.btc, coinShortfall(state, COIN.btc) + this.undelivered);
    lacking -= this.withheld();
    const limit = this.worth.usd(COIN.btc, shortfallLimit(state, COIN.btc));
    const bound = limit + this.allowed.gaps * 1.01 + this.allowed.fund + 1;
    if (lacking > bound) this.find('owed', `coins worth ${dollars(lacking)} are owed and not there`);
  }

  /**
   * What accounts own that owe more than that: their debts are not counted as lent, and what they own of other coins stays
   * where it is (rules 13.7 (e)), in whatever wallet, until it pays for them. Positions may take some of it.
   */
  private withheld(): number {
    const { state } = this;
    let sum = 0;
    for (const account of [...this.members, ...this.strangers.map((stranger) => stranger.account)])
      if (account.positions.size === 0 && wholeEquity(state, account) <= 0n) sum += this.worth.owned(account);
    return sum;
  }

  private countDelivery({ type }: Command, fills: readonly FillRecord[]): void {
    const before = this.badDebt;
    this.badDebt = -this.state.ledger.peek(SystemAccount.badDebt, COIN.btc, Bucket.cash);
    // Debts of accounts that the operator lets off are another matter.
    if (type === 'writeOffDebt' || !fills.some(({ futures }) => futures?.kind === OrderKind.delivery)) return;
    this.undelivered += this.badDebt - before;
  }

  // (1)

  private checkFamily(command: Command, events: readonly Event[], fills: readonly FillRecord[]): void {
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
    const fund = this.fundAllowance(forced, spared, fills);
    const trades = fills.length === 0 ? 0 : this.tradesOf(fills);
    if (edge <= ROUNDING) return;
    const rounding = ROUNDING + ROUNDING_PER_FILL * (fills.length + events.length);
    const funding = this.fundingOf(events);
    const settling = this.settling(this.members);
    const bound = rounding + trades + funding + fund + this.forcedAtIndex(events) + settling;
    if (edge > bound && !this.isExcused(command, events, fills)) {
      const parts = `trades ${dollars(trades)}, funding ${dollars(funding)}, fund ${dollars(fund)}`;
      this.find(
        `edge by ${command.type}`,
        `the family gains ${dollars(edge)} at constant prices by ${command.type}; explained: ${parts}`,
      );
    }
    if (fund > 0) {
      const used = Math.min(fund, Math.max(0, edge - trades - funding));
      this.allowed.fund += used;
      this.hourPaid += used;
    }
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
  private isExcused(command: Command, events: readonly Event[], fills: readonly FillRecord[]): boolean {
    return (
      this.isUntold() ||
      this.isDollarUnknown(command) ||
      this.settles(fills) ||
      (this.isSilent() && (this.isTradeOfOwn(command, fills) || isOfFundingWallet(command, events)))
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
    return ledger.peek(accountByUid.get(uid)!.index, side === Side.sell ? base : quote, Bucket.cash) < 0n;
  }

  private isSilent(): boolean {
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
  private isUntold(): boolean {
    return INDICES.some((_, n) => this.isUntoldOn(n));
  }

  private isUntoldOn(n: number): boolean {
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

  /** Is a dollar coin not what the venue takes it for? It follows within a minute, as far as somebody says it (rules 13.3). */
  private isDollarUnknown({ type }: Command): boolean {
    if (DESKS.has(type)) return false;
    const { state, world } = this;
    return [COIN.usdt, COIN.usdc].some(
      (coin) => Math.abs((Number(state.coinPrices[coin] ?? 0n) * 1e-8) / world.prices[coin]! - 1) > SPOT_AWAY,
    );
  }

  /** In its last hour a contract is worth a mean, which a silent feed goes on adding to. */
  private settles(fills: readonly FillRecord[]): boolean {
    const { state, world } = this;
    const quarter = state.instruments[BOOK.btcQuarter]!;
    if (this.worth.settlementOf(quarter) === undefined) return false;
    if (fills.some(({ instrument }) => instrument === BOOK.btcQuarter)) return true;
    return Math.abs((Number(state.indexOf(quarter)!.price) * 1e-8) / world.priceOf(quarter) - 1) > UNTOLD;
  }

  /**
   * In the last hour of a contract: what the seconds that passed added to its mean at an index that is not the outside price.
   * The contract promises the mean of the index, in which seconds that nobody saw repeat the last price (rules 5.15): its
   * holders gain or lose by that to each other, whoever they are. Seconds before the hour add nothing.
   */
  private settling(accounts: readonly Account[]): number {
    const { state, world } = this;
    const quarter = state.instruments[BOOK.btcQuarter]!;
    const settles = this.worth.settlementOf(quarter);
    if (settles === undefined) return 0;
    let basis = 0;
    for (const { positions } of accounts)
      for (const position of positions.values())
        if (position.instrument === BOOK.btcQuarter) basis += Number(position.basis) * 1e-8;
    const price = world.priceOf(quarter);
    const away = Math.abs(Number(state.indexOf(quarter)!.price) * 1e-8 - price);
    const sampled = state.now - (quarter.futures!.delivery!.time - HOUR_MS) + SECOND_MS;
    const moved = (away * Math.min(this.passed, sampled)) / HOUR_MS;
    return ((Math.abs(basis) * moved) / settles ** 2) * price * 1.05;
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

  /** How much better than outside the family traded, with whom that is its due. */
  private tradesOf(fills: readonly FillRecord[]): number {
    const trades = new Map<number, FillRecord[]>();
    for (const fill of fills) {
      const known = trades.get(fill.execLinkId);
      if (known === undefined) trades.set(fill.execLinkId, [fill]);
      else known.push(fill);
    }
    let sum = 0;
    for (const sides of trades.values()) sum += this.tradeOf(sides, fills);
    return sum;
  }

  private tradeOf(sides: readonly FillRecord[], fills: readonly FillRecord[]): number {
    const own = sides.filter(({ uid }) => family.has(uid));
    if (own.length === 0) return 0;
    const edge = own.reduce((sum, fill) => sum + this.edgeOf(fill), 0);
    const among = own.some(({ side }) => side === Side.buy) && own.some(({ side }) => side === Side.sell);
    const instrument = this.state.instruments[own[0]!.instrument]!;
    const closedByTime = own.some(
      ({ futures }) => futures?.kind === OrderKind.delivery || futures?.kind === OrderKind.delisting,
    );
    if (closedByTime) return Math.max(0, edge);
    if (instrument.futures?.coinMargined === true) this.roll(sides);
    if (among) {
      const late = this.lateness(own[0]!);
      const coin = instrument.futures?.coinMargined === true ? Math.max(0, edge) : 0;
      // An account that a gap has left below zero gives what a forced close may give, and the house lacks it.
      const forced = own.find(({ futures }) => isForced(futures?.kind));
      return late + coin + (forced === undefined ? 0 : this.reachOf([forced], forced, fills));
    }
    const others = sides.filter(({ uid }) => !family.has(uid));
    const forcedOther = others.find(({ futures }) => isForced(futures?.kind));
    // A rebate is a part of the fee that the other side paid (rules 13.10 (b)).
    const rebates = own.reduce((sum, fill) => sum + Math.max(0, -this.feeOf(fill)), 0);
    if (forcedOther === undefined && own.every(({ futures }) => futures?.kind !== OrderKind.adl))
      return Math.max(0, edge) + rebates;
    return Math.max(0, Math.min(edge, this.reachOf(own, forcedOther, fills)));
  }

  /** What a forced close may give away: the distance to W, and what the mark is away from the outside price. */
  private reachOf(
    own: readonly FillRecord[],
    forced: FillRecord | undefined,
    fills: readonly FillRecord[],
  ): number {
    const { state, world } = this;
    const instrument = state.instruments[own[0]!.instrument]!;
    const lots = own.reduce((sum, { sizeLots }) => sum + sizeLots, 0);
    const price = world.priceOf(instrument);
    const perLot = instrument.unitsPerLotNumber * 1e-8 * world.prices[instrument.base]!;
    let rate = REACH_MAX;
    if (forced !== undefined) {
      const all = fills.reduce(
        (sum, { uid, instrument: on, sizeLots }) =>
          uid === forced.uid && on === forced.instrument ? sum + sizeLots : sum,
        0,
      );
      const notional = BigInt(Math.round(all * perLot * 1e8));
      const tier = instrument.futures!.tiers.find(({ upTo }) => upTo >= notional);
      rate = tier === undefined ? REACH_MAX : Number(tier.rate) * 1e-12 + 0.0006;
    }
    const away = Math.abs(this.markOf(own[0]!.instrument) / price - 1);
    const coinMargined = instrument.futures?.coinMargined === true;
    const closed = coinMargined
      ? own.reduce((sum, { futures }) => sum + Math.abs(Number(futures!.pnl)), 0)
      : 0;
    const reached = lots * perLot + closed * 1e-8 * world.prices[instrument.base]!;
    return reached * (rate + Math.min(away, MARK_AWAY) + 0.0005);
  }

  /** What a trade among the family may take by the venue's ignorance of the outside price. */
  private lateness({ instrument: index, sizeLots }: FillRecord): number {
    const { state, world } = this;
    const instrument = state.instruments[index]!;
    const notional = sizeLots * instrument.unitsPerLotNumber * 1e-8 * world.prices[instrument.base]!;
    const found = state.indexOf(instrument)!;
    const told = Number(found.price) * 1e-8;
    const price = world.priceOf(instrument);
    if (instrument.futures === undefined)
      return notional * Math.min(SPOT_AWAY, Math.abs(told / price - 1) + 0.0001);
    const away = Math.abs(this.markOf(index) / price - 1);
    const silent = found.stale || state.now - found.reportedAt(state.now) > SILENT_MS;
    return notional * (silent ? away : Math.min(away, MARK_AWAY));
  }

  private markOf(index: number): number {
    const instrument = this.state.instruments[index]!;
    return this.state.market(instrument).futures!.markTicks / 10 ** instrument.pricePrecision;
  }

  /**
   * A coin-margined trade gives both sides together what the house loses; forced ones follow gaps of the outside price. The
   * limit of the house is one at prices it was told (rules 13.2 (c)): at a mark that is a word late a trade leaves the house
   * as it was (rules 13.2 (b)), and what the next word makes of that is a move of the mark. A silence is no excuse: nothing
   * trades then (rules 13.2 (f)).
   */
  private roll(sides: readonly FillRecord[]): void {
    if (sides.some(({ futures }) => futures!.kind !== OrderKind.user && futures!.kind !== OrderKind.move))
      return;
    for (const fill of sides) {
      const paid = fill.futures!.closing ? Number(fill.futures!.pnl) * 1e-8 : 0;
      this.rolled += this.edgeOf(fill) - (family.has(fill.uid) ? this.feeOf(fill) : 0);
      this.rolled -= paid * this.late(fill.instrument);
    }
  }

  /** Dollars that the outside price of a coin-margined contract is above the mark because its feed has not told it yet. */
  private late(book: number): number {
    if (!this.isUntoldOn(BTCUSD)) return 0;
    return this.world.priceOf(this.state.instruments[book]!) - this.markOf(book);
  }

  private checkRolls(): void {
    if (this.rolled <= this.allowed.rolls) return;
    this.allowed.rolls = this.rolled;
    const limit = this.worth.usd(COIN.btc, shortfallLimit(this.state, COIN.btc));
    if (this.rolled > limit + 1)
      this.find(
        'rolls',
        `coin-margined trades took ${dollars(this.rolled)} from the house, whose limit is ${dollars(limit)}`,
      );
  }

  /** Dollars that one side of a trade gained against the outside price, without its fee. */
  private edgeOf(fill: FillRecord): number {
    const { state, world } = this;
    const instrument = state.instruments[fill.instrument]!;
    const sign = fill.side === Side.buy ? 1 : -1;
    const amount = fill.sizeLots * instrument.unitsPerLotNumber * 1e-8;
    const price = fill.priceTicks / 10 ** instrument.pricePrecision;
    if (instrument.futures?.coinMargined === true && fill.futures!.closing) {
      // The profit in dollars is paid in coin at a price that need not be the outside one.
      const paid = Number(fill.futures!.pnl) * 1e-8;
      const outside = world.prices[instrument.base]!;
      return sign * amount * (outside - price) + paid * (outside - this.paidAt(fill, price));
    }
    return sign * amount * (world.prices[instrument.base]! - price * world.prices[instrument.quote]!);
  }

  /** The price at which a coin-margined profit becomes coin (rules 13.2 (e)). */
  private paidAt({ instrument, futures }: FillRecord, price: number): number {
    if (futures!.kind !== OrderKind.user || !this.state.rules.clearingShortfall) return price;
    const mark = this.markOf(instrument);
    return futures!.pnl > 0n ? Math.max(price, mark) : Math.min(price, mark);
  }

  private feeOf(fill: FillRecord): number {
    return this.worth.usd(fill.feeCoin, fill.fee);
  }

  private fundingOf(events: readonly Event[]): number {
    let sum = 0;
    for (const event of events)
      if (event.type === 'ledgerLine' && family.has(event.uid) && isFunding(event.kind))
        sum += this.worth.usd(event.coin, event.amount);
    return Math.max(0, sum);
  }

  /**
   * What the fund may have paid for forced closes of the family in this command: to those who traded with them within the
   * reach of a close, and to the closed accounts what they would have lacked (`spared`: they have more elsewhere).
   */
  private fundAllowance(forced: readonly FillRecord[], spared: number, fills: readonly FillRecord[]): number {
    const { state } = this;
    const hour = Math.floor(state.now / HOUR_MS);
    const held = FUND_COINS.map((coin) => this.fundOf(coin));
    if (hour !== this.hour) {
      this.hour = hour;
      this.hourBase = held.reduce((sum, amount) => sum + amount, 0);
      this.hourPaid = 0;
    }
    let sum = 0;
    const closes = new Set(forced.map(({ orderId }) => orderId)).size;
    for (const [n, before] of this.funds.entries()) {
      // What closes of others brought it in the same command hides some of what it paid (rules 13.7 (b)).
      const brought = fills.reduce(
        (fees, fill) =>
          !family.has(fill.uid) && isForced(fill.futures?.kind) && fill.feeCoin === FUND_COINS[n]
            ? fees + Math.max(0, this.feeOf(fill))
            : fees,
        0,
      );
      const paid = Math.max(0, before - held[n]! + brought);
      sum += Math.min(paid, FUND_CLOSE_SHARE * closes * before);
    }
    this.funds = held;
    if (sum === 0) return 0;
    const reach = forced.reduce((total, fill) => total + this.reachOf([fill], fill, forced), 0);
    return Math.min(sum, reach + spared, Math.max(0, FUND_HOUR_SHARE * this.hourBase - this.hourPaid));
  }

  private fundOf(coin: number): number {
    return this.worth.usd(coin, this.state.ledger.peek(SystemAccount.insurance, coin, Bucket.cash));
  }

  // (2)

  private checkStrangers(command: Command, events: readonly Event[], fills: readonly FillRecord[]): void {
    for (const stranger of this.strangers) {
      const { uid } = stranger.account;
      const before = stranger.worth;
      stranger.worth = this.worth.plain(stranger.account);
      const own = fills.filter((fill) => fill.uid === uid);
      if (OUTFLOWS.has(command.type) && (command as { uid: number }).uid === uid) continue;
      if (own.some(({ futures }) => futures !== undefined && futures.kind !== OrderKind.user)) continue;
      let explained = 0;
      let lines = 0;
      for (const fill of own) explained += this.edgeOf(fill) - this.feeOf(fill);
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
      const rounding = ROUNDING + ROUNDING_PER_FILL * (own.length + lines);
      if (lost > rounding + this.settling([stranger.account]))
        this.find(
          'stranger',
          `stranger ${uid} loses ${dollars(lost)} to nothing of his own: ${dollars(before)} to ${dollars(stranger.worth)}`,
        );
    }
  }

  private checkForced(fills: readonly FillRecord[]): void {
    for (const { uid, instrument, futures } of fills) {
      if (futures?.kind !== OrderKind.liquidation || !strangers.has(uid)) continue;
      const contract = this.state.instruments[instrument]!;
      const index = this.state.indexOf(contract)!;
      // A voice that comes back moves the index over a minute, whatever the voices say meanwhile (rules 5.14 (e)).
      const outside = index.isSpread ? Number(index.price) * 1e-8 : this.world.priceOf(contract);
      const price = this.worth.settlementOf(contract) ?? outside;
      const mark = this.markOf(instrument);
      if (Math.abs(mark / price - 1) > MARK_AWAY && !this.isUntold())
        this.find('mark', `stranger ${uid} is liquidated at a mark of ${mark} while outside it is ${price}`);
    }
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

  // (4)

  /**
   * An order is tested when it comes, at the leverage of its account and with what its party has by then (rules 13.9 (a)). So
   * the order of the command is judged behind its last fill, and each order that its trades triggered behind its own: that
   * one opens at the leverage of another account.
   */
  private checkTiers(
    command: Command,
    { rejectReason, orderId }: CommandResult,
    fills: readonly FillRecord[],
  ): void {
    const placed = command.type === 'placeOrder' && rejectReason === RejectReason.none;
    const counts = placed && command.instrument >= BOOK.btcPerp && !this.onlyCloses(command);
    const lastFills = new Map<number, number>();
    for (const [n, fill] of fills.entries()) if (isTakenByUser(fill)) lastFills.set(fill.orderId, n);
    for (const [order, last] of lastFills) {
      const own = fills.filter((fill) => fill.orderId === order);
      const opens = own.some(({ futures }) => !futures!.closing);
      const limit = order === orderId && placed ? command.priceTicks : 0;
      if (order === orderId ? counts : opens)
        this.checkTier(own[0]!, this.uncounted(own, limit), fills.slice(last + 1));
    }
    if (counts && !lastFills.has(orderId)) this.checkTier(command, 0, []);
  }

  /** A limit that a move of the mark has passed refuses openings only (rules 13.9 (c)); in hedge mode the side says which. */
  private onlyCloses({ uid, side, posSide, reduceOnly }: PlaceOrder): boolean {
    if (reduceOnly === true) return true;
    if (this.state.accountByUid.get(uid)!.holdMode !== HoldMode.hedge) return false;
    return posSide === (side === Side.buy ? PosSide.short : PosSide.long);
  }

  /**
   * An order counts at its price, less the position that it closes at the mark (rules 13.9 (a)). So much more, at the mark, is
   * what it opened: by a mark that is better than its price, or by bids above the limit of a sell, of what it closes too.
   */
  private uncounted(own: readonly FillRecord[], limitTicks: number): number {
    const { instrument: index, priceTicks } = own[0]!;
    const { unitsPerLotNumber, pricePrecision } = this.state.instruments[index]!;
    const perLot = unitsPerLotNumber * 1e-8;
    let filled = 0;
    let opened = 0;
    let value = 0;
    for (const fill of own) {
      filled += fill.sizeLots;
      if (fill.futures!.closing) continue;
      opened += fill.sizeLots;
      value += Number(fill.value) * 1e-8;
    }
    const mark = this.markOf(index) * perLot;
    const price = ((limitTicks || priceTicks) / 10 ** pricePrecision) * perLot;
    const counted = Math.max(0, filled * price - (filled - opened) * mark);
    return Math.max(0, opened * mark - Math.min(value, counted));
  }

  private checkTier(
    { uid, instrument: index, side }: Pick<FillRecord, 'uid' | 'instrument' | 'side'>,
    uncounted: number,
    later: readonly FillRecord[],
  ): void {
    const main = MASTERS[uid] ?? uid;
    if (!family.has(uid) || main === BROKER) return;
    const account = this.state.accountByUid.get(uid)!;
    const instrument = this.state.instruments[index]!;
    const buying = side === Side.buy;
    const setting = account.futuresSettings.get(index);
    if (setting === undefined) return;
    const leverage = buying ? setting.longLeverage : setting.shortLeverage;
    const lots = this.heldBefore(later, main, index, buying);
    const notional = lots * instrument.unitsPerLotNumber * 1e-8 * this.markOf(index) - uncounted;
    const tier = instrument.futures!.tiers.findLast(({ maxLeverage }) => maxLeverage >= leverage);
    const limit = tier === undefined ? 0 : Number(tier.upTo) * 1e-8;
    if (notional > limit * TIER_SLACK)
      this.find(
        'tier',
        `account ${uid} opens at ${leverage}x where its party holds ${dollars(notional)}, allowed up to ${dollars(limit)}`,
      );
  }

  /** Lots of a party in a direction, without what fills of this command did later. */
  private heldBefore(later: readonly FillRecord[], main: number, index: number, long: boolean): number {
    const isOfParty = (uid: number) => family.has(uid) && (MASTERS[uid] ?? uid) === main;
    let lots = 0;
    for (const { uid, positions } of this.members) {
      if (!isOfParty(uid)) continue;
      for (const position of positions.values())
        if (position.instrument === index && position.long === long) lots += position.lots;
    }
    for (const { uid, instrument, side, sizeLots, futures } of later) {
      if (instrument !== index || !isOfParty(uid)) continue;
      const ofLong = (side === Side.buy) !== futures!.closing;
      if (ofLong === long) lots += futures!.closing ? sizeLots : -sizeLots;
    }
    return lots;
  }

  private find(kind: string, text: string): void {
    this.finding ??= { kind, text };
  }
}

/** Does money leave funding wallets alone? */
function isOfFundingWallet({ type }: Command, events: readonly Event[]): boolean {
  if (!LEAVING.has(type)) return false;
  const given = events.flatMap((event) =>
    event.type === 'ledgerLine' && family.has(event.uid) && event.amount < 0n ? [event.wallet] : [],
  );
  return given.length > 0 && given.every((wallet) => wallet === Wallet.funding);
}

/** Of an order that came in this command, placed or triggered. */
function isTakenByUser({ maker, futures }: FillRecord): boolean {
  return !maker && futures?.kind === OrderKind.user;
}

function isForced(kind: OrderKind | undefined): boolean {
  return kind === OrderKind.liquidation || kind === OrderKind.reduce;
}

function isFunding(kind: string): boolean {
  return kind === 'fundingIn' || kind === 'fundingOut';
}

function dollars(amount: number): string {
  return `${amount.toFixed(4)} USD`;
}
