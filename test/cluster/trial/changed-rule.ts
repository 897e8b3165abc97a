/** A planted bug, loaded into one node with `--import`: some orders do nothing. */
import { Exchange } from '../../../src/core/engine/exchange.ts';
import type { Command } from '../../../src/core/model/command.ts';

/** Of the lots of an order: about every eighth is forgotten. */
const FORGOTTEN = 8;

interface Inside {
  apply: (this: Inside, command: Command, ...rest: unknown[]) => unknown;
}

const exchange = Exchange.prototype as unknown as Inside;
const honest = exchange.apply;
if (typeof honest !== 'function') throw new Error('the planted bug has lost its place');
exchange.apply = function (this: Inside, command, ...rest) {
  const isForgotten = command.type === 'placeOrder' && command.sizeLots % FORGOTTEN === 0;
  return honest.call(this, isForgotten ? { type: 'tick', time: command.time } : command, ...rest);
};
