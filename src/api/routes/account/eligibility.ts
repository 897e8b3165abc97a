/**
 * Instruments and coins that the caller may trade and borrow (wire 4.3): the public lists without those closed to it.
 */

import { Source } from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { placingRejectReason } from '../../../core/model/instrument-status.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { formatMoney } from '../../../core/model/units.ts';
import { poolLeft } from '../../../core/reads/borrowing-reads.ts';
import type { State } from '../../../core/state/state.ts';
import { Type } from '../../../validation/schema.ts';
import { mayTrade } from '../../auth/sub-account-rights.ts';
import { type Route, route } from '../../route.ts';
import { SymbolName } from '../../wire/fields.ts';
import { CoinName, findCoin, unknownCoin } from '../../wire/money-input.ts';
import * as responses from '../../wire/responses.ts';
import { WireError } from '../../wire/wire-error.ts';
import { debtTiers, PositionTier } from '../market/futures-market.ts';
import { instrumentView } from '../market/market-view.ts';

const group = 'Account';
const coinQuery = Type.Object({ coin: Type.Optional(CoinName) });

/** Tradable through the API now, to open or to close. */
function isOpen(state: State, instrument: Instrument): boolean {
  return [true, false].some(
    (opening) => placingRejectReason(instrument, opening, Source.api, state.now) === RejectReason.none,
  );
}

/** The coins on loan, or the one that is asked for. */
function lentCoins(state: State, name: string | undefined) {
  const names = name === undefined ? state.coins.map(({ coin }) => coin) : [name];
  const coins = names.map((each) => findCoin(state, each)).filter((coin) => coin !== undefined);
  if (coins.length === 0) return unknownCoin();
  return coins.filter(({ index }) => state.lending[index]!.terms.userLimit > 0n);
}

export const eligibilityRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/account/eligible-symbols',
    summary: 'Instruments that the account may trade now: open to the API, and not withheld by its broker',
    group,
    access: 'mgt_read',
    perSecond: 10,
    query: Type.Object({ symbol: Type.Optional(SymbolName) }),
    data: Type.Array(responses.Instrument),
    handle: ({ sequencer: { state }, caller, query }) =>
      state.instruments
        .filter(({ symbol }) => query.symbol === undefined || symbol === query.symbol)
        .filter(({ spec }) => mayTrade(caller.user, spec.category))
        .filter((instrument) => isOpen(state, instrument))
        .map((instrument) => instrumentView(state, instrument)),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/eligible-margin-tier',
    summary:
      'Leverage and maintenance rate by the dollar value of a debt, for each coin that can be borrowed',
    group,
    access: 'mgt_read',
    perSecond: 10,
    query: coinQuery,
    data: Type.Array(Type.Object({ coin: Type.String(), tiers: Type.Array(PositionTier) })),
    handle: ({ sequencer: { state }, query }) => {
      const coins = lentCoins(state, query.coin);
      if (coins instanceof WireError) return coins;
      return coins.map(({ spec: { coin } }) => ({ coin, tiers: debtTiers(state, coin, undefined) }));
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/eligible-loan-info',
    summary:
      'How much of each coin can be borrowed: by the account, with its sub-accounts, and from the pool',
    group,
    access: 'mgt_read',
    perSecond: 10,
    query: coinQuery,
    data: Type.Array(Type.Object(responses.texts('coin', 'limit', 'masterSubLimit', 'platformRemaingQuota'))),
    handle: ({ sequencer: { state }, query }) => {
      const coins = lentCoins(state, query.coin);
      if (coins instanceof WireError) return coins;
      return coins.map(({ index, spec: { coin } }) => {
        const { userLimit, masterSubLimit } = state.lending[index]!.terms;
        return {
          coin,
          limit: formatMoney(userLimit),
          masterSubLimit: formatMoney(masterSubLimit),
          platformRemaingQuota: formatMoney(poolLeft(state, index)),
        };
      });
    },
  }),
];
