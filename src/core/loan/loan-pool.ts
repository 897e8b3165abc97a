/** The money that loans are made of, brought and taken by the operator, and the rates it is lent at. */
import { isInCustody } from '../margin/custody.ts';
import type { FundLoanPool, SetLoanRate } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { MONEY_MAX } from '../model/limits.ts';
import { loanTermsProblem, RATE_FIELDS } from '../model/loan-terms.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { externalCell } from '../state/ledger-lines.ts';
import { post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';
import { insufficientBalance } from '../wallet/wallet.ts';
import { poolBalance } from './loan-money.ts';

/** A positive amount comes from the outside world, a negative one returns to it; only money that is not lent can. */
export function fundLoanPool(state: State, command: FundLoanPool): CommandResult {
  const { coin, amount } = command;
  const size = amount < 0n ? -amount : amount;
  if (state.coins[coin] === undefined) return rejected(RejectReason.unknownCoin);
  if (size === 0n || size > MONEY_MAX) return rejected(RejectReason.amountOutOfRange);
  // An operator that got no response retries: the retry must not move money twice.
  const reference = `pool ${coin} ${command.reference}`;
  if (state.depositReferences.has(reference)) {
    const detail = `${command.reference} was booked for this pool before`;
    return { ...rejected(RejectReason.alreadyExists), detail };
  }
  const held = poolBalance(state, coin);
  if (held + amount < 0n) return insufficientBalance(coin, held);
  if (amount < 0n && !isInCustody(state, coin, size)) return rejected(RejectReason.custodyTooSmall);
  state.depositReferences.remember(reference);
  const pool = state.ledger.cell(SystemAccount.loanPool, coin, Bucket.cash);
  const external = externalCell(state, coin);
  if (amount > 0n) post(state, { from: external, to: pool, amount });
  else post(state, { from: pool, to: external, amount: size }, amount);
  state.loans.fund(coin, amount);
  return OK;
}

/** New loans of a term, and the hours of flexible ones that begin from now on, have this rate. */
export function setLoanRate(state: State, command: SetLoanRate): CommandResult {
  const spec = state.coins[command.coin];
  if (spec === undefined) return rejected(RejectReason.unknownCoin);
  if (spec.loan === undefined) {
    return { ...rejected(RejectReason.coinNotOffered), detail: `${spec.coin} cannot be borrowed here` };
  }
  const loan = { ...spec.loan, [RATE_FIELDS[command.term]]: command.yearRate };
  const detail = loanTermsProblem(loan);
  if (detail !== undefined) return { ...rejected(RejectReason.invalidSpecification), detail };
  state.coins[command.coin] = { ...spec, loan };
  return OK;
}
