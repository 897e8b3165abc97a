/**
 * Random strategy orders among random futures orders, near the price so that many are reached. Driven by a seed, so that
 * a failure can be repeated.
 */
import type { Command, PlaceStrategy } from '../../src/core/model/command.ts';
import {
  OrderType,
  PosSide,
  Side,
  Source,
  StpMode,
  StrategyKind,
  TriggerBy,
} from '../../src/core/model/enums.ts';
import { KEEP_LEG, NO_LEG, type TriggerLeg } from '../../src/core/model/tpsl.ts';
import type { State } from '../../src/core/state/state.ts';
import { triggerReference } from '../../src/core/strategy/tpsl-checks.ts';
import { FuturesFlow, Rng, UIDS } from './futures-flow.ts';

/** Trading stops now and then; prices go on, and with them the trades of liquidations. */
const HALT_SHARE = 0.01;
const RESUME_SHARE = 0.03;
const PRICE_IN_HALT_SHARE = 0.5;

export class StrategyFlow {
  private readonly dice: Rng;
  private readonly futures: FuturesFlow;
  private readonly state: State;

  constructor(seed: number, state: State) {
    this.dice = new Rng(seed * 7919);
    this.futures = new FuturesFlow(seed, state);
    this.state = state;
  }

  next(): Command {
    const { dice } = this;
    if (dice.chance(this.state.halted ? RESUME_SHARE : HALT_SHARE))
      return { type: 'setHalt', time: this.futures.time, halted: !this.state.halted };
    if (this.state.halted && dice.chance(PRICE_IN_HALT_SHARE)) return this.futures.price();
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
    const { dice, state } = this;
    const { time } = this.futures;
    const all = [...state.strategies.byId.values()];
    const order = all.length === 0 ? undefined : dice.pick(all);
    const uid = order === undefined ? 1 : state.accounts[order.account]!.uid;
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
    const { dice, state } = this;
    const instrument = state.instruments[index]!;
    const triggerBy = dice.pick([TriggerBy.market, TriggerBy.market, TriggerBy.mark]);
    const price = triggerReference(instrument, state.market(instrument), triggerBy);
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
