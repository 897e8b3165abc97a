/** Moves futures positions between accounts of one main account (wire 4.1). */

import { type CommandResult, OK } from '../../../core/model/command-result.ts';
import { Side } from '../../../core/model/enums.ts';
import { MOVED_POSITIONS_MAX } from '../../../core/model/limits.ts';
import { formatOrderId } from '../../../core/model/order-id.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import type { User } from '../../../identity/identity.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import { MOVE_FIELDS } from '../../../views/move-view.ts';
import { mayTrade } from '../../auth/sub-account-rights.ts';
import { type Route, route, type Services } from '../../route.ts';
import { Decimal, FuturesCategory, pageFields, Side as SideField, SymbolName } from '../../wire/fields.ts';
import { checkSymbol, findInstrument } from '../../wire/instrument-lookup.ts';
import { MovementOid, ownAccount, Uid } from '../../wire/money-input.ts';
import { historyPage, pageOf, WINDOW_MS } from '../../wire/paging.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import * as responses from '../../wire/responses.ts';
import { type ErrorDialect, WireError, wireError } from '../../wire/wire-error.ts';
import { sizeLots } from '../trade/order-input.ts';

const group = 'Positions';

const MoveBody = Type.Object({
  fromUid: Uid,
  toUid: Uid,
  category: FuturesCategory,
  positionList: Type.Array(
    Type.Object({
      symbol: SymbolName,
      side: Type.Enum([...SideField.enum], {
        description: 'what fromUid trades: sell gives a long away, buy a short',
      }),
      qty: Decimal,
    }),
    { minItems: 1, description: `at most ${MOVED_POSITIONS_MAX}; each is moved or refused on its own` },
  ),
  clientOid: Type.Optional(MovementOid),
});

/** Every item has a result in both lists, in the order of the request; a rejected one has its error in both. */
const Moved = Type.Object({
  closePosition: Type.Array(Type.Object(responses.texts('orderId', 'clientOid', 'code', 'msg'))),
  openPosition: Type.Array(Type.Object(responses.texts('orderId', 'clientOid', 'code', 'msg'))),
});

const Move = Type.Object(responses.texts(...MOVE_FIELDS));

async function move(
  { sequencer, identity, errorDialect }: Services,
  user: User,
  body: Static<typeof MoveBody>,
) {
  const { state } = sequencer;
  const { category, positionList } = body;
  const from = ownAccount(identity, user, body.fromUid, 'fromUid');
  if (from instanceof WireError) return from;
  const to = ownAccount(identity, user, body.toUid, 'toUid');
  if (to instanceof WireError) return to;
  if (!mayTrade(to, category)) return wireError('25620', 'toUid has no right to trade contracts');
  if (positionList.length > MOVED_POSITIONS_MAX) {
    return wireError('40306', `positionList may hold at most ${MOVED_POSITIONS_MAX} positions`);
  }
  const requests = positionList.map(({ symbol, side, qty }) => {
    const instrument = findInstrument(state, category, symbol);
    if (instrument instanceof WireError) return instrument;
    const lots = sizeLots(qty, instrument);
    const item = {
      instrument: instrument.index,
      side: side === 'buy' ? Side.buy : Side.sell,
      sizeLots: lots,
    };
    return { instrument, item };
  });
  const items = requests.flatMap((request) => (request instanceof WireError ? [] : [request.item]));
  const uids = { initiatorUid: user.uid, fromUid: from.uid, toUid: to.uid };
  const result =
    items.length === 0
      ? OK
      : await sequencer.submit({
          type: 'movePositions',
          ...uids,
          items,
          clientOid: body.clientOid ?? '',
        });
  if (result.rejectReason !== RejectReason.none) return rejectError(state, result);
  const moved = [...(result.items ?? [])];
  const results = requests.map((request): CommandResult | WireError => {
    if (request instanceof WireError) return request;
    const each = moved.shift()!;
    return each.rejectReason === RejectReason.none ? each : rejectError(state, each, request.instrument);
  });
  return {
    closePosition: results.map((each) => resultOf(each, 'orderId', errorDialect)),
    openPosition: results.map((each) => resultOf(each, 'openOrderId', errorDialect)),
  };
}

function resultOf(
  result: CommandResult | WireError,
  which: 'orderId' | 'openOrderId',
  dialect: ErrorDialect,
) {
  if (result instanceof WireError)
    return { orderId: '', clientOid: '', code: result.codeIn(dialect), msg: result.msg };
  // An order made by the exchange has its own id as client id.
  const orderId = formatOrderId(result[which]!);
  return { orderId, clientOid: orderId, code: '00000', msg: 'success' };
}

export const positionMoveRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v3/account/move-positions',
    summary: 'Moves positions between a main account and its sub-accounts, or among these, at the mark price',
    group,
    access: 'main_trade_write',
    perSecond: 1,
    body: MoveBody,
    data: Moved,
    handle: (call) => move(call, call.caller.user, call.body),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/move-position-history',
    summary: 'Positions that were moved between the accounts of the caller, newest first',
    group,
    access: 'main_trade_read',
    perSecond: 5,
    query: Type.Object({ category: FuturesCategory, symbol: Type.Optional(SymbolName), ...pageFields }),
    data: responses.page(Move),
    handle: async ({ sequencer, clock, caller, query }) => {
      const unknown = checkSymbol(sequencer.state, query.category, query.symbol);
      if (unknown !== undefined) return unknown;
      const page = historyPage(query, clock.now(), WINDOW_MS);
      if (page instanceof WireError) return page;
      await sequencer.durable();
      const moves = await sequencer.history.positionMoves({
        uid: caller.user.uid,
        category: query.category,
        ...page,
        ...(query.symbol !== undefined && { symbol: query.symbol }),
      });
      return pageOf(moves, ({ orderId }) => orderId);
    },
  }),
];
