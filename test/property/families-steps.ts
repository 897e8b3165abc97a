/** What a run is made of: moves of outside prices and commands, as data that can be replayed, cut down and read. */
import type { Command } from '../../src/core/model/command.ts';
import {
  OrderType,
  Side,
  StrategyKind,
  TIME_IN_FORCE_NAMES,
  TimeInForce,
} from '../../src/core/model/enums.ts';
import type { State } from '../../src/core/state/state.ts';
import { COIN_NAMES, INDICES } from './families-venue.ts';

/** Dollars of a coin in the outside world. */
export interface Outside {
  readonly coin: number;
  readonly price: number;
}

export type Step = { readonly outside: readonly Outside[] } | { readonly command: Command };

/**
 * Loans and withdrawals are named by their place among those of the account, 1 = the oldest: a script that was cut down gives
 * other ids.
 */
export function resolved(state: State, command: Command): Command {
  switch (command.type) {
    case 'loanRepay':
    case 'loanRevise': {
      const account = state.accountByUid.get(command.uid);
      const loans = account === undefined ? [] : state.loans.of(account.index);
      return { ...command, loanId: loans[command.loanId - 1]?.id ?? 0 };
    }
    case 'endWithdrawal': {
      const withdrawalId = [...state.withdrawals.keys()][command.withdrawalId - 1] ?? 0;
      return { ...command, withdrawalId };
    }
    default:
      return command;
  }
}

/** One line a person can act by. */
export function describe(state: State, step: Step, start: number): string {
  if ('outside' in step)
    return `outside: ${step.outside.map(({ coin, price }) => `${COIN_NAMES[coin]} ${price}`).join(', ')}`;
  const { command } = step;
  const at = `${((command.time - start) / 1000).toFixed(3)} s`;
  return `${at}: ${wordsOf(state, command)}`;
}

function wordsOf(state: State, command: Command): string {
  switch (command.type) {
    case 'tick':
      return 'the clock';
    case 'componentPrice':
      return `${command.by === undefined ? 'feed' : 'operator'} tells ${INDICES[command.index]?.name} ${amount(command.price)}${command.component === 255 ? '' : ` by component ${command.component}`}`;
    case 'placeOrder': {
      const { spec, pricePrecision, quantityPrecision } = state.instruments[command.instrument]!;
      const price =
        command.orderType === OrderType.market
          ? 'at market'
          : `@ ${command.priceTicks / 10 ** pricePrecision}`;
      const size =
        command.sizeLots === 0
          ? `for ${amount(command.quoteAmount)}`
          : command.sizeLots / 10 ** quantityPrecision;
      const words = [
        `${command.uid}: ${command.side === Side.buy ? 'buy' : 'sell'} ${size} ${spec.category} ${spec.symbol} ${price}`,
        command.timeInForce === TimeInForce.gtc ? '' : TIME_IN_FORCE_NAMES[command.timeInForce],
        command.reduceOnly === true ? 'reduce only' : '',
        command.posSide === undefined ? '' : `position side ${command.posSide}`,
        command.clientOid === '' ? '' : `(${command.clientOid})`,
      ];
      return words.filter((word) => word !== '').join(' ');
    }
    case 'placeStrategy':
      return `${command.uid}: strategy ${Object.keys(StrategyKind)[command.kind]} ${plainly(command)}`;
    default:
      return plainly(command);
  }
}

function plainly(command: Command): string {
  const { type, time: _, ...fields } = command;
  const text = JSON.stringify(fields, (key, value) => {
    if (typeof value === 'bigint') return amount(value);
    if ((key === 'coin' || key.endsWith('Coin')) && typeof value === 'number') return COIN_NAMES[value];
    return value;
  });
  return `${type} ${text}`;
}

function amount(units: bigint): string {
  return String(Number(units) / 1e8);
}
