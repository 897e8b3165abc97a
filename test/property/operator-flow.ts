/** What an operator does beside any random trading: funds, write-offs, brokers, makers, limits, the later editions. */
import { NIL } from '../../src/core/book/order-slab.ts';
import { fundBalance } from '../../src/core/margin/insurance-fund.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { State } from '../../src/core/state/state.ts';
import { Rng, UIDS } from './futures-flow.ts';

const ONE = 10n ** 8n;
/** Of all commands. */
const SHARE = 0.06;
/** The command before which the third edition begins: until then coin-margined contracts trade whatever the feeds say. */
const THIRD_AT = 500;

/** Of the operator's commands: those that take from the house what it may lack of AAA, so that its contracts only close. */
const NO_ALLOWANCE = 0.2;
const AAA = 2;

interface Flow {
  next(): Command;
}

export class OperatorFlow {
  private readonly dice: Rng;
  private readonly flow: Flow;
  private readonly state: State;
  /** The command before which the rules change; those of the flow before it are decided by the first edition. */
  private readonly changeAt: number;
  private readonly edition: number;
  private count = 0;
  /** No command goes back in time. */
  private time = 0;

  /** Every second venue is of the second edition from the start, the others change within these commands. */
  constructor(seed: number, state: State, flow: Flow, within = 200, edition = 3) {
    this.edition = edition;
    this.dice = new Rng(seed * 15_485_863);
    this.flow = flow;
    this.state = state;
    this.changeAt = seed % 2 === 0 ? 0 : this.dice.below(within);
  }

  next(): Command {
    const at = this.count++;
    if (at === this.changeAt)
      return { type: 'setEdition', time: this.state.now, edition: this.edition > 3 ? this.edition : 2 };
    if (at === THIRD_AT) return { type: 'setEdition', time: this.state.now, edition: this.edition };
    if (this.dice.chance(SHARE)) return this.act();
    const command = this.flow.next();
    this.time = Math.max(this.time, command.time);
    return command;
  }

  private endAllowance(time: number): Command {
    const amount = -fundBalance(this.state, AAA);
    if (amount !== 0n && this.state.coins[AAA]!.houseShortUsd === '0')
      return {
        type: 'fundInsurance',
        time,
        coin: AAA,
        lending: false,
        amount,
        reference: String(this.count),
      };
    return {
      type: 'setCoinLimits',
      time,
      coin: AAA,
      houseShortUsd: '0',
      lendShare: '',
      insuranceFloor: '0',
    };
  }

  private act(): Command {
    const { dice, state } = this;
    const time = Math.max(this.time, state.now);
    const uid = dice.pick(UIDS);
    const coin = dice.pick([0, 0, 2, 3]);
    if (dice.chance(NO_ALLOWANCE)) return this.endAllowance(time);
    const roll = dice.next();
    if (roll < 0.45) {
      // The fund of contracts gets no AAA, so that the house lacks some now and then.
      const lending = coin === 2 || dice.chance(0.4);
      const amount = (BigInt(dice.below(coin === 0 ? 400 : 8) - (coin === 0 ? 100 : 2)) * ONE) / 2n;
      return { type: 'fundInsurance', time, coin, lending, amount, reference: String(this.count) };
    }
    if (roll < 0.7) {
      const debtors = [...state.ledger.accountsInDebt()].map((index) => state.accounts[index]!);
      const bare = debtors.filter(({ positions }) => positions.size === 0);
      const owner = dice.pick([state.accountByUid.get(uid)!, ...debtors, ...bare, ...bare, ...bare]);
      // Open orders stand in the way of a write-off.
      const waits = owner.firstOrder !== NIL && dice.chance(0.8);
      return { type: waits ? 'cancelEverything' : 'writeOffDebt', time, uid: owner.uid };
    }
    if (roll < 0.78) return { type: 'setBroker', time, uid, broker: dice.chance(0.5) };
    if (roll < 0.9) return { type: 'setMarketMaker', time, uid, marketMaker: dice.chance(0.6) };
    if (roll < 0.93) return { type: 'forceFunding', time, instrument: dice.below(state.instruments.length) };
    return {
      type: 'setCoinLimits',
      time,
      coin,
      houseShortUsd: dice.pick(['', '0', '0', '0', '5', '10000']),
      lendShare: state.coins[coin]!.borrow === undefined ? '' : dice.pick(['', '0.2', '0.5', '1']),
      insuranceFloor: dice.pick(['', '', '0', '3']),
    };
  }
}
