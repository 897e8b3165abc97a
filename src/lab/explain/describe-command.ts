/** A command in words, and whose it is. */
import { coinName, instrumentName, priceText, qtyText, quoteText } from '../../core/explain/figures.ts';
import type { Command } from '../../core/model/command.ts';
import { ORDER_TYPE_NAMES, OrderType, SIDE_NAMES, TIME_IN_FORCE_NAMES } from '../../core/model/enums.ts';
import { formatOrderId } from '../../core/model/order-id.ts';
import { formatMoney } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';

/** The account that sent a command or that it is about; 0 for commands of the exchange itself. */
export function ownerOf(command: Command): number {
  if ('uid' in command) return command.uid;
  if ('initiatorUid' in command) return command.initiatorUid;
  return 0;
}

/** `placeOrder` as `place order`. */
const spelled = (type: string): string => type.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

export function describeCommand(state: State, command: Command): string {
  const instrument = 'instrument' in command ? state.instruments[command.instrument] : undefined;
  const on = instrument === undefined ? '' : ` ${instrumentName(instrument)}`;
  if (command.type === 'placeOrder' && instrument !== undefined) {
    const { side, orderType, priceTicks, sizeLots, quoteAmount, timeInForce } = command;
    const size = quoteAmount === 0n ? qtyText(instrument, sizeLots) : `for ${quoteText(quoteAmount)}`;
    const at = orderType === OrderType.market ? '' : ` at ${priceText(instrument, priceTicks)}`;
    const only = command.reduceOnly === true ? ', reduce-only' : '';
    return `${SIDE_NAMES[side]} ${size}${on}${at}, ${ORDER_TYPE_NAMES[orderType]} ${TIME_IN_FORCE_NAMES[timeInForce]}${only}`;
  }
  if (command.type === 'amendOrders') {
    const named = command.items.map(({ orderId, clientOid }) =>
      orderId === 0 ? clientOid : formatOrderId(orderId),
    );
    return `modify ${named.join(', ')}`;
  }
  if ('coin' in command && 'amount' in command)
    return `${spelled(command.type)} of ${formatMoney(command.amount)} ${coinName(state, command.coin)}`;
  return `${spelled(command.type)}${on}`;
}
