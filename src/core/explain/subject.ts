/** What a command is about, in one form for all commands: who, which instrument or coin, and the values it gives. */
import { NIL } from '../book/order-slab.ts';
import type { AmendItem, Command, MoveItem, PlaceOrder } from '../model/command.ts';
import type { CommandResult } from '../model/command-result.ts';
import type { OrderType, PosSide, Side, TimeInForce } from '../model/enums.ts';
import { OrderType as Types } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { changedPreset, NO_PRESET, type Preset, type TriggerLeg } from '../model/tpsl.ts';
import { findOpenOrder } from '../orders/cancel.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import type { StrategyOrder } from '../state/strategy-order.ts';
import { changedDraft, draftOf } from '../strategy/strategy-draft.ts';
import { strategyNamed } from '../strategy/strategy-lookup.ts';
import { normalisedPreset } from '../strategy/tpsl-checks.ts';

/** Values of an order, of an amendment as they would stand, of a strategy order or of a moved position. */
export interface OrderValues {
  readonly side: Side;
  readonly orderType?: OrderType;
  readonly timeInForce?: TimeInForce;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly quoteAmount: bigint;
  readonly posSide?: PosSide | undefined;
  readonly reduceOnly?: boolean | undefined;
  readonly preset: Preset;
  readonly trigger?: TriggerLeg;
  readonly callbackPpm?: number;
}

export interface Subject {
  readonly state: State;
  readonly command: Command;
  /** Of the command, or of one item of a batch. */
  readonly result: CommandResult;
  readonly uid: number;
  readonly account: Account | undefined;
  /** Who receives a transfer or a moved position. */
  readonly receiver: Account | undefined;
  readonly instrument: Instrument | undefined;
  readonly order: OrderValues | undefined;
  /** The resting order that is amended; NIL for none. */
  readonly slot: number;
  readonly strategy: StrategyOrder | undefined;
  readonly coin: number | undefined;
  readonly amount: bigint | undefined;
}

/** `item` is the number of the item of a batch. */
export function subjectOf(state: State, command: Command, result: CommandResult, item = 0): Subject {
  const uid = uidOf(command);
  const account = state.accountByUid.get(uid);
  const blank: Subject = {
    state,
    command,
    result,
    uid,
    account,
    receiver: receiverOf(state, command),
    instrument: 'instrument' in command ? state.instruments[command.instrument] : undefined,
    order: undefined,
    slot: NIL,
    strategy: undefined,
    coin: coinOf(command),
    amount: 'amount' in command ? command.amount : undefined,
  };
  switch (command.type) {
    case 'placeOrder':
      return { ...blank, order: ofOrder(blank.instrument, command) };
    case 'amendOrders':
      return ofAmend(blank, command.items[item]);
    case 'movePositions':
      return ofMove(blank, command.items[item]);
    case 'placeStrategy':
    case 'modifyStrategy':
    case 'cancelStrategy':
      return ofStrategy(blank, command);
    default:
      return blank;
  }
}

function uidOf(command: Command): number {
  if ('uid' in command) return command.uid;
  return 'fromUid' in command ? command.fromUid : 0;
}

function receiverOf(state: State, command: Command): Account | undefined {
  return 'toUid' in command ? state.accountByUid.get(command.toUid) : undefined;
}

function coinOf(command: Command): number | undefined {
  if ('coin' in command) return command.coin;
  if (command.type === 'loanBorrow') return command.loanCoin;
  if (command.type === 'loanRevise') return command.pledgeCoin;
  return command.type === 'repay' ? command.debtCoin : undefined;
}

export function ofOrder(instrument: Instrument | undefined, command: PlaceOrder): OrderValues {
  const { side, orderType, timeInForce, priceTicks, sizeLots, quoteAmount, posSide, reduceOnly } = command;
  const preset =
    instrument === undefined || command.preset === undefined
      ? NO_PRESET
      : normalisedPreset(instrument, command.preset);
  return { side, orderType, timeInForce, priceTicks, sizeLots, quoteAmount, posSide, reduceOnly, preset };
}

/** The order as it would stand; what the item leaves out stays. */
function ofAmend(blank: Subject, item: AmendItem | undefined): Subject {
  const { state, account } = blank;
  const slot = account === undefined || item === undefined ? NIL : findOpenOrder(state, account, item);
  if (item === undefined || slot === NIL) return blank;
  const { slab } = state;
  const instrument = state.instrumentOf(slot);
  const present = slab.presets.get(slot)?.preset ?? NO_PRESET;
  const preset =
    item.preset === undefined ? present : normalisedPreset(instrument, changedPreset(present, item.preset));
  const order: OrderValues = {
    side: slab.side[slot] as Side,
    orderType: Types.limit,
    timeInForce: slab.timeInForce[slot] as TimeInForce,
    priceTicks: item.priceTicks || slab.price[slot]!,
    sizeLots: item.sizeLots || slab.size[slot]!,
    quoteAmount: 0n,
    preset,
  };
  return { ...blank, instrument, slot, order };
}

function ofMove(blank: Subject, item: MoveItem | undefined): Subject {
  if (item === undefined) return blank;
  const { side, sizeLots } = item;
  return {
    ...blank,
    instrument: blank.state.instruments[item.instrument],
    order: { side, sizeLots, priceTicks: 0, quoteAmount: 0n, preset: NO_PRESET },
  };
}

function ofStrategy(
  blank: Subject,
  command: Extract<Command, { type: 'placeStrategy' | 'modifyStrategy' | 'cancelStrategy' }>,
): Subject {
  const { state, account } = blank;
  if (account === undefined) return blank;
  if (command.type === 'placeStrategy') {
    const { instrument } = blank;
    if (instrument === undefined) return blank;
    const { takeProfit, stopLoss, ...draft } = draftOf(account, instrument, command);
    const priceTicks = draft.trigger.limitTicks;
    return { ...blank, order: { ...draft, priceTicks, preset: { takeProfit, stopLoss } } };
  }
  const strategy = strategyNamed(account, command.orderId, command.clientOid);
  if (strategy === undefined || command.type === 'cancelStrategy') return { ...blank, strategy };
  const instrument = state.instruments[strategy.instrument]!;
  const { takeProfit, stopLoss, ...draft } = changedDraft(instrument, strategy, command);
  const priceTicks = draft.trigger.limitTicks;
  return {
    ...blank,
    strategy,
    instrument,
    order: { ...draft, priceTicks, preset: { takeProfit, stopLoss } },
  };
}
