/**
 * What the accounts of one party hold and have ordered of each contract (rules 13.9), kept so that an order of one account
 * does not ask all the others. It is no part of the state: it is made when it is first needed and dropped when the party
 * changes. A contract is counted anew after a new mark, an account of it after a change of its orders or positions.
 */

import { Side } from '../model/enums.ts';
import type { Account } from './account.ts';

/** Notional by direction, 10^-8 of the quote coin. */
export interface OpenNotional {
  readonly buy: bigint;
  readonly sell: bigint;
}

export interface ContractSum {
  readonly markTicks: number;
  buy: bigint;
  sell: bigint;
  /** By account, and accounts that have changed since they were counted. */
  readonly parts: Map<number, OpenNotional>;
  readonly changed: Set<number>;
}

export class PartySums {
  readonly members: readonly Account[];
  readonly contracts = new Map<number, ContractSum>();

  constructor(members: readonly Account[]) {
    this.members = members;
  }

  /** An order or a position of the account in the contract is not what it was. */
  changed(instrument: number, account: number): void {
    this.contracts.get(instrument)?.changed.add(account);
  }

  /** Of all accounts but one. */
  ofOthers(
    account: number,
    instrument: number,
    markTicks: number,
    side: Side,
    count: (member: Account) => OpenNotional,
  ): bigint {
    const sum = this.upToDate(instrument, markTicks, count);
    const own = sum.parts.get(account)!;
    return side === Side.buy ? sum.buy - own.buy : sum.sell - own.sell;
  }

  private upToDate(
    instrument: number,
    markTicks: number,
    count: (member: Account) => OpenNotional,
  ): ContractSum {
    let sum = this.contracts.get(instrument);
    if (sum === undefined || sum.markTicks !== markTicks) {
      sum = { markTicks, buy: 0n, sell: 0n, parts: new Map(), changed: new Set() };
      this.contracts.set(instrument, sum);
      for (const { index } of this.members) sum.changed.add(index);
    }
    if (sum.changed.size === 0) return sum;
    for (const member of this.members) {
      if (!sum.changed.has(member.index)) continue;
      const before = sum.parts.get(member.index);
      const now = count(member);
      sum.buy += now.buy - (before?.buy ?? 0n);
      sum.sell += now.sell - (before?.sell ?? 0n);
      sum.parts.set(member.index, now);
    }
    sum.changed.clear();
    return sum;
  }
}
