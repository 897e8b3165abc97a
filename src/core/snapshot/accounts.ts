/** Accounts with their positions and settings, and the ledger, in a snapshot. */

import type { ByteReader, ByteWriter } from '../model/bytes.ts';
import type { HoldMode, PosSide, Wallet } from '../model/enums.ts';
import { BUCKETS } from '../model/ledger-accounts.ts';
import { Position } from '../model/position.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

export function saveAccounts(w: ByteWriter, state: State): void {
  w.i32(state.accountByUid.size);
  for (const account of state.accountByUid.values()) {
    w.f64(account.uid);
    w.f64(account.masterUid);
    w.flag(account.marketMaker);
    w.flag(account.house);
    w.f64(account.countdownDeadline);
    w.flag(account.feeDeduction);
    w.money(account.commissionRate);
    const wallets = [...account.depositWallets].sort((a, b) => a[0] - b[0]);
    w.i32(wallets.length);
    for (const [coin, wallet] of wallets) {
      w.i32(coin);
      w.u8(wallet);
    }
    saveFutures(w, account);
    const fees = [...account.fees].sort((a, b) => a[0] - b[0]);
    w.i32(fees.length);
    for (const [instrument, { makerRate, takerRate }] of fees) {
      w.i32(instrument);
      w.money(makerRate);
      w.money(takerRate);
    }
  }
}

export function loadAccounts(r: ByteReader, state: State): void {
  for (let left = r.i32(0); left > 0; left--) {
    const account = state.addAccount(r.f64(0), r.f64(0), r.flag(false), r.flag(false));
    account.countdownDeadline = r.f64(0);
    if (account.countdownDeadline !== 0) state.countdowns.add(account);
    account.feeDeduction = r.flag(false);
    account.commissionRate = r.money(0n);
    for (let left = r.i32(0); left > 0; left--) {
      account.depositWallets.set(r.i32(0), r.u8(0) as Wallet);
    }
    loadFutures(r, state, account);
    for (let fees = r.i32(0); fees > 0; fees--) {
      account.fees.set(r.i32(0), { makerRate: r.money(0n), takerRate: r.money(0n) });
    }
  }
}

function saveFutures(w: ByteWriter, account: Account): void {
  w.u8(account.holdMode);
  w.flag(account.mayOwe);
  w.flag(account.warned);
  const leverages = [...account.coinLeverage].sort((a, b) => a[0] - b[0]);
  w.i32(leverages.length);
  for (const [coin, leverage] of leverages) {
    w.i32(coin);
    w.u16(leverage);
  }
  w.flag(account.liquidating);
  const settings = [...account.futuresSettings].sort((a, b) => a[0] - b[0]);
  w.i32(settings.length);
  for (const [instrument, { isolated, longLeverage, shortLeverage }] of settings) {
    w.i32(instrument);
    w.flag(isolated);
    w.u16(longLeverage);
    w.u16(shortLeverage);
  }
  const positions = [...account.positions.values()].sort((a, b) => a.id - b.id);
  w.i32(positions.length);
  for (const position of positions) {
    w.f64(position.id);
    w.i32(position.instrument);
    w.u8(position.posSide);
    w.flag(position.isolated);
    w.f64(position.createdTime);
    position.fields(w);
  }
}

function loadFutures(r: ByteReader, state: State, account: Account): void {
  account.holdMode = r.u8(0) as HoldMode;
  account.mayOwe = r.flag(false);
  account.warned = r.flag(false);
  for (let left = r.i32(0); left > 0; left--) account.chooseCoinLeverage(r.i32(0), r.u16(0));
  account.liquidating = r.flag(false);
  for (let left = r.i32(0); left > 0; left--) {
    const instrument = r.i32(0);
    const isolated = r.flag(false);
    account.choose(instrument, { isolated, longLeverage: r.u16(0), shortLeverage: r.u16(0) });
  }
  for (let left = r.i32(0); left > 0; left--) {
    const id = r.f64(0);
    const instrument = r.i32(0);
    const posSide = r.u8(0) as PosSide;
    const isolated = r.flag(false);
    const position = new Position(id, account.index, instrument, posSide, isolated, r.f64(0));
    position.fields(r);
    state.addPosition(account, position);
  }
}

export function saveLedger(w: ByteWriter, state: State): void {
  let rows = 0;
  state.ledger.eachRow(() => rows++);
  w.i32(rows);
  state.ledger.eachRow((account, coin, buckets) => {
    w.i32(account);
    w.i32(coin);
    for (const amount of buckets) w.money(amount);
  });
}

export function loadLedger(r: ByteReader, state: State): void {
  for (let rows = r.i32(0); rows > 0; rows--) {
    const account = r.i32(0);
    const coin = r.i32(0);
    state.ledger.restoreRow(
      account,
      coin,
      Array.from({ length: BUCKETS }, () => r.money(0n)),
    );
  }
}
