/** The caller's account: identity, balances, settings, fees (interface 4.5, wire 4.3). */

import { HOLD_MODE_NAMES, HoldMode } from '../../../core/model/enums.ts';
import { formatMoney, formatRate } from '../../../core/model/units.ts';
import { coinLeverage } from '../../../core/reads/margin-reads.ts';
import { feeRates } from '../../../core/reads/reads.ts';
import type { Account } from '../../../core/state/account.ts';
import type { State } from '../../../core/state/state.ts';
import { Type } from '../../../validation/schema.ts';
import { marginModeName } from '../../../views/futures-enums.ts';
import { type Route, route } from '../../route.ts';
import { Category, SymbolName } from '../../wire/fields.ts';
import { findInstrument, instrumentsOf } from '../../wire/instrument-lookup.ts';
import * as responses from '../../wire/responses.ts';
import { WireError } from '../../wire/wire-error.ts';
import { assetViews, dollarsIn, marginRatio, valueAccount } from './valuation.ts';

const group = 'Account';
/** Contracts whose mode or leverage the account has set. */
function symbolConfigs(state: State, account: Account) {
  return [...account.futuresSettings].map(([index, { isolated, longLeverage }]) => {
    const { category, symbol } = state.instruments[index]!.spec;
    return { category, symbol, marginMode: marginModeName(isolated), leverage: String(longLeverage) };
  });
}

/** Coins of margin pairs, each with the leverage of debts in it. */
function coinConfigs(state: State, account: Account) {
  return state.coins
    .map(({ coin }, index) => ({ coin, index }))
    .filter(({ index }) => state.lending[index]!.maxLeverage > 0)
    .map(({ coin, index }) => ({ coin, leverage: String(coinLeverage(state, account, index)) }));
}

export const accountRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/account/info',
    summary: 'The caller and its key',
    group,
    access: 'none',
    perSecond: 5,
    data: responses.AccountInfo,
    handle: ({ caller: { user, key } }) => ({
      userId: String(user.uid),
      inviterId: user.inviterId,
      parentId: user.mainUid === undefined ? '' : String(user.mainUid),
      channelCode: user.channelCode,
      channel: user.channel,
      ips: key.ipList.join(','),
      permType: key.permType === 'read_only' ? 'read-only' : 'read-and-write',
      permissions: [...key.permissions],
      regisTime: String(user.regisTime),
    }),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/assets',
    summary: 'Coins of the unified account and their worth',
    group,
    access: 'mgt_read',
    perSecond: 20,
    data: responses.Assets,
    handle: ({ sequencer, caller }) => {
      const { state } = sequencer;
      const valuation = valueAccount(state, caller.user.uid);
      const { risk, unrealisedUsd } = valuation;
      const ratio = marginRatio(risk);
      return {
        accountEquity: formatMoney(risk.equity),
        usdtEquity: formatMoney(dollarsIn(state, 'USDT', risk.equity)),
        btcEquity: formatMoney(dollarsIn(state, 'BTC', risk.equity)),
        unrealisedPnl: formatMoney(unrealisedUsd),
        usdtUnrealisedPnl: formatMoney(dollarsIn(state, 'USDT', unrealisedUsd)),
        btcUnrealizedPnl: formatMoney(dollarsIn(state, 'BTC', unrealisedUsd)),
        effEquity: formatMoney(risk.effective),
        mmr: formatMoney(risk.maintenance),
        imr: formatMoney(risk.initial),
        mgnRatio: ratio,
        // Only positions need maintenance margin, so both ratios are equal.
        positionMgnRatio: ratio,
        assets: assetViews(state, valuation),
      };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/settings',
    summary: 'How the account is set up',
    group,
    access: 'mgt_read',
    perSecond: 20,
    data: responses.Settings,
    handle: ({ sequencer: { state }, caller }) => {
      const account = state.accountByUid.get(caller.user.uid);
      return {
        uid: String(caller.user.uid),
        accountMode: 'unified',
        assetMode: 'multi_assets',
        accountLevel: 'advanced',
        holdMode: HOLD_MODE_NAMES[account?.holdMode ?? HoldMode.oneWay],
        stpMode: 'none',
        symbolConfigList: account === undefined ? [] : symbolConfigs(state, account),
        coinConfigList: account === undefined ? [] : coinConfigs(state, account),
      };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/fee-rate',
    summary: 'Fee rates of one symbol',
    group,
    access: 'mgt_read',
    perSecond: 3,
    query: Type.Object({ category: Category, symbol: SymbolName }),
    data: responses.FeeRate,
    handle: ({ sequencer, caller, query }) => {
      const instrument = findInstrument(sequencer.state, query.category, query.symbol);
      if (instrument instanceof WireError) return instrument;
      const { makerRate, takerRate } = feeRates(sequencer.state, caller.user.uid, instrument);
      return { makerFeeRate: formatRate(makerRate), takerFeeRate: formatRate(takerRate) };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/all-fee-rate',
    summary: 'Fee rates of a category',
    group,
    access: 'mgt_read',
    perSecond: 3,
    query: Type.Object({ category: Category, symbol: Type.Optional(SymbolName) }),
    data: Type.Array(responses.SymbolFeeRate),
    handle: ({ sequencer, caller, query }) => {
      const { state } = sequencer;
      const one =
        query.symbol === undefined ? undefined : findInstrument(state, query.category, query.symbol);
      if (one instanceof WireError) return one;
      const instruments = one === undefined ? instrumentsOf(state, query.category) : [one];
      return instruments.map((instrument) => {
        const { makerRate, takerRate } = feeRates(state, caller.user.uid, instrument);
        return {
          symbol: instrument.symbol,
          makerFeeRate: formatRate(makerRate),
          takerFeeRate: formatRate(takerRate),
        };
      });
    },
  }),
];
