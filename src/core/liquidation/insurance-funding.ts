/** Commands of the operator: payments into and out of the insurance funds, debts that are written off (rules 13.7 (d), (e)). */

import { NIL } from '../book/order-slab.ts';
import { wholeEquity } from '../margin/bad-debt.ts';
import { coinUsd } from '../margin/collateral.ts';
import { isInCustody } from '../margin/custody.ts';
import { FUND_ACCOUNTS, fundOf } from '../margin/fund-budgets.ts';
import type { FundInsurance, WriteOffDebt } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { BUCKETS, Bucket, insuranceReference, SystemAccount } from '../model/ledger-accounts.ts';
import { MONEY_MAX } from '../model/limits.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { divCeil, divFloor, larger, MONEY_ONE, MONEY_SCALE, parseUnits, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { externalCell } from '../state/ledger-lines.ts';
import { type Posting, post } from '../state/ledger-postings.ts';
import { awaitsMoney } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { insufficientBalance } from '../wallet/wallet.ts';

/** A positive amount comes from the outside world, a negative one goes back; the floor of the coin stays. */
export function fundInsurance(state: State, command: FundInsurance): CommandResult {
  const { coin, amount } = command;
  const fund = command.lending ? 'lending' : 'futures';
  const size = amount < 0n ? -amount : amount;
  const spec = state.coins[coin];
  if (spec === undefined) return rejected(RejectReason.unknownCoin);
  if (size === 0n || size > MONEY_MAX) return rejected(RejectReason.amountOutOfRange);
  const reference = insuranceReference(fund, coin, command.reference);
  if (state.depositReferences.has(reference)) {
    const detail = `${command.reference} was booked for this fund before`;
    return { ...rejected(RejectReason.alreadyExists), detail };
  }
  const floor = parseUnits(spec.insuranceFloor ?? '0', MONEY_SCALE) ?? 0n;
  const free = larger(0n, fundOf(state, fund, coin) - floor);
  if (amount < 0n && free < size) return insufficientBalance(coin, free);
  if (amount < 0n && !isInCustody(state, coin, size)) return rejected(RejectReason.custodyTooSmall);
  state.depositReferences.remember(reference);
  const cell = state.ledger.cell(FUND_ACCOUNTS[fund], coin, Bucket.cash);
  const external = externalCell(state, coin);
  if (amount > 0n) post(state, { from: external, to: cell, amount });
  else post(state, { from: cell, to: external, amount: size }, amount);
  state.fundHours.add(fund, coin, amount > 0n ? 'funded' : 'drained', size);
  return OK;
}

/** The house takes over what an account owes and cannot pay; nothing that it still has is left to it for free. */
export function writeOffDebt(state: State, command: WriteOffDebt): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  const { index } = account;
  const busy = account.positions.size > 0 || account.firstOrder !== NIL || state.loans.countOf(index) > 0;
  // Funding that it is still to receive may pay the debt.
  if (busy || awaitsMoney(state, index)) return rejected(RejectReason.positionsOrOrdersOpen);
  if (!state.ledger.hasNegativeCash(account.index)) return rejected(RejectReason.nothingOwed);
  if (wholeEquity(state, account) > 0n) return rejected(RejectReason.debtIsCovered);
  const postings = writtenOff(state, account);
  if (postings.length === 0) return rejected(RejectReason.debtIsCovered);
  post(state, postings);
  state.markDirty(account);
  return OK;
}

/** An account that has nothing is let off everything, any other what it lacks: the rest it can pay. */
function writtenOff(state: State, account: Account): Posting[] {
  const { ledger } = state;
  const { index } = account;
  const coins = ledger.coinsOf(index);
  const hasMoney = coins.some((coin) => {
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      if (ledger.balanceOf(index, coin, bucket as Bucket) > 0n) return true;
    return false;
  });
  let missing = larger(0n, -wholeEquity(state, account));
  const postings: Posting[] = [];
  for (const coin of coins) {
    const cash = ledger.cell(index, coin, Bucket.cash);
    const owed = larger(0n, -ledger.balance(cash));
    const price = coinUsd(state, coin);
    const most = !hasMoney ? owed : price === 0n ? 0n : divFloor(missing * MONEY_ONE, price);
    const amount = smaller(owed, most);
    if (amount === 0n) continue;
    missing = larger(0n, missing - divCeil(amount * price, MONEY_ONE));
    const from = ledger.cell(SystemAccount.badDebt, coin, Bucket.cash);
    postings.push({ from, to: cash, amount, toLine: 'debtWrittenOff' });
  }
  return postings;
}
