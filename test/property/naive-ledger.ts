/**
 * What every account must own, worked out from the commands and the fills alone: deposits, withdrawals and trades in
 * exact integers, fees by the rates and the edition in force (rules 4.2, 4.3, 13.10). It never looks at the exchange's books.
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

/** What a side pays, and what of it is given to the other. */
interface Fee {
  readonly fee: bigint;
  readonly taken: bigint;
}

/** Below 10^-6 of the coin rounded up, else cut off. */
function charged(amount: bigint, rate: bigint): bigint {
  const exact = amount * rate;
  return exact < 100n * RATE_ONE ? (exact + RATE_ONE - 1n) / RATE_ONE : exact / RATE_ONE;
}

function walletName(uid: number, wallet: Wallet): string {
  return wallet === Wallet.funding ? `${uid} funding` : `${uid}`;
}

export class NaiveLedger {
  private edition = 1;
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
      case 'setBroker':
        // Who is none any more earns no commission.
        if (!command.broker) this.shares.delete(command.uid);
        break;
      case 'setEdition':
        this.edition = command.edition;
        break;
      case 'fundInsurance':
        this.move('ext', `sys:insurance${command.lending ? '-lending' : ''}`, command.coin, command.amount);
        break;
      case 'writeOffDebt':
        assert.fail('nobody can owe anything here');
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
      case 'internalWithdrawal': {
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
    const trade = { base: received, quote: value };
    const { fee, taken } =
      this.edition < 2 ? this.plainFee(fill, other, inAmount) : this.flooredFee(fill, other, trade);
    assert.equal(fill.fee, fee);
    assert.equal(fill.feeCoin, inCoin);
    // Each side meets the other through a pot that is empty again after both fills of the trade.
    this.move(`${fill.uid}`, 'pot', outCoin, outAmount);
    this.move('pot', `${fill.uid}`, inCoin, inAmount);
    this.move(`${fill.uid}`, 'sys:fee', inCoin, fee);
    const broker = this.mains.get(fill.uid) ?? 0;
    const kept = fee > taken ? fee - taken : 0n;
    const share = (kept * (this.shares.get(broker) ?? 0n)) / RATE_ONE;
    assert.equal(fill.commission, share);
    this.move('sys:fee', `${broker} funding`, inCoin, share);
    if (fill.maker) {
      assert.equal(this.read(`pot ${base}`), 0n);
      assert.equal(this.read(`pot ${quote}`), 0n);
    }
  }

  /** Whatever the rates say; `taken` is what the other side is given of it, a part of a unit more at most. */
  private plainFee(fill: FillRecord, other: FillRecord, amount: bigint): Fee {
    const rebate = this.rateOf(other) < 0n ? -(amount * this.rateOf(other) - RATE_ONE + 1n) / RATE_ONE : 0n;
    return { fee: (amount * this.rateOf(fill)) / RATE_ONE, taken: rebate };
  }

  /** No taker is paid, a rebate is no more than the taker's fee is worth at the price, small fees are rounded up. */
  private flooredFee(fill: FillRecord, other: FillRecord, trade: { base: bigint; quote: bigint }): Fee {
    const [taker, maker] = fill.maker ? [other, fill] : [fill, other];
    const [takerGets, makerGets] =
      taker.side === Side.buy ? [trade.base, trade.quote] : [trade.quote, trade.base];
    const takerRate = this.rateOf(taker);
    const takerFee = charged(takerGets, takerRate < 0n ? 0n : takerRate);
    const makerRate = this.rateOf(maker);
    if (makerRate >= 0n) return { fee: fill.maker ? charged(makerGets, makerRate) : takerFee, taken: 0n };
    const wanted = (makerGets * -makerRate) / RATE_ONE;
    const most = (takerFee * makerGets) / takerGets;
    const rebate = wanted < most ? wanted : most;
    if (fill.maker) return { fee: -rebate, taken: 0n };
    return { fee: takerFee, taken: (rebate * takerGets + makerGets - 1n) / makerGets };
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
