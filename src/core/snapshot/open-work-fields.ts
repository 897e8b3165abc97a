/** Work that is done in portions and not yet ended (rules 14). */

import { pullOrders } from '../orders/cancel.ts';
import { ContractEnd, type EndStage, type Pending } from '../state/contract-end.ts';
import {
  type FundingDue,
  HourWork,
  type InstantPrices,
  type OpenWork,
  type PullReason,
  type Receipt,
} from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { list, mapByNumber, type StateFields } from './fields.ts';

const SUMS = ['held', 'lacking', 'debts', 'gains', 'shortage', 'shared', 'forMargins', 'forDebts'] as const;

export function openWorkFields(f: StateFields, state: State): void {
  const { delistings, works } = state;
  const read = list(f, delistings, (delisting) => ({
    instrument: f.index(delisting?.instrument ?? 0, state.instruments.length),
    next: f.i32(delisting?.next ?? 0),
  }));
  const open = list<OpenWork>(f, works, (work) => {
    const isHour = f.flag(work instanceof HourWork);
    return isHour
      ? hourFields(f, state, work as HourWork | undefined)
      : endFields(f, state, work as ContractEnd | undefined);
  });
  if (!f.reading) return;
  delistings.push(...read);
  works.push(...open);
  for (const work of open)
    if (work instanceof ContractEnd)
      state.market(state.instruments[work.instrument]!).futures!.holdMarkAt(work.priceTicks);
}

/** The liquidation queue, since the ninth edition (rules 19.1). */
export function dueAccountFields(f: StateFields, { accounts, dueAccounts }: State): void {
  const read = list(f, [...dueAccounts], (known) => f.index(known ?? 0, accounts.length));
  if (f.reading) for (const index of read) dueAccounts.add(index);
}

/** Accounts whose orders are to be cancelled, since the ninth edition (rules 19.4). The books are filled already. */
export function pulledFields(f: StateFields, state: State): void {
  const { accounts, pulled } = state;
  const read = list<[number, PullReason]>(f, [...pulled], (known) => [
    f.index(known?.[0] ?? 0, accounts.length),
    f.u8(known?.[1] ?? 0) as PullReason,
  ]);
  if (!f.reading) return;
  for (const [index, reason] of read) {
    pulled.set(index, reason);
    pullOrders(state, accounts[index]!);
  }
}

/** Checks at the prices of a second that are still to do (rules 18). */
export function priceCheckFields(f: StateFields, state: State): void {
  state.loanChecksPending = f.flag(state.loanChecksPending);
  const round = state.priceCheckRound;
  if (!f.flag(round !== undefined)) return;
  state.priceCheckRound = {
    next: f.i32(round?.next ?? 0),
    until: f.i32(round?.until ?? 0),
    left: f.i32(round?.left ?? 0),
    jump: f.flag(round?.jump ?? false),
  };
}

function endFields(
  f: StateFields,
  { instruments, accounts }: State,
  known: ContractEnd | undefined,
): ContractEnd {
  const time = f.f64(known?.time ?? 0);
  const instrument = f.index(known?.instrument ?? 0, instruments.length);
  const kind = f.u8(known?.kind ?? 0) as ContractEnd['kind'];
  const priceTicks = markField(f, known?.priceTicks ?? 0);
  const until = f.i32(known?.sweep.until ?? 0);
  const work = known ?? new ContractEnd(time, instrument, kind, priceTicks, until);
  work.sweep.next = f.i32(work.sweep.next);
  accountSetFields(f, accounts.length, work.sweep.early);
  work.stage = f.u8(work.stage) as EndStage;
  work.next = f.i32(work.next);
  for (const sum of SUMS) work[sum] = f.money(work[sum]);
  const pending = mapByNumber(f, work.pending, (account, each) => [
    f.index(account, accounts.length),
    pendingFields(f, each),
  ]);
  if (f.reading) for (const [account, each] of pending) work.pending.set(account, each);
  return work;
}

function pendingFields(f: StateFields, known: Pending | undefined): Pending {
  return {
    gains: list(f, known?.gains ?? [], (gain) => ({
      realised: f.money(gain?.realised ?? 0n),
      most: f.money(gain?.most ?? 0n),
    })),
    kept: f.money(known?.kept ?? 0n),
    lacking: f.money(known?.lacking ?? 0n),
    debt: f.money(known?.debt ?? 0n),
    peak: f.money(known?.peak ?? 0n),
    acted: f.flag(known?.acted ?? false),
  };
}

function hourFields(f: StateFields, state: State, known: HourWork | undefined): HourWork {
  const { instruments } = state;
  const accountsEnd = state.accounts.length;
  const time = f.f64(known?.time ?? 0);
  const scope = {
    interest: f.flag(known?.scope.interest ?? false),
    newPeaks: f.flag(known?.scope.newPeaks ?? false),
  };
  const fundings = list(f, known?.fundings ?? [], (funding) => fundingFields(f, instruments.length, funding));
  const prices = priceFields(f, known?.prices);
  const until = f.i32(known?.sweep.until ?? 0);
  const work = known ?? new HourWork(time, fundings, scope, prices, until);
  work.sweep.next = f.i32(work.sweep.next);
  for (const accounts of [work.sweep.early, work.acted]) accountSetFields(f, accountsEnd, accounts);
  const receipts = list(f, [...work.receipts], (entry) => receiptFields(f, state, entry));
  const taken = mapByNumber(f, work.freeTaken, (key, amount) => [f.f64(key), f.money(amount ?? 0n)]);
  if (f.reading) {
    for (const [account, each] of receipts) work.receipts.set(account, each);
    for (const [key, amount] of taken) work.freeTaken.set(key, amount);
  }
  return work;
}

function priceFields(f: StateFields, known: InstantPrices | undefined): InstantPrices {
  return {
    marks: list(f, known?.marks ?? [], (ticks = 0) => markField(f, ticks)),
    coins: list(f, known?.coins ?? [], (price = 0n) => f.money(price)),
  };
}

/** A mark may be above every price that an order can have. Before format 10 such a mark was cut off, as in the state hash. */
function markField(f: StateFields, ticks: number): number {
  return f.format >= 10 ? f.f64(ticks) : f.i32(ticks);
}

function accountSetFields(f: StateFields, end: number, accounts: Set<number>): void {
  const known = [...accounts].sort((a, b) => a - b);
  const read = list(f, known, (account = 0) => f.index(account, end));
  if (f.reading) for (const account of read) accounts.add(account);
}

function fundingFields(f: StateFields, end: number, known: FundingDue | undefined): FundingDue {
  return {
    instrument: f.index(known?.instrument ?? 0, end),
    rate: f.money(known?.rate ?? 0n),
    markTicks: markField(f, known?.markTicks ?? 0),
    coinPrice: f.money(known?.coinPrice ?? 0n),
    collected: f.money(known?.collected ?? 0n),
    due: f.money(known?.due ?? 0n),
    paid: f.money(known?.paid ?? 0n),
  };
}

/** In the order in which they are paid. */
function receiptFields(
  f: StateFields,
  { accounts, instruments }: State,
  known: [number, readonly Receipt[]] | undefined,
): [number, readonly Receipt[]] {
  const account = f.index(known?.[0] ?? 0, accounts.length);
  const receipts = list(f, known?.[1] ?? [], (receipt) => ({
    instrument: f.index(receipt?.instrument ?? 0, instruments.length),
    positionKey: f.f64(receipt?.positionKey ?? 0),
    positionId: f.f64(receipt?.positionId ?? 0),
    due: f.money(receipt?.due ?? 0n),
  }));
  return [account, receipts];
}
