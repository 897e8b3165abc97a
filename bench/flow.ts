/**
 * Seeded flows of book messages. Cancels and modifications name orders that rest at that moment, as those of real
 * clients mostly do: the flow is made on a book.
 */
import { Side, StpMode } from '../src/core/model/enums.ts';
import { BookDriver } from './book-driver.ts';
import { type Flow, MessageKind } from './messages.ts';
import { Random } from './random.ts';

export interface Shape {
  readonly name: string;
  /** How far the middle swings to each side, as a part of its price. */
  readonly swing: number;
  /** Mean distance of a resting order from the middle, in ticks. */
  readonly meanDistance: number;
  /** Most resting orders; cancels keep it. */
  readonly depth: number;
}

export const SHAPES: readonly Shape[] = [
  { name: 'static, deep', swing: 0, meanDistance: 2000, depth: 100_000 },
  { name: 'normal', swing: 0.001, meanDistance: 200, depth: 10_000 },
  { name: 'swings of 25 %', swing: 0.25, meanDistance: 200, depth: 10_000 },
  { name: 'swings of 40 %', swing: 0.4, meanDistance: 200, depth: 10_000 },
  { name: 'swings of 60 %', swing: 0.6, meanDistance: 200, depth: 10_000 },
];

const MIDDLE_TICKS = 100_000;
const SWINGS = 4;
const PARTIES = 500;
const IOC_SHARE = 0.15;
const RPI_SHARE = 0.03;
const RETAIL_SHARE = 0.2;
/** How far a taker reaches across the middle, as a part of the mean distance. */
const TAKER_REACH = 0.1;
/** Changes for each new order; cancels come on top, as many as keep the depth. */
const CHANGES = [
  [0.4, MessageKind.move],
  [0.1, MessageKind.reduce],
] as const;

export function bookFlow(shape: Shape, newOrders: number, seed: number): Flow {
  const random = new Random(seed);
  const room = Math.ceil(newOrders * 2.6);
  const flow = {
    name: shape.name,
    length: 0,
    newOrders,
    kind: new Uint8Array(room),
    order: new Int32Array(room),
    side: new Uint8Array(room),
    priceTicks: new Int32Array(room),
    lots: new Int32Array(room),
    party: new Int32Array(room),
    retail: new Uint8Array(room),
    stpMode: new Uint8Array(room),
  };
  const driver = new BookDriver();
  /** Orders that have rested; those that left meanwhile are dropped when they are drawn. */
  const resting: number[] = [];
  const draw = (): number => {
    while (resting.length > 0) {
      const at = random.below(resting.length);
      const order = resting[at]!;
      if (driver.rests(order)) return order;
      resting[at] = resting[resting.length - 1]!;
      resting.pop();
    }
    return 0;
  };
  const sideOf = new Uint8Array(newOrders + 1);

  const write = (kind: MessageKind, order: number, side: Side, middle: number): void => {
    const at = flow.length++;
    const taking = kind === MessageKind.ioc;
    const distance = taking
      ? -random.distance(shape.meanDistance * TAKER_REACH)
      : 1 + random.distance(shape.meanDistance);
    flow.kind[at] = kind;
    flow.order[at] = order;
    flow.side[at] = side;
    flow.priceTicks[at] = Math.max(1, side === Side.buy ? middle - distance : middle + distance);
    flow.lots[at] = 1 + random.below(100);
    flow.party[at] = 1 + random.below(PARTIES);
    flow.retail[at] = random.next() < RETAIL_SHARE ? 1 : 0;
    flow.stpMode[at] = 1 + random.below(StpMode.cancelBoth);
    driver.send(flow, at);
  };

  for (let order = 1; order <= newOrders; order++) {
    const turn = (order / newOrders) * SWINGS * 2 * Math.PI;
    const middle = Math.round(MIDDLE_TICKS * (1 + shape.swing * Math.sin(turn)));
    const side = random.next() < 0.5 ? Side.buy : Side.sell;
    sideOf[order] = side;
    const dice = random.next();
    const kind =
      dice < IOC_SHARE ? MessageKind.ioc : dice < IOC_SHARE + RPI_SHARE ? MessageKind.rpi : MessageKind.limit;
    write(kind, order, side, middle);
    if (kind !== MessageKind.ioc) resting.push(order);

    for (const [share, change] of CHANGES) {
      const target = random.next() < share ? draw() : 0;
      if (target !== 0) write(change, target, sideOf[target] as Side, middle);
    }
    while (driver.slab.count > shape.depth) {
      const target = draw();
      write(MessageKind.cancel, target, sideOf[target] as Side, middle);
    }
  }
  return flow;
}
