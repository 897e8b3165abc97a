/**
 * What every account must own, worked out from the commands and the fills alone: deposits, withdrawals and trades in
 * exact integers, fees by the rates in force (domain.md 4.2, 4.3). It never looks at the exchange's books.
 */
import assert from 'node:assert/strict';
import type { Command } from '../../src/core/command.ts';
import type { Event, FillRecord } from '../../src/core/event.ts';
import type { InstrumentSpec } from '../../src/core/instrument.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { balances, systemBalances } from '../../src/core/reads.ts';
import { Refusal } from '../../src/core/refusal.ts';
import type { State } from '../../src/core/state.ts';
import { Side } from '../../src/core/terms.ts';

const RATE_ONE = 10n ** 12n;

/** A decimal as an integer of 10^-scale. */
function units(text: string, scale: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

export class NaiveLedger {
  private readonly instruments: InstrumentSpec[] = [];
  private readonly coins: string[] = [];
  private readonly owned = new Map<string, bigint>();
  private readonly rates = new Map<string, { makerRate: bigint; takerRate: bigint }>();

  observe(command: Command, outcome: Outcome, events: readonly Event[]): void {
    if (outcome.refusal === Refusal.none) this.learn(command);
    for (const event of events) if (event.type === 'fill') this.settle(event.fill);
  }

  /** Cash and locked money of every user and the fees of the house are what the fills say. */
  compare(state: State, uids: readonly number[]): void {
    for (const uid of uids) {
      for (const { coin, cash, locked } of balances(state, uid)) {
        assert.equal(
          cash + locked,
          this.read(`${uid} ${coin}`),
          `account ${uid} owns of ${this.coins[coin]}`,
        );
      }
    }
    for (const { account, coin, amount } of systemBalances(state)) {
      assert.equal(amount, this.read(`${account} ${coin}`), `${account} owns of ${this.coins[coin]}`);
    }
  }

  private learn(command: Command): void {
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
      case 'deposit':
        this.move('ext', `${command.uid}`, command.coin, command.amount);
        break;
      case 'withdraw':
        this.move(`${command.uid}`, 'ext', command.coin, command.amount);
        break;
    }
  }

  private settle(fill: FillRecord): void {
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
    const rates = this.rates.get(`${fill.uid} ${fill.instrument}`) ?? {
      makerRate: units(spec.makerFeeRate, 12),
      takerRate: units(spec.takerFeeRate, 12),
    };
    const fee = (inAmount * (fill.maker ? rates.makerRate : rates.takerRate)) / RATE_ONE;
    assert.equal(fill.fee, fee);
    assert.equal(fill.feeCoin, inCoin);
    // Each side meets the other through a pot that is empty again after both fills of the trade.
    this.move(`${fill.uid}`, 'pot', outCoin, outAmount);
    this.move('pot', `${fill.uid}`, inCoin, inAmount);
    this.move(`${fill.uid}`, 'sys:fee', inCoin, fee);
    if (fill.maker) {
      assert.equal(this.read(`pot ${base}`), 0n);
      assert.equal(this.read(`pot ${quote}`), 0n);
    }
  }

  private read(name: string): bigint {
    return this.owned.get(name) ?? 0n;
  }

  private move(from: string, to: string, coin: number, amount: bigint): void {
    this.owned.set(`${from} ${coin}`, this.read(`${from} ${coin}`) - amount);
    this.owned.set(`${to} ${coin}`, this.read(`${to} ${coin}`) + amount);
  }
}
