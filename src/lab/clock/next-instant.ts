/** What an advance can go to, by name: `funding`, `interest`, `delivery`, `any`, `candle:1H`. */
import {
  CANDLE_INTERVALS,
  type CandleInterval,
  candleIntervalIndex,
  candleOpen,
  nextCandleOpen,
} from '../../core/model/candle-interval.ts';
import { type NextInstants, nextInstants } from '../../core/reads/schedule-reads.ts';
import type { State } from '../../core/state/state.ts';

const CANDLE = 'candle:';

export const NEXT_NAMES = [
  'funding',
  'interest',
  'delivery',
  'any',
] as const satisfies readonly (keyof NextInstants)[];
export const NEXT_RULE = `${NEXT_NAMES.join(', ')}, or candle:INTERVAL with one of ${CANDLE_INTERVALS.join(', ')}`;

/** Infinity when nothing of the kind is to come; undefined when there is no such name. */
export function nextInstant(name: string, state: State, now: number): number | undefined {
  const interval = candleIntervalOf(name);
  if (interval === undefined) return isNextName(name) ? nextInstants(state, now)[name] : undefined;
  const index = candleIntervalIndex(interval);
  return nextCandleOpen(index, candleOpen(index, now));
}

/** `candle:1h` as well as `candle:1H`; `1m` is a minute and `1M` a month. */
export function candleIntervalOf(name: string): CandleInterval | undefined {
  if (!name.startsWith(CANDLE)) return undefined;
  const wanted = name.slice(CANDLE.length);
  const known = (text: string) => CANDLE_INTERVALS.find((interval) => interval === text);
  return known(wanted) ?? known(wanted.replace(/[hdw]/, (unit) => unit.toUpperCase()));
}

function isNextName(name: string): name is keyof NextInstants {
  return (NEXT_NAMES as readonly string[]).includes(name);
}
