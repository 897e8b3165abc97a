/** Preview of a leverage before it is set (wire 4.3). */

import { OrderType, Side } from '../../../core/model/enums.ts';
import { formatMoney } from '../../../core/model/units.ts';
import { previewCoinLeverage } from '../../../core/reads/coin-leverage-preview.ts';
import { previewLeverage, withSetting } from '../../../core/reads/leverage-preview.ts';
import { futuresSetting, markTicks } from '../../../core/reads/margin-reads.ts';
import { maxOpenSize } from '../../../core/reads/max-open-size.ts';
import type { State } from '../../../core/state/state.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import { MarginMode } from '../../wire/fields.ts';
import { findAccount, findInstrument } from '../../wire/instrument-lookup.ts';
import { findCoin } from '../../wire/money-input.ts';
import * as responses from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { sizeText } from '../market/market-view.ts';
import { modeLocked } from '../trade/margin-mode.ts';
import { LeverageBody, leveragesOf } from './futures-account.ts';

const Query = Type.Object({ ...LeverageBody.properties, marginMode: MarginMode });

/** Margin trading has one leverage per coin. */
function previewOfCoin(state: State, uid: number, query: Static<typeof Query>) {
  if (query.coin === undefined) return wireError('40019', 'coin must be given for margin trading');
  const coin = findCoin(state, query.coin);
  const most = coin === undefined ? 0 : state.lending[coin.index]!.maxLeverage;
  if (coin === undefined || most === 0) return wireError('25201', 'coin must be one of a margin pair');
  const account = findAccount(state, uid);
  if (account instanceof WireError) return account;
  const leverage = Number(query.leverage ?? 0);
  if (leverage < 1 || leverage > most) return wireError('25223', `leverage must be from 1 to ${most}`);
  const { borrowable, required, change } = previewCoinLeverage(state, account, coin.index, leverage);
  return {
    estMaxOpen: '',
    estMaxBorrowable: formatMoney(borrowable),
    requiredMargin: formatMoney(required),
    marginChange: formatMoney(change),
  };
}

function preview(state: State, uid: number, query: Static<typeof Query>) {
  const { category, symbol } = query;
  if (category === 'MARGIN') return previewOfCoin(state, uid, query);
  if (symbol === undefined) return wireError('40019', 'symbol must be given for futures');
  const instrument = findInstrument(state, category, symbol);
  if (instrument instanceof WireError) return instrument;
  const account = findAccount(state, uid);
  if (account instanceof WireError) return account;
  const isolated = query.marginMode === 'isolated';
  const locked = modeLocked(state, account, instrument, isolated);
  if (locked !== undefined) return locked;
  const sides = leveragesOf(query, isolated);
  if (sides instanceof WireError) return sides;
  const before = futuresSetting(account, instrument);
  const setting = {
    isolated,
    longLeverage: sides.longLeverage || before.longLeverage,
    shortLeverage: sides.shortLeverage || before.shortLeverage,
  };
  const { minLeverage, maxLeverage } = instrument.futures!;
  for (const leverage of [setting.longLeverage, setting.shortLeverage]) {
    if (leverage < minLeverage || leverage > maxLeverage)
      return wireError('25223', `leverage must be from ${minLeverage} to ${maxLeverage}`);
  }
  const { required, change } = previewLeverage(state, account, instrument, setting);
  const asIf = withSetting(account, instrument, setting);
  const mark = markTicks(state, instrument);
  const opening = { side: Side.buy, orderType: OrderType.limit, priceTicks: mark };
  const { lots } = maxOpenSize(state, asIf, instrument, opening, 0);
  return {
    estMaxOpen: sizeText(instrument, lots),
    estMaxBorrowable: '',
    requiredMargin: formatMoney(required),
    marginChange: formatMoney(change),
  };
}

export const leveragePreviewRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/account/pre-set-leverage',
    summary:
      'What a leverage would mean: the most a buy at the mark could open, the margin of the positions, and how much more of the account it would bind',
    group: 'Futures account',
    access: 'mgt_read',
    perSecond: 10,
    query: Query,
    data: Type.Object(responses.texts('estMaxOpen', 'estMaxBorrowable', 'requiredMargin', 'marginChange')),
    handle: ({ sequencer: { state }, caller, query }) => preview(state, caller.user.uid, query),
  }),
];
