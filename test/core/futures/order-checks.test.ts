/** The checks before matching in their order (rules 1.2), for orders that open and that close positions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OFF_GRID, type PlaceOrder } from '../../../src/core/model/command.ts';
import { OrderType, PosSide, Side, Source, StpMode, TimeInForce } from '../../../src/core/model/enums.ts';
import type { Preset } from '../../../src/core/model/tpsl.ts';
import { legOf, refusalName } from '../dsl/words.ts';
import { BTC_PERPETUAL, FuturesFloor } from './futures-floor.ts';

/** Ann of hedge mode is long 1 from 60 000 with little behind it; 0.4 of it are being closed. */
function hedgedFloor(): FuturesFloor {
  const floor = new FuturesFloor({
    ...BTC_PERPETUAL,
    minOrderQty: '0.001',
    buyLimitPriceRatio: '0.2',
    sellLimitPriceRatio: '0.2',
  });
  floor.trader('bob', { USDT: '10000000' });
  floor.trader('ann', { USDT: '3100' });
  floor.holdMode('ann', 'hedge_mode');
  floor.leverage('ann', 20);
  floor.sell('bob', '1', '60000');
  floor.buy('ann', '1', '60000', { posSide: 'long' });
  floor.sell('ann', '0.4', '61000', { posSide: 'long', clientOid: 'taken' });
  return floor;
}

const preset = (floor: FuturesFloor, takeProfit: string): Preset => ({
  takeProfit: legOf(floor.instrument(), takeProfit),
  stopLoss: legOf(floor.instrument(), undefined),
});

type Fault = readonly [rejectReason: string, spoiled: (floor: FuturesFloor) => Partial<PlaceOrder>];

/** Numbers 2 to 11 are the same for both. */
const SHARED: readonly Fault[] = [
  [
    'openingRestricted|closingRestricted',
    (floor) => {
      floor.setStatus('limit_close', 'BTCUSDT', 'USDT-FUTURES');
      return {};
    },
  ],
  ['illegalCombination', () => ({ quoteAmount: 100n })],
  ['priceOffTick', () => ({ priceTicks: OFF_GRID })],
  ['sizeTooSmall', () => ({ sizeLots: 1 })],
  ['rpiNotAllowed', () => ({ timeInForce: TimeInForce.rpi })],
  ['clientOidInUse', () => ({ clientOid: 'taken' })],
];

const CLOSING: readonly Fault[] = [
  ...SHARED,
  ['closeAboveAvailable', () => ({ sizeLots: 6001 })],
  ['presetNotOpening', (floor) => ({ preset: preset(floor, '59000') })],
  ['sellBeyondBankruptcy', () => ({ priceTicks: 560_000 })],
];

const OPENING: readonly Fault[] = [
  [
    'openingRestricted|closingRestricted',
    (floor) => {
      floor.setStatus('limit_open', 'BTCUSDT', 'USDT-FUTURES');
      return {};
    },
  ],
  ...SHARED.slice(1),
  // 1,000 more are beyond the last tier.
  ['aboveTier', () => ({ sizeLots: 10_000_000 })],
  ['longTakeProfitByLast', (floor) => ({ preset: preset(floor, '59000') })],
  ['insufficientMargin', () => ({ priceTicks: 700_000 })],
];

function order(floor: FuturesFloor, side: Side, priceTicks: number): PlaceOrder {
  return {
    type: 'placeOrder',
    time: floor.now,
    uid: floor.uid('ann'),
    source: Source.api,
    instrument: floor.instrument().index,
    side,
    orderType: OrderType.limit,
    timeInForce: TimeInForce.gtc,
    stpMode: StpMode.none,
    priceTicks,
    sizeLots: 50,
    quoteAmount: 0n,
    clientOid: '',
    posSide: PosSide.long,
  };
}

function refusalOf(side: Side, priceTicks: number, faults: readonly Fault[]): string {
  const floor = hedgedFloor();
  const command = order(floor, side, priceTicks);
  for (const [, spoil] of faults) Object.assign(command, spoil(floor));
  return refusalName(floor.send(command).rejectReason);
}

/** Two faults of one field cannot both be there. */
function share(one: Fault, other: Fault): boolean {
  const floor = hedgedFloor();
  const fields = Object.keys(one[1](floor));
  return Object.keys(other[1](floor)).some((field) => fields.includes(field));
}

for (const [kind, side, price, faults] of [
  ['closes', Side.sell, 610_000, CLOSING],
  ['opens', Side.buy, 590_000, OPENING],
] as const) {
  test(`an order that ${kind} is refused for the first of its faults`, () => {
    assert.equal(refusalOf(side, price, []), 'none');
    faults.forEach((fault, n) => {
      assert.match(refusalOf(side, price, [fault]), new RegExp(`^(${fault[0]})$`));
      for (const later of faults.slice(n + 1)) {
        if (share(fault, later)) continue;
        const name = `${fault[0]} comes before ${later[0]}`;
        assert.match(refusalOf(side, price, [fault, later]), new RegExp(`^(${fault[0]})$`), name);
      }
    });
  });
}

test('an order of hedge mode that does not say which position is refused before its numbers are looked at', () => {
  const floor = hedgedFloor();
  const command = { ...order(floor, Side.sell, OFF_GRID), posSide: PosSide.none };
  assert.equal(refusalName(floor.send(command).rejectReason), 'positionSideNeeded');
});
