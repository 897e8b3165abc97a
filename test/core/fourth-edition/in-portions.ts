/** The fourth edition on a floor, with portions small enough to act between them (rules 14). */
import type { ExchangeFloor } from '../dsl/exchange-floor.ts';

export function inPortions<Floor extends ExchangeFloor>(floor: Floor, size: number): Floor {
  floor.send({ type: 'setEdition', time: floor.now, edition: 4 });
  setPortion(floor, size);
  return floor;
}

export function setPortion(floor: ExchangeFloor, size: number): void {
  floor.arrange(({ state }) => {
    state.portion = size;
  });
}

/** The next portion: a tick within the same millisecond. */
export function nextPortion(floor: ExchangeFloor): void {
  floor.at(floor.now);
}

/** All that is left to do. Returns the number of ticks. */
export function finishWork(floor: ExchangeFloor): number {
  let ticks = 0;
  for (; floor.exchange.hasOpenWork; ticks++) nextPortion(floor);
  return ticks;
}
