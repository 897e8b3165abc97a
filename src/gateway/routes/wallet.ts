/** Money from and to the outside world, and what the wallets hold (wire.md 4.3). The operator books both ends. */
import Type, { type Static } from 'typebox';
import { parseOrderId } from '../../core/orders/order-id.ts';
import { balances, freeBalance, pendingWithdrawal } from '../../core/reads.ts';
import { Refusal } from '../../core/refusal.ts';
import { Wallet } from '../../core/terms.ts';
import { formatUnits, MONEY_SCALE } from '../../core/units.ts';
import type { User } from '../../identity/identity.ts';
import type { WalletRecordType, WalletRecordView } from '../../record/wallet-record-view.ts';
import { OrderIds, SubAssets, Success } from '../answers.ts';
import { depositAddress } from '../deposit-address.ts';
import * as fields from '../fields.ts';
import { historyPage, pageLimit, WINDOW_MS } from '../paging.ts';
import { refusalError } from '../refusal-message.ts';
import { type Call, type Route, route, type Services } from '../route.ts';
import { assetViews, valueAccount } from '../valuation.ts';
import * as answers from '../wallet-answers.ts';
import {
  CoinName,
  findChain,
  findCoin,
  findOwnSub,
  lacksRight,
  MovementOid,
  Uid,
  unknownCoin,
} from '../wallet-input.ts';
import { WireError, wireError } from '../wire-error.ts';
import { requestWithdrawal } from '../withdrawal-request.ts';

const deposits = 'Deposits';
const withdrawals = 'Withdrawals';
const wallets = 'Wallets';
const money = (amount: bigint) => formatUnits(amount, MONEY_SCALE);

const RECORDS_DEFAULT = 20;
const SUB_ASSETS_DEFAULT = 10;
const SUB_ASSETS_MAX = 50;

const AddressQuery = {
  coin: CoinName,
  chain: Type.Optional(
    Type.String({ maxLength: 32, description: 'network; the first open one when absent' }),
  ),
  size: Type.Optional(fields.Decimal),
};

/** Both times are required, unlike elsewhere. */
const recordFields = { ...fields.pageFields, startTime: fields.Time, endTime: fields.Time };
const RecordQuery = Type.Object({
  coin: Type.Optional(CoinName),
  orderId: Type.Optional(fields.OrderId),
  clientOid: Type.Optional(MovementOid),
  ...recordFields,
});
const SubRecordQuery = Type.Object({ subUid: Uid, coin: Type.Optional(CoinName), ...recordFields });

const WithdrawalBody = Type.Object({
  coin: CoinName,
  transferType: Type.Enum(['on_chain', 'internal_transfer'] as const),
  address: Type.String({
    pattern: '^[!-~]{1,128}$',
    description: 'on_chain: the address; internal_transfer: the uid of the receiver',
  }),
  size: Type.String({ ...fields.Decimal, description: 'what leaves the account, the network fee included' }),
  chain: Type.Optional(Type.String({ maxLength: 32, description: 'network, required on_chain' })),
  innerToType: Type.Optional(Type.Enum(['uid'] as const)),
  tag: Type.Optional(
    Type.String({ pattern: '^[!-~]{1,64}$', description: 'memo, where the network needs one' }),
  ),
  remark: Type.Optional(Type.String({ maxLength: 128 })),
  clientOid: Type.Optional(MovementOid),
  accountType: Type.Optional(
    Type.String({
      maxLength: 32,
      description: 'wallets to pay from: funding, uta; default both, funding first',
    }),
  ),
});

export function addressOf(
  { venue, addressKey }: Services,
  uid: number,
  coinName: string,
  chainName?: string,
) {
  const coin = findCoin(venue.state, coinName);
  if (coin === undefined) return unknownCoin();
  const chain = findChain(coin, chainName, 'rechargeable');
  if (chain instanceof WireError) return chain;
  const { address, tag } = depositAddress(addressKey, uid, coin.spec.coin, chain);
  return { address, chain: chain.chain, coin: coin.spec.coin, tag, url: '' };
}

