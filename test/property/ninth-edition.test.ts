/**
 * Storms since the ninth edition (rules 19) with portions so small that accounts wait between commands, for their liquidation or
 * for their orders to be cancelled: an exchange that is restored from a snapshot between any two of them does the same from
 * then on, invariants hold, and nobody waits for ever.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { isDue } from '../../src/core/liquidation/liquidation-check.ts';
import { markTicks } from '../../src/core/margin/margin.ts';
import type { Command } from '../../src/core/model/command.ts';
import { NEWEST_EDITION } from '../../src/core/model/edition.ts';
import {
  HoldMode,
  PosSide,
  Side,
  Source,
  StpMode,
  StrategyKind,
  TriggerBy,
} from '../../src/core/model/enums.ts';
import { NO_LEG } from '../../src/core/model/tpsl.ts';
import { canonicalState } from '../../src/core/snapshot/canonical-state.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import type { State } from '../../src/core/state/state.ts';
import { Rng } from './futures-flow.ts';
import { Seeds } from './seeds.ts';
import { CONTRACTS, openVenue, Storm } from './storm.ts';

const SEEDS = new Seeds({ all: 200, few: 8 });
const STEPS = 160;
const PORTIONS = [1, 1, 2, 3, 5, 10, 20, 40];
/** Commands of a restored exchange beside the first one. */
const FOLLOWED = 15;
const TICKS_MAX = 5000;
const UIDS = 8;

const met = { restored: 0, inQueue: 0, dueUnsettled: 0, cancelling: 0, reached: 0 };

/** An exchange, now and then with one beside it that was restored from its snapshot. */
class Restored {
  readonly exchange = new Exchange();
  private readonly portion: number;
  private readonly dice: Rng;
  private twin: Exchange | undefined;
  private left = 0;

  constructor(portion: number, dice: Rng) {
    this.portion = portion;
    this.dice = dice;
    this.state.portion = portion;
  }

  get state(): State {
    return this.exchange.state;
  }

  apply(command: Command): void {
    const { exchange, twin, state } = this;
    const result = exchange.apply(command);
    const events = exchange.takeEvents();
    checkInvariants(state);
    this.assertDueAreWatched();
    if (twin === undefined) {
      // The venue was opened with money from outside.
      if (state.edition === NEWEST_EDITION && this.dice.chance(state.dueAccounts.size > 0 ? 0.7 : 0.2))
        this.restore();
      return;
    }
    assert.deepEqual(twin.apply(command), result);
    assert.deepEqual(twin.takeEvents(), events, `${FOLLOWED - this.left} commands after a restart`);
    assert.deepEqual(canonicalState(twin.state), canonicalState(state));
    if (--this.left === 0) this.twin = undefined;
  }

  finish(): void {
    for (let ticks = 0; this.exchange.hasOpenWork; ticks++) {
      assert.ok(ticks < TICKS_MAX, 'open work comes to its end');
      this.apply({ type: 'tick', time: this.state.now });
    }
    const { dueAccounts, pulled, inLiquidation } = this.state;
    assert.deepEqual([dueAccounts.size, pulled.size, inLiquidation.size], [0, 0, 0]);
  }

  /** Which accounts the monitor has checked is not state: one that it left out wrongly would be checked after a restart. */
  private assertDueAreWatched(): void {
    const { state, exchange } = this;
    if (state.edition !== NEWEST_EDITION) return;
    for (const account of state.accountByUid.values()) {
      if (!account.cashCanBeNegative || state.dueAccounts.has(account.index) || !isDue(state, account))
        continue;
      assert.ok(exchange.liquidationMonitor.needsCheck(account.index), `account ${account.uid} is due`);
      met.dueUnsettled++;
    }
  }

  private restore(): void {
    const { state } = this;
    this.twin = new Exchange(loadState(saveState(state).slice()));
    this.twin.state.portion = this.portion;
    this.left = FOLLOWED;
    met.restored++;
    if (state.dueAccounts.size > 0) met.inQueue++;
    if (state.pulled.size > 0) met.cancelling++;
    if (state.strategies.hasQueued) met.reached++;
  }
}

/** Near the mark, so that the next jump reaches many of them at once. */
function triggerOrder(dice: Rng, state: State, time: number): Command {
  const instrument = dice.pick(CONTRACTS);
  const mark = markTicks(state, state.instruments[instrument]!);
  const triggerTicks = Math.max(1, Math.round(mark * (0.97 + 0.06 * dice.next())));
  const uid = 1 + dice.below(UIDS);
  const hedge = state.accountByUid.get(uid)!.holdMode === HoldMode.hedge;
  const side = dice.pick([Side.buy, Side.sell]);
  return {
    type: 'placeStrategy',
    time,
    uid,
    source: Source.api,
    instrument,
    kind: StrategyKind.trigger,
    side,
    posSide: hedge ? (side === Side.buy ? PosSide.long : PosSide.short) : PosSide.none,
    reduceOnly: false,
    stpMode: StpMode.none,
    sizeLots: 1 + dice.below(20),
    quoteAmount: 0n,
    takeProfit: NO_LEG,
    stopLoss: NO_LEG,
    trigger: { ...NO_LEG, triggerTicks, triggerBy: dice.pick([TriggerBy.market, TriggerBy.mark]) },
    callbackPpm: 0,
    clientOid: '',
  };
}

test('a storm in portions: a restart between any two commands changes nothing, and everything ends', () => {
  for (const seed of SEEDS) {
    const dice = new Rng(977 * seed);
    const run = new Restored(dice.pick(PORTIONS), dice);
    const { state } = run;
    openVenue(seed, (command) => run.apply(command), state);
    run.apply({ type: 'setEdition', time: state.now, edition: NEWEST_EDITION });
    const storm = new Storm(seed, state);
    const somebody = () => 1 + dice.below(UIDS);
    for (let n = 0; n < STEPS; n++) {
      for (const command of storm.step(n)) {
        const time = Math.max(command.time, state.now);
        try {
          run.apply({ ...command, time });
          while (run.exchange.hasOpenWork && dice.chance(0.3)) run.apply({ type: 'tick', time });
          const instrument = dice.pick(CONTRACTS);
          const deleverage = dice.chance(0.5);
          if (dice.chance(0.03))
            run.apply({ type: 'forceClose', time, uid: somebody(), deleverage, instrument });
          if (dice.chance(0.06)) run.apply({ type: 'forceFunding', time, instrument });
          if (dice.chance(0.1))
            for (let uid = 1; uid <= UIDS; uid++)
              run.apply({ type: 'countdownCancel', time, uid, seconds: 5 });
          if (dice.chance(0.4)) run.apply(triggerOrder(dice, state, time));
          if (dice.chance(0.05)) run.apply({ type: 'cancelEverything', time, uid: somebody() });
        } catch (error) {
          const where = `seed ${seed}, step ${n}, ${command.type}`;
          throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
        }
      }
    }
    run.finish();
  }
  SEEDS.met('restarts while accounts wait', met.inQueue, 50);
  SEEDS.met('restarts while orders are to be cancelled', met.cancelling, 50);
  SEEDS.met('restarts while strategy orders are reached', met.reached, 50);
  SEEDS.met('accounts that are due and not in the queue', met.dueUnsettled, 200);
});
