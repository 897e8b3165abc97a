/** A planted bug, loaded into one node with `--import`: some orders do nothing. */
import { Exchange } from '../../../src/core/engine/exchange.ts';
import type { Command } from '../../../src/core/model/command.ts';

/** Of the lots of an order: about every eighth is forgotten. */
const FORGOTTEN = 8;

const honest = Reflect.get(Exchange.prototype, 'apply') as Exchange['apply'] | undefined;
if (honest === undefined) throw new Error('the planted bug has lost its place');
Exchange.prototype.apply = function apply(this: Exchange, command: Command, ...rest) {
  const isForgotten = command.type === 'placeOrder' && command.sizeLots % FORGOTTEN === 0;
  return honest.call(this, isForgotten ? { type: 'tick', time: command.time } : command, ...rest);
};
