/**
 * Manoeuvres that have robbed venues, with random numbers: chance alone would not put their five to ten steps in a row. Each
 * runs as written or disturbed by random commands in between (`families-run.ts`), so that what is found need not be what was
 * thought of. The first are the runs behind R1 to R10 and R2 (f) of rules 13; the others circle what the rules left.
 */

import { randomAct, strangerAct } from './families-acts.ts';
import type { Ground, Steps } from './families-ground.ts';
import { silenced } from './families-hands.ts';
import * as coins from './families-schemes-coins.ts';
import * as contracts from './families-schemes-contracts.ts';
import * as wallets from './families-schemes-wallets.ts';
import { COIN } from './families-venue.ts';

export type Scheme = (ground: Ground) => Steps;

/** A quiet hour for random commands, among small moves that are told late. */
function* anything(ground: Ground): Steps {
  const { dice } = ground;
  for (let n = 20 + dice.below(80); n > 0; n--) {
    if (dice.chance(0.12)) yield strangerAct(ground);
    else yield randomAct(ground);
    const roll = dice.next();
    if (roll < 0.05)
      yield* ground.move([[dice.pick([COIN.btc, COIN.btc, COIN.eth]), 0.985 + 0.03 * dice.next()]]);
    else if (roll < 0.08)
      yield {
        outside: [
          { coin: COIN.btc, price: ground.world.prices[COIN.btc]! * (0.9998 + 0.0004 * dice.next()) },
        ],
      };
    else if (roll < 0.16) yield* ground.seconds(1);
    else if (roll < 0.17) yield* ground.pause(dice.pick([20_000, 300_000]));
    else if (roll < 0.172) yield* ground.loseVoice(dice.below(2));
    else if (roll < 0.18) yield* ground.speak();
  }
}

/** A jump while the venue hears nothing, then random commands. */
function* anythingInSilence(ground: Ground): Steps {
  const { dice } = ground;
  for (let n = 0; n < 15; n++) yield randomAct(ground);
  const coin = dice.pick([COIN.btc, COIN.eth, COIN.usdt, COIN.usdc]);
  const dollar = coin === COIN.usdt || coin === COIN.usdc;
  const factor = dollar ? 0.95 + 0.06 * dice.next() : 0.85 + 0.3 * dice.next();
  yield* ground.silence(silenced(ground), [[coin, factor]]);
  for (let n = 0; n < 25; n++) {
    yield randomAct(ground);
    if (dice.chance(0.1)) yield* ground.seconds(1);
  }
  yield* ground.speak();
}

/** By name; the place in the list is what a seed draws. Seeds that tests repeat were found with these. */
const UNTIL_SIXTH_EDITION: Readonly<Record<string, Scheme>> = {
  restThenJump: contracts.restThenJump,
  restBorrowedThenJump: coins.restBorrowedThenJump,
  rollCoins: contracts.rollCoins,
  pickInSilence: contracts.pickInSilence,
  depegAndRepay: coins.depegAndRepay,
  lonelyMark: contracts.lonelyMark,
  borrowSellWithdraw: coins.borrowSellWithdraw,
  repayInSilence: coins.repayInSilence,
  loanInSilence: coins.loanInSilence,
  liquidatedIntoOwn: contracts.liquidatedIntoOwn,
  fundingSqueeze: contracts.fundingSqueeze,
  smallTiers: contracts.smallTiers,
  wash: coins.wash,
  debtBetweenHours: coins.debtBetweenHours,
  badClose: contracts.badClose,
  marketIntoFriend: contracts.marketIntoFriend,
  straddle: contracts.straddle,
  moveRound: contracts.moveRound,
  collateralGift: coins.collateralGift,
  borrowInSilence: coins.borrowInSilence,
  voicesReturn: coins.voicesReturn,
  towardsDelivery: contracts.towardsDelivery,
  anything,
  anythingInSilence,
};

export const SCHEMES_UNTIL_SIXTH_EDITION: readonly string[] = Object.keys(UNTIL_SIXTH_EDITION);

const OF_RULES_16_1: Readonly<Record<string, Scheme>> = {
  ...UNTIL_SIXTH_EDITION,
  emptyInSilence: wallets.emptyInSilence,
  emptyBesideIsolated: wallets.emptyBesideIsolated,
};

export const SCHEMES_OF_RULES_16_1: readonly string[] = Object.keys(OF_RULES_16_1);

const OF_RULES_16: Readonly<Record<string, Scheme>> = {
  ...OF_RULES_16_1,
  loseBesideWallet: wallets.loseBesideWallet,
};

export const SCHEMES_OF_RULES_16: readonly string[] = Object.keys(OF_RULES_16);

const OF_RULES_17_1: Readonly<Record<string, Scheme>> = {
  ...OF_RULES_16,
  loseBesidePledge: wallets.loseBesidePledge,
  loseBesideOrder: wallets.loseBesideOrder,
};

export const SCHEMES_OF_RULES_17_1: readonly string[] = Object.keys(OF_RULES_17_1);

const OF_RULES_17: Readonly<Record<string, Scheme>> = {
  ...OF_RULES_17_1,
  loseBesideGain: wallets.loseBesideGain,
};

export const SCHEMES_OF_RULES_17: readonly string[] = Object.keys(OF_RULES_17);

export const SCHEMES: Readonly<Record<string, Scheme>> = OF_RULES_17;
