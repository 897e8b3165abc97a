/**
 * What accounts are worth at outside prices, in dollars. A contract is what its owner would hold had he bought the coins:
 * `size` of the base coin and `-basis` of the quote coin, of a coin-margined contract `-basis` dollars. So worth is linear in
 * the prices, and what it changes by when only prices change is exposure.
 *
 * `takeHome` has floors: nobody pays in what is missing. The pockets that can be left behind are an account with its
 * crossed positions, each isolated position, each loan with its pledge; what is leaving the venue stays its owner's. A
 * pledge that is worth more than its loan belongs to the account: it comes back to its cash and pays its debts.
 */
import type { Instrument } from '../../src/core/model/instrument.ts';
import { Bucket } from '../../src/core/model/ledger-accounts.ts';
import type { Position } from '../../src/core/model/position.ts';
import type { Account } from '../../src/core/state/account.ts';
import { ContractEnd } from '../../src/core/state/contract-end.ts';
import { endOf } from '../../src/core/state/open-work.ts';
import type { State } from '../../src/core/state/state.ts';
import type { World } from './families-world.ts';

/** Margin of isolated positions and pledges are counted with their pockets; withdrawals under way are gone (rules 13.7 (e)). */
const OWN = [Bucket.cash, Bucket.locked, Bucket.funding, Bucket.isolatedOrders];
const LEAVING = [Bucket.withdrawing];
const MONEY = 1e-8;
const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

export class Worth {
  private readonly state: State;
  private readonly world: World;

  constructor(state: State, world: World) {
    this.state = state;
    this.world = world;
  }

  /** With the floors of limited liability. */
  takeHome(account: Account): number {
    let own = this.moneyOf(account, OWN);
    let pockets = this.moneyOf(account, LEAVING);
    for (const position of account.positions.values()) {
      if (position.isolated) pockets += Math.max(0, this.isolated(position));
      else own += this.positionOf(position);
    }
    for (const loan of this.state.loans.of(account.index)) own += Math.max(0, this.loanOf(loan));
    return Math.max(0, own) + pockets;
  }

  /** Without floors: debts count in full. */
  plain(account: Account): number {
    let sum = this.moneyOf(account, OWN) + this.moneyOf(account, LEAVING);
    for (const position of account.positions.values())
      sum += position.isolated ? this.isolated(position) : this.positionOf(position);
    for (const loan of this.state.loans.of(account.index)) sum += this.loanOf(loan);
    return sum;
  }

  /** Coins of which the account has more than it owes, those that are leaving left out. */
  owned({ index }: Account): number {
    const { ledger } = this.state;
    let sum = 0;
    for (const coin of ledger.coinsOf(index)) {
      const amount = OWN.reduce((total, bucket) => total + ledger.balanceOf(index, coin, bucket), 0n);
      if (amount > 0n) sum += this.usd(coin, amount);
    }
    return sum;
  }

  usd(coin: number, amount: bigint): number {
    return Number(amount) * MONEY * this.world.prices[coin]!;
  }

  private moneyOf({ index }: Account, buckets: readonly Bucket[]): number {
    const { ledger } = this.state;
    let sum = buckets === OWN ? this.pendingOf(index) : 0;
    for (const coin of ledger.coinsOf(index)) {
      let amount = 0n;
      for (const bucket of buckets) amount += ledger.balanceOf(index, coin, bucket);
      if (amount !== 0n) sum += this.usd(coin, amount);
    }
    return sum;
  }

  /** What contracts that end owe the account: gains that wait, and margin that the fund and the winners cover (rules 14.5). */
  private pendingOf(account: number): number {
    let sum = 0;
    for (const work of this.state.works) {
      const pending = work instanceof ContractEnd ? work.pending.get(account) : undefined;
      if (!(work instanceof ContractEnd) || pending === undefined) continue;
      const { settle } = this.state.instruments[work.instrument]!.futures!;
      sum += this.usd(settle, pending.kept + pending.lacking);
    }
    return sum;
  }

  private positionOf({ instrument: index, size, basis }: Position): number {
    const instrument = this.state.instruments[index]!;
    const { base, quote, unitsPerLotNumber } = instrument;
    const held = size * unitsPerLotNumber * MONEY;
    const settles = this.endPriceOf(instrument) ?? this.settlementOf(instrument);
    if (settles !== undefined) return (held - (Number(basis) * MONEY) / settles) * this.world.prices[base]!;
    return held * this.world.prices[base]! - this.usd(quote, basis);
  }

  /** What a contract that has ended is being settled at. */
  private endPriceOf({ index, pricePrecision }: Instrument): number | undefined {
    const end = endOf(this.state, index);
    return end === undefined ? undefined : end.priceTicks / 10 ** pricePrecision;
  }

  /** In the last hour of a contract: the mean that it will settle at if outside prices stay (rules 5.15). */
  settlementOf(instrument: Instrument): number | undefined {
    const delivery = instrument.futures?.delivery;
    if (delivery === undefined) return undefined;
    // Samples are taken at whole seconds; between two of them none is missing.
    const now = Math.floor(this.state.now / SECOND_MS) * SECOND_MS;
    if (now < delivery.time - HOUR_MS || now >= delivery.time) return undefined;
    const futures = this.state.market(instrument).futures!;
    // The rest of the hour at the index; the mark would be the same, but stands still while the index is stale.
    const expected = futures.expectedSettlement(now, delivery.time);
    const outside = this.world.priceOf(instrument);
    if (expected === undefined) return outside;
    const left = Math.floor((delivery.time - SECOND_MS - now) / SECOND_MS) * (SECOND_MS / HOUR_MS);
    const away = outside - Number(futures.index.price) * MONEY;
    return Number(expected) * MONEY + away * Math.max(0, left);
  }

  private isolated(position: Position): number {
    const { settle } = this.state.instruments[position.instrument]!.futures!;
    return this.positionOf(position) + this.usd(settle, position.iso - position.fundingOwed);
  }

  private loanOf(loan: ReturnType<State['loans']['of']>[number]): number {
    return this.usd(loan.pledgeCoin, loan.pledge) - this.usd(loan.loanCoin, loan.debt());
  }
}