async function readRecords(
  { venue, clock }: Services,
  uid: number,
  type: WalletRecordType,
  query: Static<typeof RecordQuery>,
): Promise<WalletRecordView[] | WireError> {
  const page = historyPage(query, clock.now(), WINDOW_MS, RECORDS_DEFAULT);
  if (page instanceof WireError) return page;
  // An id that nothing can have finds nothing.
  const orderId = query.orderId === undefined ? undefined : (parseOrderId(query.orderId) ?? 0);
  await venue.settled();
  return venue.history.walletRecords({
    uid,
    type,
    ...page,
    ...(query.coin !== undefined && { coin: query.coin.toUpperCase() }),
    ...(orderId !== undefined && { orderId }),
    ...(query.clientOid !== undefined && { clientOid: query.clientOid }),
  });
}

function subDeposits(call: Call<unknown, unknown>, query: Static<typeof SubRecordQuery>) {
  const sub = findOwnSub(call.identity, call.caller.user, query.subUid);
  return sub instanceof WireError ? sub : readRecords(call, sub.uid, 'deposit', query);
}

function withdrawalRoute(path: string): Route {
  return route({
    method: 'POST',
    path,
    summary:
      'Asks for money to be paid out: to a network, when the operator settles it, or to another account at once',
    group: withdrawals,
    access: 'withdraw',
    perSecond: 1,
    body: WithdrawalBody,
    data: OrderIds,
    handle: (call) => requestWithdrawal(call, call.caller.user, call.body),
  });
}

function subAssets({ venue }: Services, { uid }: User) {
  const { state } = venue;
  return { subUid: String(uid), cursor: String(uid), assets: assetViews(state, valueAccount(state, uid)) };
}

