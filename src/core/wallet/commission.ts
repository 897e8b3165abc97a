/**
 * What a broker earns: a share of the trading fees that its sub-accounts pay, which the operator sets. It leaves the
 * house for the broker's funding wallet in the moment of the trade, rounded down; rebates and the fees of liquidations
 * earn nothing.
 */
import type { Account } from '../account.ts';
import type { SetCommission } from '../command.ts';
import { Bucket, SystemAccount } from '../ledger.ts';
import { DONE, type Outcome, refused } from '../outcome.ts';
import { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { Wallet } from '../terms.ts';
import { divTrunc, RATE_ONE } from '../units.ts';
import { emitLine, foldMoney, walletCell } from './wallet.ts';

export function setCommission(state: State, command: SetCommission): Outcome {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return refused(Refusal.unknownAccount);
  if (account.masterUid !== 0 || command.rate < 0n || command.rate > RATE_ONE) {
    const detail = 'a commission is a share of 0 to 1 for a main account';
    return { ...refused(Refusal.invalidSpecification), detail };
  }
  account.commissionRate = command.rate;
  return DONE;
}

/** What a fee that the account has paid earns its broker. */
export function commissionOf(state: State, account: Account, fee: bigint): bigint {
  if (fee <= 0n || account.index === account.party) return 0n;
  const { commissionRate } = state.accounts[account.party]!;
  return commissionRate === 0n ? 0n : divTrunc(fee * commissionRate, RATE_ONE);
}

export function payCommission(state: State, account: Account, coin: number, fee: bigint): void {
  const amount = commissionOf(state, account, fee);
  if (amount === 0n) return;
  const broker = state.accounts[account.party]!;
  const house = state.ledger.cell(SystemAccount.fee, coin, Bucket.cash);
  state.ledger.move(house, walletCell(state, broker, coin, Wallet.funding), amount);
  foldMoney(state, amount);
  emitLine(state, broker, Wallet.funding, coin, 'commission', amount, String(account.uid));
}
