/**
 * What the other wallets of an account keep behind its unified account (rules 13.7 (e), 16.1). While a price that this is
 * measured by is unreliable, nobody knows what it lacks: the wallets keep what it could come to owe at any such price. When
 * it is closed by force, the funding wallet and what pledges are worth beyond their loans count as if they lay in the unified
 * account (rules 16.2, 17.1).
 */

import { Bucket } from '../model/ledger-accounts.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { divCeil, divFloor, larger, MONEY_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { awaitedOf } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { awaitsPrice } from './available-balance.ts';
import { mayLeave } from './bad-debt.ts';
import { coinUsd, hasUnreliablePrice, isIndexed } from './collateral.ts';
import { balanceOf } from './debts.ts';
import { accountEquity, inSettleCoin, unrealisedOf } from './margin.ts';
import { accountRisk } from './margin-cache.ts';
import { releasedByForce } from './pledges.ts';
import { hasUnreliableIndex } from './tentative-account.ts';

/** Why so much may not leave the account, if it may not. What margin allows is another matter. */
export function leavingRejectReason(
  state: State,
  account: Account,
  coin: number,
  amount: bigint,
): RejectReason {
  if (!mayLeave(state, account, coin, amount)) return RejectReason.insufficientMargin;
  if (!state.rules.otherWallets || !awaitsPrice(state, account)) return RejectReason.none;
  const kept = (each: number) =>
    state.ledger.balanceOf(account.index, each, Bucket.funding) - (each === coin ? amount : 0n);
  return coversWorst(state, account, kept) ? RejectReason.none : RejectReason.walletAwaitsPrice;
}

/** The most of a coin that may leave the funding wallet for another account or the outside. */
export function mostLeaving(state: State, account: Account, coin: number): bigint {
  const leaves = (amount: bigint) => leavingRejectReason(state, account, coin, amount) === RejectReason.none;
  let high = state.ledger.balanceOf(account.index, coin, Bucket.funding);
  if (high === 0n || leaves(high)) return high;
  let low = 0n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (leaves(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Are these amounts as much as the unified account can come to owe, whatever its unreliable prices are? Its own coins do not
 * count: they can be traded away at the old price.
 */
function coversWorst(state: State, account: Account, kept: (coin: number) => bigint): boolean {
  let needed = 0n;
  const profits = new Map<number, bigint>();
  for (const position of account.positions.values()) {
    if (position.isolated) continue;
    const instrument = state.instruments[position.instrument]!;
    if (hasUnreliableIndex(state, position.instrument)) {
      // A long loses its entry value and no more. A short can lose any amount.
      if (!position.long) return false;
      needed += divCeil(position.basis * coinUsd(state, instrument.quote), MONEY_ONE);
      continue;
    }
    const { settle } = instrument.futures!;
    const profit = inSettleCoin(state, instrument, unrealisedOf(state, position));
    profits.set(settle, (profits.get(settle) ?? 0n) + profit);
  }
  let worth = 0n;
  for (const coin of new Set([...state.ledger.coinsOf(account.index), ...profits.keys()])) {
    const owed = larger(0n, -balanceOf(state, account, coin) - (profits.get(coin) ?? 0n));
    if (isIndexed(state, coin) && !hasUnreliablePrice(state, coin)) {
      needed += divCeil(owed * coinUsd(state, coin), MONEY_ONE);
      worth += divFloor(kept(coin) * coinUsd(state, coin), MONEY_ONE);
    } else if (owed > kept(coin)) return false;
  }
  return worth >= needed;
}

/**
 * The effective equity that answers for crossed positions which are closed by force: with the coins of the funding wallet, what
 * isolated orders hold, and what loans would give back of their pledges if they were closed too.
 */
export function forcedEquity(state: State, account: Account): bigint {
  return equityWith(state, account, new Map());
}

/**
 * The same of a counterparty of a deleveraging: with what contracts that have ended owe it (rules 17.4). Who is liquidated does
 * not wait for anything.
 */
export function bearingEquity(state: State, account: Account): bigint {
  const aside = new Map<number, bigint>();
  if (state.rules.awaitedMargin && state.works.length !== 0)
    awaitedOf(state, account.index, (coin, amount) => put(aside, coin, amount));
  return equityWith(state, account, aside);
}

function put(aside: Map<number, bigint>, coin: number, amount: bigint): void {
  if (amount > 0n) aside.set(coin, (aside.get(coin) ?? 0n) + amount);
}

/** `aside` is added to. */
function equityWith(state: State, account: Account, aside: Map<number, bigint>): bigint {
  const { ledger, rules, loans } = state;
  const add = (coin: number, amount: bigint) => put(aside, coin, amount);
  if (rules.forcedMargin)
    for (const coin of ledger.coinsOf(account.index)) {
      add(coin, ledger.balanceOf(account.index, coin, Bucket.funding));
      if (rules.orderMargin) add(coin, ledger.balanceOf(account.index, coin, Bucket.isolatedOrders));
    }
  if (rules.pledgeMargin && loans.countOf(account.index) > 0)
    for (const loan of loans.of(account.index)) add(loan.pledgeCoin, releasedByForce(state, loan));
  return aside.size === 0
    ? accountRisk(state, account).effective
    : accountEquity(state, account, aside).effective;
}
