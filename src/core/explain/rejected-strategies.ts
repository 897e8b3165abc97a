/** Rejections of strategy orders and of attached take-profit and stop-loss (rules 3.3); each violation has its own reason. */
import { POS_SIDE_NAMES, PosSide, TRIGGER_BY_NAMES } from '../model/enums.ts';
import {
  CALLBACK_PPM_MAX,
  CALLBACK_PPM_MIN,
  STRATEGIES_PER_ACCOUNT_MAX,
  TPSL_PER_SYMBOL_MAX,
} from '../model/limits.ts';
import { formatOrderId } from '../model/order-id.ts';
import type { Position } from '../model/position.ts';
import { hasLeg, type TriggerLeg } from '../model/tpsl.ts';
import { divCeil, divFloor, formatUnits } from '../model/units.ts';
import { protectedPosition } from '../strategy/strategy-lookup.ts';
import { triggerReference } from '../strategy/tpsl-checks.ts';
import type { Facts } from './figures.ts';
import {
  boundPrice,
  boundQty,
  neighbours,
  price,
  qty,
  type Rejection,
  rejection,
  tick,
} from './rejection.ts';
import type { Subject } from './subject.ts';

const RULE = 'rules 3.3';
const CREATED = 'rules 3.1';

type Which = 'takeProfit' | 'stopLoss';
const WORDS: Readonly<Record<Which, string>> = { takeProfit: 'take-profit', stopLoss: 'stop-loss' };
const legOf = ({ order }: Subject, which: Which): TriggerLeg | undefined => order?.preset[which];

function legFacts(s: Subject, which: Which): Facts {
  const leg = legOf(s, which);
  if (leg === undefined || !hasLeg(leg)) return { [which]: 'none' };
  return {
    [which]: price(s, leg.triggerTicks),
    triggerBy: TRIGGER_BY_NAMES[leg.triggerBy],
    ...(leg.limitTicks !== 0 && { limit: price(s, leg.limitTicks) }),
  };
}

function position({ account, instrument, order }: Subject): Position | undefined {
  if (account === undefined || instrument === undefined) return undefined;
  const { posSide = PosSide.none } = order ?? {};
  return protectedPosition(account, instrument.index, posSide);
}

/** The price a leg is compared with: the expected fill, else the last trade or the mark. */
function reference(s: Subject, which: Which): number {
  const { state, instrument, result } = s;
  if (result.bound !== undefined) return result.bound;
  const leg = legOf(s, which);
  if (instrument === undefined || leg === undefined) return 0;
  return triggerReference(instrument, state.market(instrument), leg.triggerBy);
}

/** On which side of its reference a leg must be. */
function compared(which: Which, long: boolean, by: string): Rejection {
  const above = long === (which === 'takeProfit');
  const side = above ? 'above' : 'below';
  return rejection(
    `the ${WORDS[which]} of a ${long ? 'long' : 'short'} is ${side} ${by}`,
    RULE,
    (s) => ({ ...legFacts(s, which), reference: price(s, reference(s, which)) }),
    (s) => `${side} ${price(s, reference(s, which))}`,
    (s) => {
      const ticks = s.instrument?.tickStep ?? 1;
      const at = reference(s, which);
      return above
        ? `at least ${price(s, Math.floor(at / ticks) * ticks + ticks)}`
        : `at most ${price(s, Math.ceil(at / ticks) * ticks - ticks)}`;
    },
  );
}

