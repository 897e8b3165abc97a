/**
 * Random strategy orders among random futures orders and jumping prices: exactly those fire that a plain model of
 * domain.md 3.4 says must, in its order; all invariants hold after every command; replays and restarts agree.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command, PlaceStrategy } from '../../src/core/command.ts';
import { decodeCommand, encodeCommand } from '../../src/core/command-codec.ts';
import { Exchange } from '../../src/core/exchange.ts';
import { checkInvariants } from '../../src/core/invariants.ts';
import { loadState, saveState } from '../../src/core/snapshot.ts';
import { PriceWatch } from '../../src/core/strategy/price-watch.ts';
import { triggerReference } from '../../src/core/strategy/tpsl-checks.ts';
import { KEEP_LEG, NO_LEG, type TriggerLeg } from '../../src/core/strategy/trigger-leg.ts';
import { OrderType, PosSide, Side, Source, StpMode, StrategyKind, TriggerBy } from '../../src/core/terms.ts';
import { Auditor } from '../core/auditor.ts';
import { Dice, FuturesFlow, SET_UP, UIDS } from './futures-flow.ts';
import { NaiveTriggers } from './naive-triggers.ts';

const SEEDS = 10;
const COMMANDS = 600;

/** Futures commands, and strategy orders among them. */
class StrategyFlow {
  private readonly dice: Dice;
  private readonly futures: FuturesFlow;
  private readonly exchange: Exchange;

  constructor(seed: number, exchange: Exchange) {
    this.dice = new Dice(seed * 7919);
    this.futures = new FuturesFlow(seed, exchange.state);
    this.exchange = exchange;
  }

  next(): Command {
    const { dice } = this;
    const roll = dice.next();
    if (roll < 0.3) return this.place();
    if (roll < 0.36) return this.change();
    const command = this.futures.next();
    if (command.type !== 'placeOrder' || !dice.chance(0.3)) return command;
    const preset = { takeProfit: this.leg(command.instrument), stopLoss: this.leg(command.instrument) };
    return { ...command, preset };
  }

  private place(): PlaceStrategy {
    const { dice } = this;
    const instrument = dice.below(3);
    const kind = dice.pick([
      StrategyKind.partial,
      StrategyKind.full,
      StrategyKind.trigger,
      StrategyKind.trigger,
      StrategyKind.trailing,
    ]);
    const tpsl = kind === StrategyKind.partial || kind === StrategyKind.full;
    const trailing = kind === StrategyKind.trailing;
    const trigger = trailing && dice.chance(0.5) ? NO_LEG : this.leg(instrument);
    return {
      type: 'placeStrategy',
      time: this.futures.time,
      uid: dice.pick(UIDS),
      source: Source.api,
      instrument,
      kind,
      side: dice.pick([Side.buy, Side.sell]),
      posSide: dice.pick([PosSide.none, PosSide.long, PosSide.short]),
      reduceOnly: dice.chance(0.3),
      stpMode: StpMode.none,
      sizeLots: kind === StrategyKind.full ? 0 : 1 + dice.below(600),
      quoteAmount: 0n,
      takeProfit: tpsl && dice.chance(0.7) ? this.leg(instrument) : NO_LEG,
      stopLoss: tpsl && dice.chance(0.7) ? this.leg(instrument) : NO_LEG,
      trigger: tpsl
        ? NO_LEG
        : trailing
          ? { ...trigger, orderType: OrderType.market, limitTicks: 0 }
          : trigger,
      callbackPpm: trailing ? 100 + dice.below(30_000) : 0,
      clientOid: '',
    };
  }

  private change(): Command {
    const { dice, exchange } = this;
    const { time } = this.futures;
    const all = [...exchange.state.strategies.byId.values()];
    const order = all.length === 0 ? undefined : dice.pick(all);
    const uid = order === undefined ? 1 : exchange.state.accounts[order.account]!.uid;
    const name = { time, uid, orderId: order?.id ?? 7, clientOid: '' };
    if (dice.chance(0.3)) return { type: 'cancelStrategy', ...name };
    const leg = this.leg(order?.instrument ?? 0);
    return {
      type: 'modifyStrategy',
      ...name,
      sizeLots: dice.chance(0.3) ? 1 + dice.below(600) : 0,
      quoteAmount: 0n,
      takeProfit: dice.chance(0.3) ? leg : KEEP_LEG,
      stopLoss: dice.chance(0.3) ? leg : KEEP_LEG,
      trigger: dice.chance(0.3) ? { ...KEEP_LEG, triggerTicks: leg.triggerTicks } : KEEP_LEG,
      callbackPpm: order?.kind === StrategyKind.trailing && dice.chance(0.5) ? 100 + dice.below(30_000) : 0,
    };
  }

