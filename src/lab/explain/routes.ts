/** `GET /lab/explain`: why something happened, with every number. */
import { AdminError } from '../../admin/admin-error.ts';
import { closed } from '../../admin/fields.ts';
import { type OperatorRoute, operatorRoute } from '../../admin/route.ts';
import { type Static, Type } from '../../validation/schema.ts';
import type { Explain } from './explain.ts';

const Text = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }));
const Facts = Type.Record(Type.String(), Type.String());

const CheckView = Type.Object({
  check: Type.String(),
  rule: Type.String(),
  inputs: Facts,
  bound: Type.String(),
  verdict: Type.Enum(['passed', 'refused', 'not reached'] as const),
  reason: Type.Optional(Type.String()),
  rightWouldBe: Type.Optional(Type.String()),
});

const MatchView = Type.Object({
  level: Type.Integer(),
  symbol: Type.String(),
  category: Type.String(),
  side: Type.String(),
  price: Type.String(),
  qty: Type.String(),
  value: Type.String(),
  taker: Type.String(),
  maker: Type.String(),
  takerOrderId: Type.Optional(Type.String()),
  makerOrderId: Type.Optional(Type.String()),
  fees: Type.Array(Facts),
});

const PostingView = Type.Object({
  from: Type.String(),
  to: Type.String(),
  coin: Type.String(),
  amount: Type.String(),
  fromBalance: Type.Optional(Type.String()),
  toBalance: Type.Optional(Type.String()),
});

const MarginView = Type.Object({
  equity: Type.String(),
  effective: Type.String(),
  initial: Type.String(),
  maintenance: Type.String(),
  ratio: Type.String(),
  liquidationRatio: Type.String(),
  terms: Type.Array(
    Type.Object({
      of: Type.Enum(['equity', 'initial', 'maintenance'] as const),
      what: Type.String(),
      rule: Type.String(),
      inputs: Facts,
      usd: Type.String(),
    }),
  ),
  isolated: Type.Array(
    Type.Object({
      symbol: Type.String(),
      category: Type.String(),
      side: Type.Enum(['long', 'short'] as const),
      inputs: Facts,
      equity: Type.String(),
      maintenance: Type.String(),
      ratio: Type.String(),
    }),
  ),
});

const ExplanationView = Type.Object({
  what: Type.String(),
  verdict: Type.String(),
  command: Type.Object({
    seq: Type.Integer(),
    type: Type.String(),
    time: Type.Integer(),
    account: Type.String(),
  }),
  checks: Type.Array(CheckView),
  matches: Type.Array(MatchView),
  postings: Type.Array(PostingView),
  margin: Type.Union([MarginView, Type.Null()]),
  timeline: Type.Array(
    Type.Object({
      time: Type.Integer(),
      seq: Type.Integer(),
      what: Type.String(),
      facts: Facts,
      rule: Type.Optional(Type.String()),
      bound: Type.Optional(Type.String()),
      rightWouldBe: Type.Optional(Type.String()),
    }),
  ),
  rightWouldBe: Type.String(),
  docs: Type.Array(Type.String()),
  replayed: Type.Integer(),
});

export function explainRoutes(explain: Explain): readonly OperatorRoute[] {
  return [
    operatorRoute({
      method: 'GET',
      path: '/lab/explain',
      query: Type.Object(
        {
          orderId: Text,
          clientOid: Text,
          command: Text,
          liquidation: Text,
          fill: Text,
          position: Text,
          account: Text,
          symbol: Text,
          others: Type.Optional(Type.Enum(['shown', 'hidden'] as const)),
        },
        closed,
      ),
      answer: ExplanationView,
      handle: async ({ query: { others, ...written } }) => {
        const answer = await explain.answer(written, { own: undefined, others: others === 'shown' });
        // The lists of an explanation are readonly, which a schema cannot say.
        return answer instanceof AdminError ? answer : (answer as unknown as Static<typeof ExplanationView>);
      },
    }),
  ];
}
