/**
 * Futures settings of an account: leverage, hold mode, isolated margin, and the largest size to open (wire 4.1, 4.3).
 */

import { HOLD_MODE_NAMES, ORDER_TYPE_NAMES, SIDE_NAMES, Side } from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { formatMoney, formatUnits, MONEY_SCALE, parseUnits } from '../../../core/model/units.ts';
import { futuresSetting, maxSpendable } from '../../../core/reads/margin-reads.ts';
import { NIL } from '../../../core/reads/market-reads.ts';
import { maxOpenSize } from '../../../core/reads/max-open-size.ts';
import type { Account } from '../../../core/state/account.ts';
import type { State } from '../../../core/state/state.ts';
import { SUBS_PER_BROKER_MAX, SUBS_PER_USER_MAX } from '../../../identity/identity.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { findAccount, findInstrument } from '../../wire/instrument-lookup.ts';
import { findCoin } from '../../wire/money-input.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import * as responses from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { largestOfParty, largestPosition } from '../market/futures-market.ts';
import { marginIsCrossed, submitInMarginMode } from '../trade/margin-mode.ts';
import { priceTicks, sizeLots } from '../trade/order-input.ts';
import { moveMargin } from './isolated-margin.ts';

const group = 'Futures account';

const Leverage = Type.String({ pattern: '^[0-9]{1,4}(\\.0{1,8})?$', description: 'whole number' });

export const LeverageBody = Type.Object({
  category: Type.Enum(['MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const, {
    description: 'product category',
  }),
  symbol: Type.Optional(fields.SymbolName),
  leverage: Type.Optional(Leverage),
  coin: Type.Optional(Type.String({ maxLength: 20, description: 'margin trading only' })),
  posSide: Type.Optional(fields.PosSide),
  marginMode: Type.Optional(fields.MarginMode),
  longLeverage: Type.Optional(Leverage),
  shortLeverage: Type.Optional(Leverage),
});

interface Sides {
  /** 0 leaves a side unchanged. */
  readonly longLeverage: number;
  readonly shortLeverage: number;
}

/** `longLeverage` and `shortLeverage` take precedence over `leverage`; sides may differ only in isolated margin. */
export function leveragesOf(body: Static<typeof LeverageBody>, isolated: boolean): Sides | WireError {
  const { leverage, posSide } = body;
  if (leverage === undefined && body.longLeverage === undefined && body.shortLeverage === undefined) {
    return wireError('40019', 'leverage must be given');
  }
  const side = (own: string | undefined, name: 'long' | 'short') =>
    Number(own ?? (isolated && posSide !== undefined && posSide !== name ? 0 : (leverage ?? 0)));
  const longLeverage = side(body.longLeverage, 'long');
  const shortLeverage = side(body.shortLeverage, 'short');
  if (!isolated && longLeverage !== shortLeverage) {
    return wireError(
      '40017',
      'crossed margin has one leverage: longLeverage and shortLeverage must be the same',
    );
  }
  return { longLeverage, shortLeverage };
}

async function setLeverage(sequencer: Sequencer, uid: number, body: Static<typeof LeverageBody>) {
  const { state } = sequencer;
  const { category } = body;
  if (category === 'MARGIN') return setCoinLeverage(sequencer, uid, body);
  if (body.symbol === undefined) return wireError('40019', 'symbol must be given for futures');
  const instrument = findInstrument(state, category, body.symbol);
  if (instrument instanceof WireError) return instrument;
  const account = findAccount(state, uid);
  if (account instanceof WireError) return account;
  const isolated =
    body.marginMode === undefined
      ? futuresSetting(account, instrument).isolated
      : body.marginMode === 'isolated';
  const sides = leveragesOf(body, isolated);
  if (sides instanceof WireError) return sides;
  const least = instrument.futures!.minLeverage;
  if (Object.values(sides).some((value) => value !== 0 && value < least) || everySideKept(sides)) {
    return wireError('25200', `leverage must be at least ${least}`);
  }
  const command = { type: 'setLeverage', uid, instrument: instrument.index, ...sides } as const;
  const result = await submitInMarginMode(sequencer, command, instrument, body.marginMode);
  if (result instanceof WireError) return result;
  return result.rejectReason === RejectReason.none ? 'success' : rejectError(state, result, instrument);
}

