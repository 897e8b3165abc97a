/** Instruments: listing them, their status and fees. */

import { instrumentProblem } from '../../catalogue/entry-check.ts';
import type { InstrumentSpec } from '../../core/model/listing-spec.ts';
import { formatRate, parseUnits, RATE_SCALE } from '../../core/model/units.ts';
import { openOrdersByInstrument } from '../../core/reads/reads.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import {
  AccountText,
  CategoryText,
  CommandSeq,
  closed,
  DecimalText,
  Spec,
  StatusText,
  SymbolText,
} from '../fields.ts';
import { findAccount, findInstrument } from '../lookup.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';
import { InstrumentView, instrumentView } from './instrument-view.ts';

const Changed = Type.Object({ instrument: InstrumentView, command: CommandSeq });

export const listingRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/instruments',
    query: Type.Object({ category: Type.Optional(CategoryText) }, closed),
    answer: Type.Object({ instruments: Type.Array(InstrumentView) }),
    handle: ({ sequencer: { state }, query }) => {
      const counts = openOrdersByInstrument(state);
      const instruments = state.instruments
        .filter(({ spec }) => query.category === undefined || spec.category === query.category)
        .map((instrument) => instrumentView(state, instrument, counts[instrument.index]!));
      return { instruments };
    },
  }),

  operatorRoute({
    method: 'GET',
    path: '/admin/instruments/:category/:symbol',
    params: Type.Object({ category: CategoryText, symbol: SymbolText }),
    /** As `POST /admin/instruments` takes it. */
    answer: Type.Object({ spec: Spec }),
    handle: ({ sequencer: { state }, params: { category, symbol } }) => {
      const instrument = findInstrument(state, category, symbol);
      return instrument instanceof AdminError ? instrument : { spec: { ...instrument.spec } };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/instruments',
    body: Type.Object({ spec: Spec }, closed),
    answer: Changed,
    action: 'instrument.add',
    auditArguments: ({ body: { spec } }) => ({ spec }),
    handle: async ({ sequencer, body, audited }) => {
      const problem = instrumentProblem(body.spec);
      if (problem !== undefined) return new AdminError('invalid_request', problem);
      const spec = body.spec as unknown as InstrumentSpec;
      const result = await audited.submit({ type: 'listInstrument', spec });
      if (result instanceof AdminError) return result;
      const instrument = sequencer.state.instrument(spec.category, spec.symbol)!;
      return { instrument: instrumentView(sequencer.state, instrument, 0), command: audited.command };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/instruments/status',
    body: Type.Object({ category: CategoryText, symbol: SymbolText, status: StatusText }, closed),
    answer: Changed,
    action: 'instrument.status',
    auditArguments: ({ body }) => ({ category: body.category, symbol: body.symbol, status: body.status }),
    handle: async ({ sequencer, body, audited }) => {
      const { state } = sequencer;
      const instrument = findInstrument(state, body.category, body.symbol);
      if (instrument instanceof AdminError) return instrument;
      const { index } = instrument;
      const result = await audited.submit({
        type: 'setInstrumentStatus',
        instrument: index,
        status: body.status,
      });
      if (result instanceof AdminError) return result;
      return {
        instrument: instrumentView(state, instrument, openOrdersByInstrument(state)[index]!),
        command: audited.command,
      };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/fees',
    body: Type.Object(
      {
        account: AccountText,
        category: CategoryText,
        symbol: SymbolText,
        maker: DecimalText,
        taker: DecimalText,
      },
      closed,
    ),
    answer: Type.Object({
      uid: Type.Integer(),
      category: Type.String(),
      symbol: Type.String(),
      maker: Type.String(),
      taker: Type.String(),
      command: CommandSeq,
    }),
    auditDetail: ({ uid }) => `account ${uid}`,
    action: 'fees.set',
    auditArguments: ({ body: { account, category, symbol, maker, taker } }) => ({
      account,
      category,
      symbol,
      maker,
      taker,
    }),
    handle: async ({ sequencer, identity, body, audited }) => {
      const { state } = sequencer;
      const { category, symbol } = body;
      const account = findAccount(identity, state, body.account);
      if (account instanceof AdminError) return account;
      const instrument = findInstrument(state, category, symbol);
      if (instrument instanceof AdminError) return instrument;
      const makerRate = parseUnits(body.maker, RATE_SCALE);
      const takerRate = parseUnits(body.taker, RATE_SCALE);
      if (makerRate === undefined || takerRate === undefined) {
        return new AdminError('invalid_request', `a rate has at most ${RATE_SCALE} decimal places`);
      }
      const { uid } = account;
      const { index } = instrument;
      const result = await audited.submit({
        type: 'setFees',
        uid,
        instrument: index,
        makerRate,
        takerRate,
      });
      if (result instanceof AdminError) return result;
      return {
        uid,
        category,
        symbol,
        maker: formatRate(makerRate),
        taker: formatRate(takerRate),
        command: audited.command,
      };
    },
  }),
];
