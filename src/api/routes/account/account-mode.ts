/**
 * Mode of the account as a whole (wire 4.3). Every account is unified, in the advanced mode, with every coin that has
 * a discount rate as collateral; requests for that mode succeed, any other is rejected.
 */
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import { Success, texts } from '../../wire/responses.ts';
import { wireError } from '../../wire/wire-error.ts';

const group = 'Account mode';
const MODES = ['basic', 'advanced', 'delta', 'isolated'] as const;
const COLLATERAL_TYPES = ['mainstream', 'all', 'custom'] as const;

export const accountModeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/account/switch-status',
    summary: 'State of the switch to the unified account, which every account has made',
    group,
    access: 'mgt_read',
    perSecond: 5,
    data: Type.Object(texts('status', 'reason')),
    handle: () => ({ status: 'success', reason: '' }),
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/switch',
    summary: 'Back to the classic account; refused, there is none',
    group,
    access: 'mgt_write',
    perSecond: 1,
    data: Type.Null(),
    handle: () =>
      wireError('25009', 'every account here is unified; there is no classic account to switch to'),
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/adjust-account-mode',
    summary: 'Mode of the account; advanced is the only one',
    group,
    access: 'mgt_write',
    perSecond: 1,
    body: Type.Object({
      mode: Type.Enum([...MODES]),
      targetUid: Type.Optional(Type.String({ maxLength: 16 })),
    }),
    data: Type.Null(),
    handle: ({ body }) =>
      body.mode === 'advanced'
        ? null
        : wireError('25009', 'parameter mode must be advanced: accounts here have no other mode'),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/delta-info',
    summary: 'Delta-neutral mode, which no account has: every ratio is zero and no coin is listed',
    group,
    access: 'mgt_read',
    perSecond: 20,
    data: Type.Object({
      ...texts('deltaEquityRatio', 'deltaThreshold', 'positionThreshold'),
      list: Type.Array(Type.Object(texts('coin', 'positionRatio'))),
    }),
    handle: () => ({ deltaEquityRatio: '0', deltaThreshold: '0', positionThreshold: '0', list: [] }),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/collateral-type',
    summary: 'Which coins count as collateral: all that have a discount rate',
    group,
    access: 'mgt_read',
    perSecond: 10,
    data: Type.Object(texts('collateralType', 'collateralCoins')),
    handle: () => ({ collateralType: 'all', collateralCoins: '' }),
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/set-collateral-type',
    summary: 'Which coins count as collateral; all is the only choice',
    group,
    access: 'mgt_write',
    perSecond: 2,
    body: Type.Object({
      collateralType: Type.Enum([...COLLATERAL_TYPES]),
      collateralCoins: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    data: Success,
    handle: ({ body }) =>
      body.collateralType === 'all'
        ? 'success'
        : wireError('25240', 'parameter collateralType must be all: every coin with a discount rate counts'),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/custom-collateral-coins',
    summary: 'Coins that count as collateral; called without a key',
    group,
    access: 'public',
    perSecond: 10,
    data: Type.Array(Type.Object(texts('collateralCoin'))),
    handle: ({ sequencer: { state } }) =>
      state.coins
        .filter(({ collateral }) => collateral !== undefined && collateral.length > 0)
        .map(({ coin }) => ({ collateralCoin: coin })),
  }),
];
