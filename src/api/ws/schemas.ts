/** Schemas of client messages: they validate and document (`asyncapi.ts`). Unknown keys pass (wire rule 18). */
import { type Static, Type } from '../../validation/schema.ts';

export const LoginArgument = Type.Object({
  apiKey: Type.String({ minLength: 1, maxLength: 128 }),
  passphrase: Type.String({ minLength: 1, maxLength: 128 }),
  timestamp: Type.Union([Type.String({ maxLength: 32 }), Type.Number()], {
    description: 'Unix time in seconds or milliseconds',
  }),
  sign: Type.String({
    minLength: 1,
    maxLength: 1024,
    description:
      'Base64(HMAC-SHA256(secret, timestamp + "GET" + "/user/verify")), or the RSA or Ed25519 signature',
  }),
});

export const TopicArgument = Type.Object({
  instType: Type.Optional(
    Type.String({
      maxLength: 32,
      description: 'spot, usdt-futures, coin-futures, usdc-futures; UTA for private topics',
    }),
  ),
  topic: Type.Optional(Type.String({ maxLength: 32 })),
  symbol: Type.Optional(Type.String({ maxLength: 32 })),
  instId: Type.Optional(Type.String({ maxLength: 32, description: 'the symbol under another name' })),
  interval: Type.Optional(Type.String({ maxLength: 8, description: 'of kline' })),
});

export const LoginFrame = Type.Object({
  op: Type.Literal('login'),
  args: Type.Array(LoginArgument, { minItems: 1, maxItems: 1 }),
});

export const TopicFrame = Type.Object({
  op: Type.Enum(['subscribe', 'unsubscribe'] as const),
  args: Type.Array(TopicArgument, { minItems: 1 }),
});

export const TradeId = Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Integer()], {
  description: 'repeated in the answer',
});

export const TradeFrame = Type.Object({
  op: Type.Literal('trade'),
  id: TradeId,
  topic: Type.String({ maxLength: 32 }),
  category: Type.Optional(Type.String({ maxLength: 32 })),
  args: Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1 }),
  requestTime: Type.Optional(
    Type.Union([Type.String({ maxLength: 32 }), Type.Number()], {
      description:
        'Unix time in milliseconds; an order with a receiveWindow (10 to 60000 ms) that comes later is cancelled',
    }),
  ),
});

export type Login = Static<typeof LoginFrame>;
export type TopicCall = Static<typeof TopicFrame>;
export type TradeCall = Static<typeof TradeFrame>;
