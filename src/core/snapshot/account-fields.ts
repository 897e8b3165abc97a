/** Accounts with their positions and settings, and the ledger. */

import type { HoldMode, PosSide, Wallet } from '../model/enums.ts';
import { BUCKETS, FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import { Position } from '../model/position.ts';
import { POSITION_NUMBERS } from '../model/position-numbers.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { list, mapByNumber, type StateFields } from './fields.ts';

export function accountFields(f: StateFields, state: State): void {
  list(f, [...state.accountByUid.values()], (known) => {
    const uid = f.uid(known?.uid ?? 0);
    const masterUid = f.uid(known?.masterUid ?? 0);
    const marketMaker = f.flag(known?.marketMaker ?? false);
    const house = f.flag(known?.house ?? false);
    const account = known ?? state.addAccount(uid, masterUid, marketMaker, house);
    account.countdownDeadline = f.f64(account.countdownDeadline);
    if (f.reading && account.countdownDeadline !== 0)
      state.countdowns.set(account.index, account.countdownDeadline);
    account.feeDeduction = f.flag(account.feeDeduction);
    account.commissionRate = f.money(account.commissionRate);
    const wallets = mapByNumber(f, account.depositWallets, (coin, wallet) => [
      f.index(coin, state.coins.length),
      f.u8(wallet ?? 0) as Wallet,
    ]);
    if (f.reading) for (const [coin, wallet] of wallets) account.chooseDepositWallet(coin, wallet);
    futuresFields(f, state, account);
    const fees = mapByNumber(f, account.fees, (instrument, rates) => [
      f.index(instrument, state.instruments.length),
      { makerRate: f.money(rates?.makerRate ?? 0n), takerRate: f.money(rates?.takerRate ?? 0n) },
    ]);
    if (f.reading) for (const [instrument, rates] of fees) account.setFees(instrument, rates);
    if (account.fees.size > 0) state.accountsWithFees.add(account);
    return account;
  });
}

function futuresFields(f: StateFields, state: State, account: Account): void {
  account.holdMode = f.u8(account.holdMode) as HoldMode;
  account.cashCanBeNegative = f.flag(account.cashCanBeNegative);
  account.warned = f.flag(account.warned);
  const leverages = mapByNumber(f, account.coinLeverage, (coin, leverage) => [
    f.index(coin, state.coins.length),
    f.u16(leverage ?? 0),
  ]);
  if (f.reading) for (const [coin, leverage] of leverages) account.chooseCoinLeverage(coin, leverage);
  account.liquidating = f.flag(account.liquidating);
  const settings = mapByNumber(f, account.futuresSettings, (instrument, setting) => [
    f.index(instrument, state.instruments.length),
    {
      isolated: f.flag(setting?.isolated ?? false),
      longLeverage: f.u16(setting?.longLeverage ?? 0),
      shortLeverage: f.u16(setting?.shortLeverage ?? 0),
    },
  ]);
  if (f.reading) for (const [instrument, setting] of settings) account.setFuturesSetting(instrument, setting);
  const positions = [...account.positions.values()].sort((a, b) => a.id - b.id);
  list(f, positions, (known) => positionFields(f, state, account, known));
}

function positionFields(
  f: StateFields,
  state: State,
  account: Account,
  known: Position | undefined,
): Position {
  const id = f.f64(known?.id ?? 0);
  const instrument = f.index(known?.instrument ?? 0, state.instruments.length);
  const posSide = f.u8(known?.posSide ?? 0) as PosSide;
  const isolated = f.flag(known?.isolated ?? false);
  const createdTime = f.f64(known?.createdTime ?? 0);
  const open = () => {
    const block = state.positionBlocks.take(POSITION_NUMBERS);
    return new Position(id, account.index, instrument, posSide, isolated, createdTime, block);
  };
  const position = known ?? open();
  position.fields(f);
  if (f.reading) state.addPosition(account, position);
  return position;
}

interface Row {
  readonly account: number;
  readonly coin: number;
  readonly buckets: readonly bigint[];
}

const NO_BUCKETS: readonly bigint[] = Array.from({ length: BUCKETS }, () => 0n);

export function ledgerFields(f: StateFields, { ledger, accounts, coins }: State): void {
  // Those of the exchange are there before any user.
  const end = Math.max(accounts.length, FIRST_USER_ACCOUNT);
  const known: Row[] = [];
  ledger.eachRow((account, coin, buckets) => known.push({ account, coin, buckets }));
  const rows = list<Row>(f, known, (row) => ({
    account: f.index(row?.account ?? 0, end),
    coin: f.index(row?.coin ?? 0, coins.length),
    buckets: (row?.buckets ?? NO_BUCKETS).map((amount) => f.money(amount)),
  }));
  if (f.reading) for (const { account, coin, buckets } of rows) ledger.restoreRow(account, coin, buckets);
}