/** The exact average entry is a fraction; the next tick beyond it is what fits. */
function byEntry(which: Which, long: boolean): Rejection {
  const above = long === (which === 'takeProfit');
  const side = above ? 'above' : 'below';
  const entry = (s: Subject): string => {
    const held = position(s);
    if (held === undefined || s.instrument === undefined) return '';
    const basis = held.basis < 0n ? -held.basis : held.basis;
    return formatUnits(
      divFloor(basis * 10n ** 8n, BigInt(held.lots) * s.instrument.valuePerTickLot),
      8 + s.instrument.pricePrecision,
    );
  };
  return rejection(
    `the ${WORDS[which]} of a ${long ? 'long' : 'short'} is ${side} the average entry`,
    RULE,
    (s) => ({ ...legFacts(s, which), averageEntry: entry(s) }),
    (s) => `${side} ${entry(s)}`,
    (s) => {
      const held = position(s);
      if (held === undefined || s.instrument === undefined) return '';
      const basis = held.basis < 0n ? -held.basis : held.basis;
      const perTick = BigInt(held.lots) * s.instrument.valuePerTickLot * BigInt(s.instrument.tickStep);
      const steps = above ? divFloor(basis, perTick) + 1n : divCeil(basis, perTick) - 1n;
      return `${above ? 'at least' : 'at most'} ${price(s, Number(steps) * s.instrument.tickStep)}`;
    },
  );
}

function inRange(which: Which, limit: boolean): Rejection {
  return rejection(
    `the ${limit ? 'limit price of the ' : ''}${WORDS[which]} is in range`,
    RULE,
    (s) => legFacts(s, which),
    (s) => `${tick(s)} to ${boundPrice(s)}`,
  );
}

function nearest(s: Subject, ticks: number): string {
  if (ticks <= 0 || s.instrument === undefined) return `a multiple of ${tick(s)}`;
  return neighbours(ticks, s.instrument.tickStep)
    .map((each) => price(s, each))
    .join(' or ');
}

function onTick(which: Which, limit: boolean): Rejection {
  return rejection(
    `the ${limit ? 'limit price of the ' : ''}${WORDS[which]} is on the tick`,
    RULE,
    (s) => ({ ...legFacts(s, which), tick: tick(s) }),
    (s) => `a multiple of ${tick(s)}`,
    (s) => {
      const leg = legOf(s, which);
      return nearest(s, (limit ? leg?.limitTicks : leg?.triggerTicks) ?? 0);
    },
  );
}

const triggerFacts = (s: Subject): Facts => ({
  trigger: s.order?.trigger === undefined ? 'none' : price(s, s.order.trigger.triggerTicks),
  tick: tick(s),
});

const ppm = (value: number): string => `${formatUnits(BigInt(value), 4)} %`;

function strategyName({ command }: Subject): Facts {
  if (command.type !== 'modifyStrategy' && command.type !== 'cancelStrategy') return {};
  const { orderId, clientOid } = command;
  return orderId !== 0 ? { orderId: formatOrderId(orderId) } : { clientOid };
}

function waiting({ account }: Subject): string {
  const ids = [...(account?.strategies.keys() ?? [])].map(formatOrderId);
  return ids.length === 0 ? 'none: no strategy order waits' : `one of ${ids.slice(0, 10).join(', ')}`;
}

function positionFacts(s: Subject): Facts {
  const held = position(s);
  return {
    posSide: POS_SIDE_NAMES[s.order?.posSide ?? PosSide.none] || 'none',
    position: held === undefined ? 'none' : qty(s, held.lots),
    qty: qty(s, s.order?.sizeLots ?? 0),
  };
}