export const walletRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/account/funding-assets',
    summary: 'Coins of the funding wallet',
    group: wallets,
    access: 'mgt_read',
    perSecond: 20,
    query: Type.Object({ coin: Type.Optional(CoinName) }),
    data: Type.Array(answers.FundingAsset),
    handle: ({ venue: { state }, caller: { user }, query }) => {
      const named = query.coin === undefined ? undefined : findCoin(state, query.coin);
      if (query.coin !== undefined && named === undefined) return unknownCoin();
      return balances(state, user.uid)
        .filter(({ coin, funding }) => (named === undefined ? funding > 0n : coin === named.index))
        .map(({ coin, funding }) => {
          const held = money(funding);
          return { coin: state.coins[coin]!.coin, available: held, frozen: '0', balance: held };
        });
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/sub-unified-assets',
    summary: 'Coins of the sub-accounts in their unified accounts',
    group: wallets,
    access: 'main_read',
    perSecond: 1,
    query: Type.Object({
      subUid: Type.Optional(Uid),
      cursor: Type.Optional(Type.String({ ...Uid, description: 'subUid of the last row before' })),
      limit: Type.Optional(fields.Limit),
    }),
    data: Type.Array(SubAssets),
    handle: (call) => {
      const { identity, caller, query } = call;
      if (query.subUid !== undefined) {
        const sub = findOwnSub(identity, caller.user, query.subUid);
        return sub instanceof WireError ? sub : [subAssets(call, sub)];
      }
      const limit = pageLimit(query.limit, SUB_ASSETS_DEFAULT, SUB_ASSETS_MAX);
      if (limit instanceof WireError) return limit;
      const afterUid = query.cursor === undefined ? undefined : Number(query.cursor);
      const subs = identity.listSubs(caller.user.uid, { limit, ...(afterUid !== undefined && { afterUid }) });
      return subs.map((sub) => subAssets(call, sub));
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/deposit-address',
    summary: 'Where to send a deposit; the operator credits it',
    group: deposits,
    access: 'mgt_read',
    perSecond: 10,
    query: Type.Object(AddressQuery),
    data: answers.DepositAddress,
    handle: (call) =>
      lacksRight(call.caller.user, 'deposit') ??
      addressOf(call, call.caller.user.uid, call.query.coin, call.query.chain),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/sub-deposit-address',
    summary: 'Where to send a deposit for a sub-account',
    group: deposits,
    access: 'main_read',
    perSecond: 10,
    query: Type.Object({ subUid: Uid, ...AddressQuery }),
    data: answers.DepositAddress,
    handle: (call) => {
      const { subUid, coin, chain } = call.query;
      const sub = findOwnSub(call.identity, call.caller.user, subUid);
      return sub instanceof WireError ? sub : addressOf(call, sub.uid, coin, chain);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/deposit-records',
    summary: 'Deposits, newest first',
    group: deposits,
    access: 'mgt_read',
    perSecond: 10,
    query: RecordQuery,
    data: Type.Array(answers.DepositRecord),
    handle: (call) => readRecords(call, call.caller.user.uid, 'deposit', call.query),
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/sub-deposit-records',
    summary: 'Deposits of a sub-account, newest first',
    group: deposits,
    access: 'main_read',
    perSecond: 10,
    query: SubRecordQuery,
    data: Type.Array(answers.DepositRecord),
    handle: (call) => subDeposits(call, call.query),
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/sub-deposit-records',
    summary: 'Deposits of a sub-account, newest first, for clients that send the question as a body',
    group: deposits,
    access: 'main_read',
    perSecond: 10,
    body: SubRecordQuery,
    data: Type.Array(answers.DepositRecord),
    handle: (call) => subDeposits(call, call.body),
  }),

  withdrawalRoute('/api/v3/account/withdrawal'),
  withdrawalRoute('/api/v3/account/withdraw'),

  route({
    method: 'POST',
    path: '/api/v3/account/cancel-withdrawal',
    summary: 'Takes back a withdrawal that the operator has not settled yet; orderId wins over clientOid',
    group: withdrawals,
    access: 'withdraw',
    perSecond: 1,
    body: Type.Object({
      orderId: Type.Optional(fields.OrderId),
      clientOid: Type.Optional(MovementOid),
    }),
    data: Success,
    handle: async ({ venue, caller: { user }, body }) => {
      const { orderId, clientOid } = body;
      if (orderId === undefined && clientOid === undefined) {
        return wireError('40019', 'orderId or clientOid must be given');
      }
      const id = orderId === undefined ? 0 : (parseOrderId(orderId) ?? -1);
      const withdrawalId = pendingWithdrawal(venue.state, user.uid, id, clientOid ?? '')?.id ?? 0;
      const outcome = await venue.submit({
        type: 'endWithdrawal',
        time: 0,
        withdrawalId,
        uid: user.uid,
        paid: false,
        reference: 'taken back by the owner',
      });
      return outcome.refusal === Refusal.none ? 'success' : refusalError(venue.state, outcome);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/withdrawal-records',
    summary: 'Withdrawals, newest first',
    group: withdrawals,
    access: 'mgt_read',
    perSecond: 10,
    query: RecordQuery,
    data: Type.Array(answers.WithdrawalRecord),
    handle: async (call) => {
      const records = await readRecords(call, call.caller.user.uid, 'withdraw', call.query);
      return records instanceof WireError ? records : records.map((each) => ({ ...each, confirm: '0' }));
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/max-withdrawal',
    summary: 'How much of a coin can be withdrawn from each wallet',
    group: withdrawals,
    access: 'mgt_read',
    perSecond: 10,
    query: Type.Object({ coin: CoinName }),
    data: answers.MaxWithdrawal,
    handle: ({ venue: { state }, caller: { user }, query }) => {
      const coin = findCoin(state, query.coin);
      if (coin === undefined) return unknownCoin();
      const funding = freeBalance(state, user.uid, coin.index, Wallet.funding);
      const unified = freeBalance(state, user.uid, coin.index, Wallet.unified);
      return {
        coin: coin.spec.coin,
        otcMaxWithdrawal: '0',
        spotMaxWithdrawal: money(funding),
        utaMaxWithdrawal: money(unified),
        totalMaxWithdrawal: money(funding + unified),
      };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/deduct-info',
    summary: 'Whether the account wants fees taken from the deduction coin; no such coin is configured',
    group: wallets,
    access: 'mgt_read',
    perSecond: 1,
    data: Type.Object({ deduct: Type.String() }),
    handle: ({ venue, caller }) => {
      const on = venue.state.accountByUid.get(caller.user.uid)?.feeDeduction ?? false;
      return { deduct: on ? 'on' : 'off' };
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/account/switch-deduct',
    summary:
      'Remembers the wish to pay fees in the deduction coin; no such coin is configured, so nothing changes',
    group: wallets,
    access: 'mgt_write',
    perSecond: 1,
    body: Type.Object({ deduct: Type.Enum(['on', 'off'] as const) }),
    data: Type.Literal(true),
    handle: async ({ venue, caller, body }) => {
      const on = body.deduct === 'on';
      const outcome = await venue.submit({ type: 'setFeeDeduction', time: 0, uid: caller.user.uid, on });
      return outcome.refusal === Refusal.none ? true : refusalError(venue.state, outcome);
    },
  }),
];
