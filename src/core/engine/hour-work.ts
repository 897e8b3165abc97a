/**
 * Funding and interest of a full hour, account by account (rules 14.3), and funding of one perpetual by command. Rates, marks
 * and coin prices are those of the instant, kept with the work, because prices go on meanwhile. Each account is settled once,
 * by the position and the debt that it has at the instant: in its turn, or before it acts. Payers pay into `sys:settling`;
 * when the last has paid, it is known what receivers get.
 */

import { chargeAccount } from '../borrowing/interest.ts';
import {
  dueToReceive,
  emitFundingSettled,
  type FundingTerms,
  fixFunding,
  fundingTerms,
  isPayer,
  payFunding,
  receiveFunding,
  shareOf,
} from '../futures/funding.ts';
import { presentPrices } from '../margin/present-prices.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import { positionKey } from '../model/position.ts';
import type { Account } from '../state/account.ts';
import { post } from '../state/ledger-postings.ts';
import type { Market } from '../state/market.ts';
import { type FundingDue, type HourScope, HourWork, type Receipt } from '../state/open-work.ts';
import type { State } from '../state/state.ts';

/** What it costs of a portion, whose unit is the cancelling of an order: a look at an account, a charge, a payment. */
const LOOK = 1 / 8;
const CHARGE = 4;
export const PAYMENT = 2;

/** Fixes what the hour goes by. `markets` are those whose funding is due. */
export function openHour(state: State, markets: readonly Market[], interest: boolean): HourWork {
  const fundings = markets.map((market) => dueBy(fixFunding(state, market)));
  return workOf(state, fundings, { interest, newPeaks: true });
}

/** Funding of one perpetual between the hours, by command (rules 5.10). The largest debts of the hour go on. */
export function openFunding(state: State, market: Market): HourWork {
  return workOf(state, [dueBy(fundingTerms(state, market))], { interest: false, newPeaks: false });
}

function workOf(state: State, fundings: readonly FundingDue[], scope: HourScope): HourWork {
  return new HourWork(state.now, fundings, scope, presentPrices(state), state.accounts.length);
}

function dueBy(terms: FundingTerms): FundingDue {
  return { ...terms, collected: 0n, due: 0n, paid: 0n };
}

/** Interest, then funding: a debt that funding makes bears interest from the next hour on. Returns what it cost of a portion. */
export function settleHour(state: State, work: HourWork, account: Account): number {
  if (!account.cashCanBeNegative) return 0;
  const charges = work.scope.interest ? chargeAccount(state, account, work.prices, work.freeTaken) : 0;
  const payments = settleFundings(state, work, account);
  if (work.scope.newPeaks) state.ledger.restartPeaks(account.index);
  return LOOK + CHARGE * charges + PAYMENT * payments;
}

function settleFundings(state: State, { fundings, receipts }: HourWork, account: Account): number {
  if (fundings.length === 0 || account.positions.size === 0) return 0;
  const receives: Receipt[] = [];
  let payments = 0;
  for (const position of account.positions.values()) {
    const funding = fundings.find(({ instrument }) => instrument === position.instrument);
    if (funding === undefined || funding.rate === 0n) continue;
    if (isPayer(funding, position)) {
      funding.collected += payFunding(state, funding, { account, position }, SystemAccount.settling);
      payments++;
      continue;
    }
    const due = dueToReceive(state, funding, position);
    funding.due += due;
    const { instrument, posSide, id: positionId } = position;
    receives.push({ instrument, positionKey: positionKey(instrument, posSide), positionId, due });
  }
  if (payments > 0) state.markDirty(account);
  if (receives.length > 0) receipts.set(account.index, receives);
  return payments;
}

/** Every payer has paid: the account gets its share. */
export function payReceipts(state: State, work: HourWork, account: Account): void {
  const receipts = work.receipts.get(account.index)!;
  work.receipts.delete(account.index);
  for (const receipt of receipts) {
    const funding = work.fundings.find(({ instrument }) => instrument === receipt.instrument)!;
    const held = account.positions.get(receipt.positionKey);
    const { positionId } = receipt;
    const position = held?.id === positionId ? held : undefined;
    const amount = shareOf(receipt.due, funding.collected, funding.due);
    funding.paid += amount;
    receiveFunding(state, funding, account, positionId, position, { amount, pot: SystemAccount.settling });
  }
  // Who has acted since owes from the hour on what it has owed between.
  if (work.scope.newPeaks && !work.acted.has(account.index)) state.ledger.restartPeaks(account.index);
  state.markDirty(account);
}

/** All accounts are settled: the rest of the collected amounts goes to the fund. */
export function closeHour(state: State, { fundings, time }: HourWork): void {
  for (const funding of fundings) {
    const rest = funding.collected - funding.paid;
    passToFund(state, funding, rest);
    emitFundingSettled(state, funding, rest, time);
  }
}

function passToFund(state: State, { instrument }: FundingDue, amount: bigint): void {
  const { ledger } = state;
  const coin = state.instruments[instrument]!.futures!.settle;
  const from = ledger.cell(SystemAccount.settling, coin, Bucket.cash);
  const to = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  if (amount > 0n) post(state, { from, to, amount });
}
