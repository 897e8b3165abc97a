/**
 * Commission of a broker: a share, set by the operator, of the trading fees that the exchange keeps from its
 * sub-accounts. It is paid to the broker's funding wallet with the trade, rounded down; rebates and fees of liquidations
 * earn nothing. A rebate of the other side reduces the fee that the exchange keeps: with a share of the whole fee a
 * broker would earn by trading with itself.
 */

import { type Amount, differenceOf } from '../model/amount.ts';
import type { SetCommission } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { Wallet } from '../model/enums.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { divTrunc, larger, RATE_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { walletCell } from '../state/ledger-lines.ts';
import { post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';

export function setCommission(state: State, command: SetCommission): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  if (account.masterUid !== 0 || command.rate < 0n || command.rate > RATE_ONE) {
    const detail = 'a commission is a share of 0 to 1 for a main account';
    return { ...rejected(RejectReason.invalidSpecification), detail };
  }
  account.commissionRate = command.rate;
  return OK;
}

/**
 * Pays the broker of an account its share of a fee, and tells how much that is. `taken` is what the rebate of the other
 * side has taken of the fee, in its coin.
 */
export function payCommission(
  state: State,
  account: Account,
  coin: number,
  fee: Amount,
  taken: Amount,
): Amount {
  if (fee <= 0 || account.index === account.party) return 0;
  const broker = state.accounts[account.party]!;
  if (broker.commissionRate === 0n) return 0;
  const kept = larger(0n, BigInt(differenceOf(fee, taken)));
  const amount = divTrunc(kept * broker.commissionRate, RATE_ONE);
  if (amount === 0n) return 0;
  post(state, {
    from: state.ledger.cell(SystemAccount.fee, coin, Bucket.cash),
    to: walletCell(state, broker, coin, Wallet.funding),
    amount,
    toLine: 'commission',
    reference: String(account.uid),
  });
  return amount;
}