  /** Near the price, so that many are reached; now and then exactly at it. */
  private leg(index: number): TriggerLeg {
    const { dice, exchange } = this;
    const instrument = exchange.state.instruments[index]!;
    const triggerBy = dice.pick([TriggerBy.market, TriggerBy.market, TriggerBy.mark]);
    const price = triggerReference(instrument, exchange.state.market(instrument), triggerBy);
    const away = () => (dice.chance(0.05) ? 0 : Math.round(price * (dice.next() - 0.5) * 0.08));
    const limit = dice.chance(0.3);
    return {
      triggerTicks: Math.max(1, price + away()),
      triggerBy,
      orderType: limit ? OrderType.limit : OrderType.market,
      limitTicks: limit ? Math.max(1, price + away()) : 0,
    };
  }
}

/** Lets the model hear every mark that waiting orders were held against, at its place among the events. */
function hearMarks(exchange: Exchange) {
  const marks: { instrument: number; ticks: number; at: number }[] = [];
  const see: (this: PriceWatch, ticks: number) => void = Reflect.get(PriceWatch.prototype, 'see');
  PriceWatch.prototype.see = function heard(this: PriceWatch, ticks: number): void {
    const { state } = exchange;
    const market = state.markets.find(({ markWatch }) => markWatch === this);
    if (market !== undefined) marks.push({ instrument: market.instrument, ticks, at: state.events.length });
    see.call(this, ticks);
  };
  const restore = () => {
    PriceWatch.prototype.see = see;
  };
  return { marks, restore };
}

function replay(exchange: Exchange, log: readonly Uint8Array[]): Uint8Array {
  for (const bytes of log) {
    exchange.apply(decodeCommand(bytes));
    exchange.takeEvents();
  }
  return saveState(exchange.state).slice();
}

test('strategy orders fire when and only when the plain model says so, in its order', () => {
  const ends = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const exchange = new Exchange();
    const { state } = exchange;
    const log: Uint8Array[] = [];
    const auditor = new Auditor(state);
    const model = new NaiveTriggers(
      (instrument) => state.market(state.instruments[instrument]!).futures!.markTicks,
    );
    const { marks, restore } = hearMarks(exchange);
    const apply = (command: Command) => {
      const bytes = encodeCommand(command).slice();
      log.push(bytes);
      marks.length = 0;
      const outcome = exchange.apply(decodeCommand(bytes));
      const events = exchange.takeEvents();
      checkInvariants(state);
      auditor.observe(command, outcome, events);
      model.observe(events, marks);
    };
    try {
      for (const command of SET_UP) apply(command);
      const flow = new StrategyFlow(seed, exchange);
      for (let n = 0; n < COMMANDS; n++) {
        const command = flow.next();
        try {
          // The clock first: what a trigger compares with is then the same before and after the command.
          apply({ type: 'tick', time: command.time });
          apply(command);
        } catch (error) {
          throw new Error(`seed ${seed}, command ${n}: ${(error as Error).message}`, { cause: error });
        }
      }
    } finally {
      restore();
    }
    for (const [end, count] of model.fired) ends.set(end, (ends.get(end) ?? 0) + count);
    const end = saveState(state).slice();
    assert.deepEqual(replay(new Exchange(), log), end, 'I40: a replay differs');
    const cut = (seed * 131) % log.length;
    const first = replay(new Exchange(), log.slice(0, cut));
    assert.deepEqual(replay(new Exchange(loadState(first)), log.slice(cut)), end, 'I40: a restart differs');
  }
  for (const end of ['success', 'failed', 'cancelled'])
    assert.ok((ends.get(end) ?? 0) > 100, `${ends.get(end)} ${end}`);
});
