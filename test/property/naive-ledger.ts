/**
 * What every account must own, worked out from the commands and the fills alone: deposits, withdrawals and trades in
 * exact integers, fees by the rates in force (rules 4.2, 4.3). It never looks at the exchange's books.
 */
import assert from 'node:assert/strict';
import {
  type Command,
  DEFAULT_WALLET,
  type EndWithdrawal,
  type InternalWithdrawal,
  type RequestWithdrawal,
} from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { Side, Wallet } from '../../src/core/model/enums.ts';
import type { Event, FillRecord } from '../../src/core/model/event.ts';
import type { InstrumentSpec } from '../../src/core/model/listing-spec.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { balances, systemBalances } from '../../src/core/reads/reads.ts';
import type { State } from '../../src/core/state/state.ts';

const RATE_ONE = 10n ** 12n;

/** A decimal as an integer of 10^-scale. */
function units(text: string, scale: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

interface Held extends Pick<RequestWithdrawal, 'uid' | 'coin' | 'amount' | 'fee'> {
  readonly fromFunding: bigint;
}

function walletName(uid: number, wallet: Wallet): string {
  return wallet === Wallet.funding ? `${uid} funding` : `${uid}`;
}

export class NaiveLedger {
  private readonly held = new Map<number, Held>();
  private readonly instruments: InstrumentSpec[] = [];
  private readonly coins: string[] = [];
  private readonly owned = new Map<string, bigint>();
  private readonly mains = new Map<number, number>();
  private readonly shares = new Map<number, bigint>();
  private readonly arrivals = new Map<string, Wallet>();
  private readonly rates = new Map<string, { makerRate: bigint; takerRate: bigint }>();

  observe(command: Command, outcome: CommandResult, events: readonly Event[]): void {
    if (outcome.rejectReason === RejectReason.none) this.learn(command, outcome);
    const fills = events.flatMap((event) => (event.type === 'fill' ? [event.fill] : []));
    for (const fill of fills) {
      const other = fills.find(
        ({ execLinkId, maker }) => execLinkId === fill.execLinkId && maker !== fill.maker,
      );
      this.settle(fill, other!);
    }
  }

  /** Both wallets of every user and the fees of the house are what the fills and the movements say. */
  compare(state: State, uids: readonly number[]): void {
    for (const uid of uids) {
      for (const { coin, cash, locked, funding } of balances(state, uid)) {
        const name = `account ${uid} owns of ${this.coins[coin]}`;
        assert.equal(cash + locked, this.read(`${uid} ${coin}`), name);
        assert.equal(funding, this.read(`${uid} funding ${coin}`), `${name} in its funding wallet`);
      }
    }
    for (const { account, coin, amount } of systemBalances(state)) {
      assert.equal(amount, this.read(`${account} ${coin}`), `${account} owns of ${this.coins[coin]}`);
    }
  }

  private learn(command: Command, { orderId }: CommandResult): void {
    switch (command.type) {
      case 'listCoin':
        this.coins.push(command.spec.coin);
        break;
      case 'listInstrument':
        this.instruments.push(command.spec);
        break;
      case 'setFees':
        this.rates.set(`${command.uid} ${command.instrument}`, command);
        break;
      case 'openAccount':
        if (command.masterUid !== 0) this.mains.set(command.uid, command.masterUid);
        break;
      case 'setCommission':
        this.shares.set(command.uid, command.rate);
        break;
      case 'setDepositWallet':
        this.arrivals.set(`${command.uid} ${command.coin}`, command.wallet);
        break;
      case 'deposit': {
        const { uid, coin, wallet = Wallet.unified } = command;
        const chosen = this.arrivals.get(`${uid} ${coin}`) ?? Wallet.unified;
        this.move('ext', walletName(uid, wallet === DEFAULT_WALLET ? chosen : wallet), coin, command.amount);
        break;
      }
      case 'withdraw':
        this.move(`${command.uid}`, 'ext', command.coin, command.amount);
        break;
      case 'transfer':
        this.move(
          walletName(command.fromUid, command.fromWallet),
          walletName(command.toUid, command.toWallet),
          command.coin,
          command.amount,
        );
        break;
      case 'innerWithdrawal': {
        const { toUid, coin } = command;
        this.pay(command, walletName(toUid, this.arrivals.get(`${toUid} ${coin}`) ?? Wallet.funding));
        break;
      }
      case 'requestWithdrawal':
        this.held.set(orderId, { ...command, fromFunding: this.pay(command, `held ${orderId}`) });
        break;
      case 'endWithdrawal':
        this.release(command);
        break;
    }
  }

  /** Funding first; returns what it paid. */
  private pay(command: InternalWithdrawal | RequestWithdrawal, to: string): bigint {
    const { uid, coin, amount } = command;
    const inFunding = command.fromFunding ? this.read(`${uid} funding ${coin}`) : 0n;
    const rest = inFunding < amount ? amount - inFunding : 0n;
    this.move(`${uid} funding`, to, coin, amount - rest);
    this.move(`${uid}`, to, coin, rest);
    return amount - rest;
  }

  private release({ withdrawalId, paid }: EndWithdrawal): void {
    const { uid, coin, amount, fee, fromFunding } = this.held.get(withdrawalId)!;
    this.held.delete(withdrawalId);
    const from = `held ${withdrawalId}`;
    if (paid) {
      this.move(from, 'ext', coin, amount - fee);
      this.move(from, 'sys:fee', coin, fee);
    } else {
      this.move(from, `${uid} funding`, coin, fromFunding);
      this.move(from, `${uid}`, coin, amount - fromFunding);
    }
  }

  private settle(fill: FillRecord, other: FillRecord): void {
    const spec = this.instruments[fill.instrument]!;
    const base = this.coins.indexOf(spec.baseCoin);
    const quote = this.coins.indexOf(spec.quoteCoin);
    const lotScale = 8n - BigInt(spec.quantityPrecision);
    const received = BigInt(fill.sizeLots) * 10n ** lotScale;
    const value =
      BigInt(fill.priceTicks) * BigInt(fill.sizeLots) * 10n ** (lotScale - BigInt(spec.pricePrecision));
    assert.equal(fill.value, value);
    const buys = fill.side === Side.buy;
    const [inCoin, inAmount, outCoin, outAmount] = buys
      ? [base, received, quote, value]
      : [quote, value, base, received];
    const fee = (inAmount * this.rateOf(fill)) / RATE_ONE;
    assert.equal(fill.fee, fee);
    assert.equal(fill.feeCoin, inCoin);
    // Each side meets the other through a pot that is empty again after both fills of the trade.
    this.move(`${fill.uid}`, 'pot', outCoin, outAmount);
    this.move('pot', `${fill.uid}`, inCoin, inAmount);
    this.move(`${fill.uid}`, 'sys:fee', inCoin, fee);
    const broker = this.mains.get(fill.uid) ?? 0;
    // What the other side is given, in the coin of this fee; a part of a unit more at most.
    const rebate = this.rateOf(other) < 0n ? -(inAmount * this.rateOf(other) - RATE_ONE + 1n) / RATE_ONE : 0n;
    const kept = fee > rebate ? fee - rebate : 0n;
    const share = (kept * (this.shares.get(broker) ?? 0n)) / RATE_ONE;
    assert.equal(fill.commission, share);
    this.move('sys:fee', `${broker} funding`, inCoin, share);
    if (fill.maker) {
      assert.equal(this.read(`pot ${base}`), 0n);
      assert.equal(this.read(`pot ${quote}`), 0n);
    }
  }

  private rateOf({ uid, instrument, maker }: FillRecord): bigint {
    const { makerFeeRate, takerFeeRate } = this.instruments[instrument]!;
    const own = this.rates.get(`${uid} ${instrument}`);
    return maker ? (own?.makerRate ?? units(makerFeeRate, 12)) : (own?.takerRate ?? units(takerFeeRate, 12));
  }

  private read(name: string): bigint {
    return this.owned.get(name) ?? 0n;
  }

  private move(from: string, to: string, coin: number, amount: bigint): void {
    this.owned.set(`${from} ${coin}`, this.read(`${from} ${coin}`) - amount);
    this.owned.set(`${to} ${coin}`, this.read(`${to} ${coin}`) + amount);
  }
}