export const REJECTED_STRATEGIES = {
  triggerMissing: rejection(
    'there is something to wait for',
    CREATED,
    (s) => ({ ...legFacts(s, 'takeProfit'), ...legFacts(s, 'stopLoss'), ...triggerFacts(s) }),
    'a take-profit or a stop-loss; a trigger price for a trigger order',
  ),
  longTakeProfitByEntry: byEntry('takeProfit', true),
  longStopLossByEntry: byEntry('stopLoss', true),
  shortTakeProfitByEntry: byEntry('takeProfit', false),
  shortStopLossByEntry: byEntry('stopLoss', false),
  longTakeProfitByLast: compared('takeProfit', true, 'the last price'),
  longStopLossByLast: compared('stopLoss', true, 'the last price'),
  shortTakeProfitByLast: compared('takeProfit', false, 'the last price'),
  shortStopLossByLast: compared('stopLoss', false, 'the last price'),
  longTakeProfitByMark: compared('takeProfit', true, 'the mark'),
  longStopLossByMark: compared('stopLoss', true, 'the mark'),
  shortTakeProfitByMark: compared('takeProfit', false, 'the mark'),
  shortStopLossByMark: compared('stopLoss', false, 'the mark'),
  takeProfitNotPositive: inRange('takeProfit', false),
  stopLossNotPositive: inRange('stopLoss', false),
  takeProfitLimitNotPositive: inRange('takeProfit', true),
  stopLossLimitNotPositive: inRange('stopLoss', true),
  takeProfitOffTick: onTick('takeProfit', false),
  stopLossOffTick: onTick('stopLoss', false),
  takeProfitLimitOffTick: onTick('takeProfit', true),
  stopLossLimitOffTick: onTick('stopLoss', true),
  triggerPriceOutOfRange: rejection(
    'the trigger price is in range',
    RULE,
    triggerFacts,
    (s) => `${tick(s)} to ${boundPrice(s)}`,
  ),
  triggerPriceOffTick: rejection(
    'the trigger price is on the tick',
    RULE,
    triggerFacts,
    (s) => `a multiple of ${tick(s)}`,
    (s) => nearest(s, s.order?.trigger?.triggerTicks ?? 0),
  ),
  callbackOutOfRange: rejection(
    'the callback is in range',
    CREATED,
    (s) => ({ callback: ppm(s.order?.callbackPpm ?? 0) }),
    `${ppm(CALLBACK_PPM_MIN)} to ${ppm(CALLBACK_PPM_MAX)}`,
  ),
  tpslNotSupported: rejection(
    'the instrument has positions',
    CREATED,
    ({ instrument }) => ({ symbol: instrument?.symbol ?? '' }),
    'a contract for a record of the whole position',
    'a record of a part, with a quantity',
  ),
  fullTpslExists: rejection(
    'the position has no other record of the whole',
    RULE,
    positionFacts,
    'one of each position',
    'a modification of the record that is there',
  ),
  partialTpslAbovePosition: rejection(
    'the records of parts do not exceed the position',
    RULE,
    positionFacts,
    (s) => `at most ${boundQty(s)}`,
  ),
  unknownStrategy: rejection(
    'the strategy order waits',
    'rules 3.2',
    strategyName,
    'a waiting strategy order of the account',
    waiting,
  ),
  strategySubmitting: rejection(
    'the strategy order has not fired yet',
    'rules 3.2',
    strategyName,
    'one that waits',
    'a look at the order that it has made',
  ),
  tooManyStrategies: rejection(
    'there is room for one more strategy order',
    RULE,
    ({ account }) => ({ waiting: String(account?.strategies.size ?? 0) }),
    (s) =>
      `fewer than ${s.result.bound ?? STRATEGIES_PER_ACCOUNT_MAX}${s.result.bound === TPSL_PER_SYMBOL_MAX ? ' of the symbol' : ', those that open orders will bring included'}`,
    'the same when one has been cancelled',
  ),
  strategyUnchanged: rejection(
    'something changes',
    RULE,
    (s) => ({ ...legFacts(s, 'takeProfit'), ...legFacts(s, 'stopLoss'), ...triggerFacts(s) }),
    'another value than the present one',
  ),
  noPositionToProtect: rejection(
    'there is a position to protect',
    RULE,
    positionFacts,
    'an open position of that side',
    'take-profit and stop-loss with the opening order, or the same when it has filled',
  ),
  presetNotOpening: rejection(
    'only an opening order brings take-profit and stop-loss',
    'rules 3.6',
    (s) => ({
      side: s.order?.side === 0 ? 'buy' : 'sell',
      reduceOnly: s.order?.reduceOnly === true ? 'yes' : 'no',
    }),
    'an order that opens',
    'the same without takeProfit and stopLoss, and a strategy order for the position',
  ),
} as const;