/** Margin trading has one leverage per coin, for debts in it. */
async function setCoinLeverage(sequencer: Sequencer, uid: number, body: Static<typeof LeverageBody>) {
  const { state } = sequencer;
  if (body.marginMode === 'isolated') return marginIsCrossed();
  if (body.coin === undefined) return wireError('40019', 'coin must be given for margin trading');
  if (body.leverage === undefined) return wireError('40019', 'leverage must be given');
  const coin = findCoin(state, body.coin);
  if (coin === undefined || state.lending[coin.index]!.maxLeverage === 0) {
    return wireError('25201', 'coin must be one of a margin pair');
  }
  const leverage = Number(body.leverage);
  if (leverage < 1) return wireError('25200', 'leverage must be at least 1');
  const result = await sequencer.submit({
    type: 'setCoinLeverage',
    uid,
    coin: coin.index,
    leverage,
  });
  return result.rejectReason === RejectReason.none ? 'success' : rejectError(state, result);
}

function everySideKept({ longLeverage, shortLeverage }: Sides): boolean {
  return longLeverage === 0 && shortLeverage === 0;
}

const MaxOpenBody = Type.Object({
  category: fields.Category,
  symbol: fields.SymbolName,
  orderType: fields.OrderType,
  side: fields.Side,
  price: Type.Optional(fields.Decimal),
  size: Type.Optional(fields.Decimal),
});

const MaxOpen = Type.Object(
  responses.texts(
    'available',
    'maxOpen',
    'buyOpenCost',
    'sellOpenCost',
    'maxBuyOpen',
    'maxSellOpen',
    'maxBuyAvailable',
    'maxSellAvailable',
  ),
);

const NOTHING = {
  available: '',
  maxOpen: '',
  buyOpenCost: '',
  sellOpenCost: '',
  maxBuyOpen: '',
  maxSellOpen: '',
  maxBuyAvailable: '',
  maxSellAvailable: '',
};

function maxOpenAvailable(sequencer: Sequencer, uid: number, body: Static<typeof MaxOpenBody>) {
  const { state } = sequencer;
  const instrument = findInstrument(state, body.category, body.symbol);
  if (instrument instanceof WireError) return instrument;
  const account = findAccount(state, uid);
  if (account instanceof WireError) return account;
  const side = SIDE_NAMES.indexOf(body.side) as Side;
  if (instrument.futures === undefined) return maxSpotSize(state, account, instrument, side);
  const orderType = ORDER_TYPE_NAMES.indexOf(body.orderType) as 0 | 1;
  if (body.orderType === 'limit' && body.price === undefined) {
    return wireError('40019', 'price must be given for a limit order');
  }
  const ticks = body.orderType === 'limit' ? priceTicks(body.price!, instrument) : 0;
  if (ticks < 0) return wireError('25244', aboveZero('price', instrument.pricePrecision));
  const lots = body.size === undefined ? 0 : sizeLots(body.size, instrument);
  if (lots < 0) return wireError('25610', aboveZero('size', instrument.quantityPrecision));
  const size = (value: number) => formatUnits(BigInt(value), instrument.quantityPrecision);
  const of = (which: Side) =>
    maxOpenSize(state, account, instrument, { side: which, orderType, priceTicks: ticks }, lots);
  const [buy, sell] = [of(Side.buy), of(Side.sell)];
  return {
    ...NOTHING,
    available: formatMoney(buy.available),
    maxOpen: size(side === Side.buy ? buy.lots : sell.lots),
    buyOpenCost: lots === 0 ? '' : formatMoney(buy.cost),
    sellOpenCost: lots === 0 ? '' : formatMoney(sell.cost),
    maxBuyOpen: size(buy.lots),
    maxSellOpen: size(sell.lots),
  };
}

function aboveZero(field: string, decimals: number): string {
  return `${field} must be above zero and have at most ${decimals} decimals`;
}

