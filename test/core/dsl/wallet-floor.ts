/** People with names and what they own: deposits, transfers, withdrawals, balances, ledger lines. */
import { DEFAULT_WALLET } from '../../../src/core/model/command.ts';
import type { CommandResult } from '../../../src/core/model/command-result.ts';
import { WALLET_NAMES, Wallet, type WalletName } from '../../../src/core/model/enums.ts';
import type { LedgerLine } from '../../../src/core/model/event.ts';
import { Bucket } from '../../../src/core/model/ledger-accounts.ts';
import * as reads from '../../../src/core/reads/reads.ts';
import { ExchangeFloor } from './exchange-floor.ts';
import {
  money,
  moneyUnits,
  type RefusalName,
  refusalName,
  type WithdrawalInput,
  walletsOf,
} from './words.ts';

export class WalletFloor extends ExchangeFloor {
  private readonly uids = new Map<string, number>();

  trader(
    name: string,
    funds: Readonly<Record<string, string>> = {},
    words: { readonly marketMaker?: boolean; readonly house?: boolean; readonly master?: string } = {},
  ): void {
    const uid = 1001 + this.uids.size;
    this.uids.set(name, uid);
    const { marketMaker = false, house = false, master } = words;
    const masterUid = master === undefined ? 0 : this.uid(master);
    this.carryOut({ type: 'openAccount', time: this.now, uid, masterUid, marketMaker, house });
    for (const [coin, amount] of Object.entries(funds)) this.deposit(name, amount, coin);
  }

  isHere(name: string): boolean {
    return this.uids.has(name);
  }

  uid(name: string): number {
    const uid = this.uids.get(name);
    if (uid === undefined) throw new Error(`nobody here is called ${name}`);
    return uid;
  }

  deposit(name: string, amount: string, coin: string): RefusalName {
    return this.moveMoney('deposit', name, amount, coin);
  }

  /** From now on deposits of the coin arrive in this wallet. */
  chooseDeposits(name: string, coin: string, wallet: Wallet): RefusalName {
    const [uid, index] = [this.uid(name), this.coin(coin)];
    return refusalName(
      this.send({ type: 'setDepositWallet', time: this.now, uid, coin: index, wallet }).rejectReason,
    );
  }

  /** A deposit that goes where its owner wants it. */
  receive(name: string, amount: string, coin: string): void {
    this.carryOut({
      type: 'deposit',
      time: this.now,
      uid: this.uid(name),
      coin: this.coin(coin),
      amount: moneyUnits(amount),
      reference: `receive ${this.log.length}`,
      wallet: DEFAULT_WALLET,
    });
  }

  withdraw(name: string, amount: string, coin: string): RefusalName {
    return this.moveMoney('withdraw', name, amount, coin);
  }

  /** A deposit into the funding wallet. */
  fund(name: string, amount: string, coin: string): void {
    this.carryOut({
      type: 'deposit',
      time: this.now,
      uid: this.uid(name),
      coin: this.coin(coin),
      amount: moneyUnits(amount),
      reference: `fund ${this.log.length}`,
      wallet: Wallet.funding,
    });
  }

  /** `ann spot` is ann's funding wallet, `ann uta` her unified account; the sender asks unless told otherwise. */
  transfer(
    from: string,
    to: string,
    amount: string,
    coin: string,
    words: { readonly by?: string; readonly clientOid?: string } = {},
  ): RefusalName {
    const source = this.wallet(from);
    const target = this.wallet(to);
    return refusalName(
      this.send({
        type: 'transfer',
        time: this.now,
        initiatorUid: words.by === undefined ? source.uid : this.uid(words.by),
        fromUid: source.uid,
        toUid: target.uid,
        fromWallet: source.wallet,
        toWallet: target.wallet,
        coin: this.coin(coin),
        amount: moneyUnits(amount),
        clientOid: words.clientOid ?? '',
      }).rejectReason,
    );
  }

