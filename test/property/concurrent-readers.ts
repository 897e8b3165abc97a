/**
 * One run of commands on several exchanges at once: one that nobody looks into, one that somebody asks at random between
 * commands, one whose every account is asked after each command, one that is restarted now and then. Figures that are
 * kept between commands become exact when they are asked for; whoever looks must not decide what happens (I40).
 */
import assert from 'node:assert/strict';
import { NIL } from '../../src/core/book/order-slab.ts';
import { decodeCommand, encodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { isDue } from '../../src/core/liquidation/liquidation-check.ts';
import { spendable } from '../../src/core/margin/available-balance.ts';
import { accountRisk, currentMargin } from '../../src/core/margin/margin-cache.ts';
import { maxSpendable } from '../../src/core/margin/spending-check.ts';
import { CANDLE_INTERVALS } from '../../src/core/model/candle-interval.ts';
import type { Command } from '../../src/core/model/command.ts';
import { Side, Wallet } from '../../src/core/model/enums.ts';
import { LoanTerm } from '../../src/core/model/loan-terms.ts';
import { loanData, paymentCoins, poolLeft, repayableCoins } from '../../src/core/reads/borrowing-reads.ts';
import { previewCoinLeverage } from '../../src/core/reads/coin-leverage-preview.ts';
import { previewLeverage } from '../../src/core/reads/leverage-preview.ts';
import { loanDebts, loanOffers, loanQuote, ongoingLoans } from '../../src/core/reads/loan-reads.ts';
import { adlRanks, positionViews } from '../../src/core/reads/position-reads.ts';
import * as reads from '../../src/core/reads/reads.ts';
import { openStrategies } from '../../src/core/reads/strategy-reads.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import type { Account } from '../../src/core/state/account.ts';
import type { State } from '../../src/core/state/state.ts';
import { Rng } from './futures-flow.ts';

type Look = (state: State, account: Account, dice: Rng) => unknown;

const anyInstrument = (state: State, dice: Rng) => dice.pick(state.instruments);
const anyCoin = (state: State, dice: Rng) => dice.below(state.coins.length);

/** Every question that the doors of the exchange put to its core, and those it puts to itself. */
const LOOKS: readonly Look[] = [
  (state, account) => accountRisk(state, account),
  (state, account) => currentMargin(state, account),
  (state, account) => isDue(state, account),
  (state, account, dice) => spendable(state, account, anyCoin(state, dice)),
  (state, { uid }, dice) =>
    reads.freeBalance(state, uid, anyCoin(state, dice), dice.pick([Wallet.unified, Wallet.funding])),
  (state, { uid }) => [reads.balances(state, uid), reads.openOrders(state, { uid, limit: 100 })],
  (state, { uid }) => positionViews(state, uid),
  (state, { uid }) => adlRanks(state, uid),
  (state, { uid }) => [openStrategies(state, { uid }), ongoingLoans(state, uid), loanDebts(state, uid)],
  (state, account) => [
    repayableCoins(state, account),
    paymentCoins(state, account),
    loanData(state, account),
  ],
  (state, account, dice) => {
    const instrument = anyInstrument(state, dice);
    const side = dice.pick([Side.buy, Side.sell]);
    if (instrument.futures === undefined)
      return maxSpendable(state, account, { instrument, side, limitTicks: 0, slot: NIL });
    const leverage = 1 + dice.below(20);
    const setting = { isolated: dice.chance(0.3), longLeverage: leverage, shortLeverage: leverage };
    return previewLeverage(state, account, instrument, setting);
  },
  (state, account, dice) => previewCoinLeverage(state, account, anyCoin(state, dice), 1 + dice.below(5)),
  (state, _account, dice) => [poolLeft(state, anyCoin(state, dice)), loanOffers(state)],
  (state, _account, dice) => {
    const amounts = { loanAmount: BigInt(1 + dice.below(1e9)) * 10n, pledgeAmount: 0n };
    const coins = { loanCoin: anyCoin(state, dice), pledgeCoin: anyCoin(state, dice) };
    return loanQuote(state, { ...coins, ...amounts }, LoanTerm.sevenDays);
  },
  (state, _account, dice) => {
    const instrument = anyInstrument(state, dice);
    const interval = dice.pick(CANDLE_INTERVALS);
    return [
      reads.depth(state, instrument, 50),
      reads.rpiDepth(state, instrument, 50),
      reads.dayStatistics(state, instrument),
      reads.publicFills(state, instrument, 10),
      reads.runningCandle(state, instrument, interval),
      reads.runningPriceCandle(state, instrument, 'mark', interval),
    ];
  },
  (state) => [reads.systemBalances(state), saveState(state)],
];

interface Reader {
  readonly name: string;
  exchange: Exchange;
  /** What it does after a command. */
  look(dice: Rng): void;
}

/** How often each of them acts. */
const ASKED_SHARE = 0.4;
const QUESTIONS_MAX = 4;
const RESTARTED_SHARE = 0.02;

function readers(): Reader[] {
  return [
    {
      name: 'asked at random',
      exchange: new Exchange(),
      look(dice) {
        const { state } = this.exchange;
        if (state.accountByUid.size === 0 || !dice.chance(ASKED_SHARE)) return;
        const accounts = [...state.accountByUid.values()];
        for (let n = dice.below(QUESTIONS_MAX); n >= 0; n--)
          dice.pick(LOOKS)(state, dice.pick(accounts), dice);
      },
    },
    {
      name: 'checked after every command',
      exchange: new Exchange(),
      look() {
        checkInvariants(this.exchange.state);
      },
    },
    {
      name: 'restarted now and then',
      exchange: new Exchange(),
      look(dice) {
        if (dice.chance(RESTARTED_SHARE))
          this.exchange = new Exchange(loadState(saveState(this.exchange.state).slice()));
      },
    },
  ];
}

/** Draws commands from the state of the exchange that nobody looks into. */
export function assertLooksChangeNothing(
  seed: number,
  setUp: readonly Command[],
  commands: number,
  flowOf: (state: State) => { next(): Command },
): void {
  const alone = new Exchange();
  const others = readers();
  const dice = new Rng(seed * 15_485_863);
  const apply = (original: Command, at: number): void => {
    const command = decodeCommand(encodeCommand(original).slice());
    const outcome = alone.apply(command);
    const events = alone.takeEvents();
    for (const other of others) {
      const where = `seed ${seed}, command ${at} ${command.type}, ${other.name}`;
      try {
        assert.deepEqual(other.exchange.apply(command), outcome);
        assert.deepEqual(other.exchange.takeEvents(), events);
        other.look(dice);
      } catch (error) {
        throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
      }
    }
  };
  for (const [at, command] of setUp.entries()) apply(command, at - setUp.length);
  const flow = flowOf(alone.state);
  for (let at = 0; at < commands; at++) apply(flow.next(), at);
  const end = saveState(alone.state).slice();
  for (const { name, exchange } of others)
    assert.deepEqual(
      saveState(exchange.state),
      end,
      `seed ${seed}: the exchange that was ${name} ends elsewhere`,
    );
}