/** The largest size of a spot order; of a margin order including what it could borrow. */
function maxSpotSize(state: State, account: Account, instrument: Instrument, side: Side) {
  const most = (pair: Instrument, of: Side) =>
    formatUnits(
      maxSpendable(state, account, { instrument: pair, side: of, limitTicks: 0, slot: NIL }),
      MONEY_SCALE,
    );
  if (instrument.margin === undefined) return { ...NOTHING, available: most(instrument, side) };
  const spot = state.instrument('SPOT', instrument.symbol)!;
  return {
    ...NOTHING,
    available: most(spot, side),
    maxBuyAvailable: most(instrument, Side.buy),
    maxSellAvailable: most(instrument, Side.sell),
  };
}

const maxOpenRow = {
  path: '/api/v3/account/max-open-available',
  summary: 'What an order could spend (spot), spend with borrowing (margin) or open (futures) at most now',
  group,
  access: 'trade_read',
  perSecond: 5,
  data: MaxOpen,
} as const;

export const futuresAccountRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v3/account/set-leverage',
    summary:
      'Set the leverage of a contract, or of what is owed in a coin (MARGIN); a marginMode given becomes the mode of the symbol',
    group,
    access: 'mgt_write',
    perSecond: 10,
    body: LeverageBody,
    data: responses.Success,
    handle: ({ sequencer, caller, body }) => setLeverage(sequencer, caller.user.uid, body),
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/set-hold-mode',
    summary: 'One net position a contract, or a long and a short; changes only while nothing is open',
    group,
    access: 'mgt_write',
    perSecond: 10,
    body: Type.Object({ holdMode: Type.Enum([...HOLD_MODE_NAMES]) }),
    data: responses.Success,
    handle: async ({ sequencer, caller, body }) => {
      const holdMode = HOLD_MODE_NAMES.indexOf(body.holdMode);
      const result = await sequencer.submit({
        type: 'setHoldMode',
        uid: caller.user.uid,
        holdMode,
      });
      return result.rejectReason === RejectReason.none ? 'success' : rejectError(sequencer.state, result);
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/set-margin',
    summary: 'Add margin to an isolated position, or take some out of it',
    group,
    access: 'mgt_write',
    perSecond: 10,
    body: Type.Object({
      category: fields.FuturesCategory,
      symbol: fields.SymbolName,
      posSide: fields.PosSide,
      operation: Type.Enum(['add', 'remove'] as const),
      amount: fields.Decimal,
    }),
    data: responses.Success,
    handle: ({ sequencer, caller, body }) => {
      const instrument = findInstrument(sequencer.state, body.category, body.symbol);
      if (instrument instanceof WireError) return instrument;
      const amount = parseUnits(body.amount, MONEY_SCALE);
      if (amount === undefined) return wireError('25200', `amount must have at most ${MONEY_SCALE} decimals`);
      const signed = body.operation === 'add' ? amount : -amount;
      return moveMargin(sequencer, caller.user.uid, instrument, body.posSide, signed);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/open-interest-limit',
    summary:
      'The largest position in a contract, in quote coin: of an account, of a market maker, and of a main account with its sub-accounts',
    group,
    access: 'mgt_read',
    perSecond: 5,
    query: Type.Object({ category: fields.FuturesCategory, symbol: fields.SymbolName }),
    data: Type.Object(responses.texts('symbol', 'singleUserLimit', 'masterSubLimit', 'marketMakerLimit')),
    handle: ({ sequencer: { state }, identity, caller: { user }, query }) => {
      const instrument = findInstrument(state, query.category, query.symbol);
      if (instrument instanceof WireError) return instrument;
      const main = user.mainUid === undefined ? user : identity.findUser(user.mainUid);
      const broker = main?.broker === true;
      const subs = broker ? SUBS_PER_BROKER_MAX : SUBS_PER_USER_MAX;
      const limit = largestPosition(instrument.futures!);
      return {
        symbol: instrument.symbol,
        singleUserLimit: limit,
        masterSubLimit: largestOfParty(state, instrument.futures!, { broker, subs }),
        marketMakerLimit: limit,
      };
    },
  }),

  route({
    ...maxOpenRow,
    method: 'POST',
    body: MaxOpenBody,
    handle: ({ sequencer, caller, body }) => maxOpenAvailable(sequencer, caller.user.uid, body),
  }),

  route({
    ...maxOpenRow,
    method: 'GET',
    query: MaxOpenBody,
    handle: ({ sequencer, caller, query }) => maxOpenAvailable(sequencer, caller.user.uid, query),
  }),
];