  requestWithdrawal(name: string, amount: string, coin: string, words: WithdrawalInput = {}): CommandResult {
    return this.send({
      type: 'requestWithdrawal',
      time: this.now,
      uid: this.uid(name),
      coin: this.coin(coin),
      amount: moneyUnits(amount),
      fee: moneyUnits(words.fee ?? '0'),
      ...walletsOf(words),
      address: 'somewhere',
      chain: 'CHAIN',
      tag: '',
      clientOid: words.clientOid ?? '',
    });
  }

  /** The owner takes it back, or the operator (nobody) pays or refuses it. */
  endWithdrawal(
    withdrawalId: number,
    words: { readonly by?: string; readonly paid?: boolean } = {},
  ): RefusalName {
    return refusalName(
      this.send({
        type: 'endWithdrawal',
        time: this.now,
        withdrawalId,
        uid: words.by === undefined ? 0 : this.uid(words.by),
        paid: words.paid ?? false,
        reference: words.paid === true ? 'transaction' : 'reason',
      }).rejectReason,
    );
  }

  /** A withdrawal to another account of the venue. */
  pay(from: string, to: string, amount: string, coin: string, words: WithdrawalInput = {}): CommandResult {
    return this.send({
      type: 'internalWithdrawal',
      time: this.now,
      uid: this.uid(from),
      toUid: this.uid(to),
      coin: this.coin(coin),
      amount: moneyUnits(amount),
      ...walletsOf(words),
      clientOid: words.clientOid ?? '',
    });
  }

  funding(name: string, coin: string): string {
    return money(this.bucket(name, coin, Bucket.funding));
  }

  withdrawing(name: string, coin: string): string {
    return money(this.bucket(name, coin, Bucket.withdrawing));
  }

  cash(name: string, coin: string): string {
    return money(this.coinBalance(name, coin)?.cash ?? 0n);
  }

  locked(name: string, coin: string): string {
    return money(this.coinBalance(name, coin)?.locked ?? 0n);
  }

  /** Balance of an account of the house, such as `sys:fee`. */
  house(account: string, coin: string): string {
    const index = this.coin(coin);
    const row = reads
      .systemBalances(this.state)
      .find((line) => line.account === account && line.coin === index);
    return money(row?.amount ?? 0n);
  }

  /** Ledger lines as `kind amount fee coin = balance`, those of the funding wallet with `in spot` behind. */
  lines(name: string): string[] {
    return this.lineRecords(name).map(
      (line) =>
        `${line.kind} ${money(line.amount)} fee ${money(line.fee)} ${this.state.coins[line.coin]!.coin} = ${money(line.balance)}` +
        (line.wallet === Wallet.funding ? ' in spot' : ''),
    );
  }

  /** Deposits and withdrawals as they were told: `kind status amount fee coin`. */
  walletRecords(name: string): string[] {
    const uid = this.uid(name);
    return this.eventsOf('walletRecord')
      .filter((record) => record.uid === uid)
      .map(
        ({ kind, status, amount, fee, coin }) =>
          `${kind} ${status} ${money(amount)} fee ${money(fee)} ${this.state.coins[coin]!.coin}`,
      );
  }

  lineRecords(name: string): LedgerLine[] {
    const uid = this.uid(name);
    return this.eventsOf('ledgerLine').filter((line) => line.uid === uid);
  }

  private moveMoney(type: 'deposit' | 'withdraw', name: string, amount: string, coin: string): RefusalName {
    const units = moneyUnits(amount);
    const uid = this.uid(name);
    const reference = `${type} ${this.log.length}`;
    return refusalName(
      this.send({ type, time: this.now, uid, coin: this.coin(coin), amount: units, reference }).rejectReason,
    );
  }

  private wallet(words: string): { uid: number; wallet: Wallet } {
    const [name, wallet] = words.split(' ');
    return { uid: this.uid(name!), wallet: WALLET_NAMES.indexOf(wallet as WalletName) as Wallet };
  }

  protected bucket(name: string, coin: string, bucket: Bucket): bigint {
    return this.state.ledger.balanceOf(
      this.state.accountByUid.get(this.uid(name))!.index,
      this.coin(coin),
      bucket,
    );
  }

  private coinBalance(name: string, coin: string) {
    const index = this.coin(coin);
    return reads.balances(this.state, this.uid(name)).find((balance) => balance.coin === index);
  }
}
