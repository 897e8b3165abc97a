/** The AsyncAPI document of the streams, generated from the schemas that validate requests and describe pushes. */
import type { FastifyInstance } from 'fastify';
import { type TProperties, type TSchema, Type } from '../../validation/schema.ts';
import { VERSION } from '../../version.ts';
import { documentedInput } from '../http/documented-input.ts';
import { INSPECT_PATH, STREAM_PATHS, type StreamRole } from '../http/stream-paths.ts';
import { CONTROL } from './control.ts';
import { INSPECT_MESSAGES } from './inspect/messages.ts';
import { TRADE_TOPICS } from './order-entry.ts';
import { TOPIC_DESCRIPTIONS } from './push-schemas.ts';
import { LoginFrame, TopicArgument, TopicFrame, TradeFrame } from './schemas.ts';
import { PRIVATE_TOPICS, PUBLIC_TOPICS } from './topic-request.ts';

type Direction = 'receive' | 'send';

interface Message {
  readonly summary: string;
  readonly direction: Direction;
  readonly roles: readonly StreamRole[];
  readonly payload: TSchema;
}

const ANY_ROLE: readonly StreamRole[] = ['public', 'private', 'both'];
/** Beside those, the records of one's own requests. */
const EVERY_ROLE: readonly StreamRole[] = [...ANY_ROLE, 'inspect'];
const PUBLIC_ROLES: readonly StreamRole[] = ['public', 'both'];
const PRIVATE_ROLES: readonly StreamRole[] = ['private', 'both'];
const LOGIN_ROLES: readonly StreamRole[] = [...PRIVATE_ROLES, 'inspect'];

/** Frames contain only the fields listed here; an argument repeats the client's own fields. */
const exactly = <T extends TProperties>(fields: T) => Type.Object(fields, { additionalProperties: false });
const connId = Type.String({ description: 'names the connection in questions to the venue' });
const codes = Object.entries(CONTROL).map(
  ([name, { code, closes }]) => `${code} ${name}${closes ? ' (closes)' : ''}`,
);

const ErrorFrame = exactly({
  event: Type.Literal('error'),
  code: Type.Enum(
    Object.values(CONTROL).map(({ code }) => code),
    { description: codes.join(', ') },
  ),
  msg: Type.String(),
  arg: Type.Optional(TopicArgument),
  connId,
});
const AckFrame = exactly({
  event: Type.Enum(['subscribe', 'unsubscribe'] as const),
  arg: TopicArgument,
  connId,
});
const LoggedInFrame = exactly({
  event: Type.Literal('login'),
  code: Type.Literal(0),
  msg: Type.Literal('success'),
  connId,
});
const TradeReply = exactly({
  event: Type.Literal('trade'),
  id: Type.String(),
  category: Type.String(),
  topic: Type.Enum(Object.keys(TRADE_TOPICS)),
  args: Type.Array(
    exactly({
      symbol: Type.String(),
      orderId: Type.String(),
      clientOid: Type.String(),
      cTime: Type.Optional(Type.String({ description: 'of a single order' })),
      code: Type.Optional(Type.String({ description: 'of each order of a batch; "0" for success' })),
      msg: Type.Optional(Type.String()),
    }),
  ),
  code: Type.Literal('0'),
  msg: Type.Literal('success'),
  ts: Type.String(),
  connId,
  receiveTime: Type.String({ description: 'Unix time in microseconds' }),
  pushTime: Type.String({ description: 'Unix time in microseconds' }),
  rateLimit: Type.Array(exactly({ limit: Type.String(), remaining: Type.String() })),
});
const TradeRefusal = exactly({
  event: Type.Literal('error'),
  id: Type.String(),
  code: Type.String({ description: 'the code of the same refusal over HTTP' }),
  msg: Type.String(),
  connId,
});

function pushFrame(topic: keyof typeof TOPIC_DESCRIPTIONS): TSchema {
  return exactly({
    action: Type.Enum(['snapshot', 'update'] as const),
    arg: TopicArgument,
    data: Type.Array(TOPIC_DESCRIPTIONS[topic].data),
    ts: Type.Integer({ description: 'server time, Unix ms' }),
  });
}

/** One message per HTTP route that a topic calls; some topics have two names. */
function tradeRequests(): Record<string, Message> {
  const requests = new Map<string, { names: string[]; topic: (typeof TRADE_TOPICS)[string] }>();
  for (const [name, topic] of Object.entries(TRADE_TOPICS)) {
    const known = requests.get(topic.route.path);
    if (known === undefined) requests.set(topic.route.path, { names: [name], topic });
    else known.names.push(name);
  }
  const messageOf = (names: readonly string[], { route, batch, schema }: (typeof TRADE_TOPICS)[string]) => ({
    summary: `POST ${route.path}: ${route.summary}`,
    direction: 'receive' as const,
    roles: PRIVATE_ROLES,
    payload: Type.Object({
      ...TradeFrame.properties,
      topic: Type.Enum([...names]),
      args: batch
        ? documentedInput(schema)
        : Type.Array(documentedInput(schema), { minItems: 1, maxItems: 1 }),
    }),
  });
  return Object.fromEntries(
    [...requests.values()].map(({ names, topic }) => [`trade-${names[0]}`, messageOf(names, topic)]),
  );
}

function messages(): Readonly<Record<string, Message>> {
  const pushes = (topics: readonly (keyof typeof TOPIC_DESCRIPTIONS)[], roles: readonly StreamRole[]) =>
    Object.fromEntries(
      topics.map((topic): [string, Message] => {
        const { summary } = TOPIC_DESCRIPTIONS[topic];
        return [`push-${topic}`, { summary, direction: 'send', roles, payload: pushFrame(topic) }];
      }),
    );
  return {
    ping: {
      summary: 'The bare text ping',
      direction: 'receive',
      roles: EVERY_ROLE,
      payload: Type.Literal('ping'),
    },
    pong: {
      summary: 'The bare text pong',
      direction: 'send',
      roles: EVERY_ROLE,
      payload: Type.Literal('pong'),
    },
    subscribe: {
      summary: 'Begin or end topics; each argument is answered by itself',
      direction: 'receive',
      roles: EVERY_ROLE,
      payload: TopicFrame,
    },
    acknowledgement: {
      summary: 'The answer to one argument, in the client’s own words',
      direction: 'send',
      roles: EVERY_ROLE,
      payload: AckFrame,
    },
    error: { summary: 'What was wrong', direction: 'send', roles: EVERY_ROLE, payload: ErrorFrame },
    login: { summary: 'Who the client is', direction: 'receive', roles: LOGIN_ROLES, payload: LoginFrame },
    'logged-in': {
      summary: 'The login succeeded',
      direction: 'send',
      roles: LOGIN_ROLES,
      payload: LoggedInFrame,
    },
    ...tradeRequests(),
    'trade-reply': {
      summary: 'The result of a request, durable',
      direction: 'send',
      roles: PRIVATE_ROLES,
      payload: TradeReply,
    },
    'trade-refusal': {
      summary: 'Why a request was refused',
      direction: 'send',
      roles: ANY_ROLE,
      payload: TradeRefusal,
    },
    ...pushes(PUBLIC_TOPICS, PUBLIC_ROLES),
    ...pushes(Object.keys(PRIVATE_TOPICS) as (keyof typeof PRIVATE_TOPICS)[], PRIVATE_ROLES),
    ...INSPECT_MESSAGES,
  };
}

export function asyncApiDocument() {
  const all = Object.entries(messages());
  const channels = Object.entries({ ...STREAM_PATHS, [INSPECT_PATH]: 'inspect' as const }).map(
    ([address, role]) => {
      const served = all.filter(([, { roles }]) => roles.includes(role)).map(([name]) => name);
      const references = served.map((name) => [name, { $ref: `#/components/messages/${name}` }]);
      return [role, { address, messages: Object.fromEntries(references) }] as const;
    },
  );
  const operations = channels.flatMap(([role, { messages: served }]) =>
    (['receive', 'send'] as const).map((action) => {
      const names = Object.keys(served).filter(
        (name) => all.find(([each]) => each === name)![1].direction === action,
      );
      const messages = names.map((name) => ({ $ref: `#/channels/${role}/messages/${name}` }));
      return [`${action}-${role}`, { action, channel: { $ref: `#/channels/${role}` }, messages }] as const;
    }),
  );
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Bourse streams',
      version: VERSION,
      description:
        'Public topics, private topics and orders over WebSocket, and with --inspect on the requests of the own account. Log in with Base64(HMAC-SHA256(secret, timestamp + ' +
        '"GET" + "/user/verify")); send the text `ping` at least every 30 seconds. The HTTP interface is described in ' +
        '/openapi.json.',
    },
    defaultContentType: 'application/json',
    servers: {
      exchange: {
        host: '{host}',
        protocol: 'ws',
        description: 'wss behind a proxy that speaks TLS',
        variables: { host: { default: '127.0.0.1:8787' } },
      },
    },
    channels: Object.fromEntries(channels),
    operations: Object.fromEntries(operations),
    components: {
      messages: Object.fromEntries(
        all.map(([name, { summary, payload }]) => [name, { name, summary, payload }]),
      ),
    },
    'x-errors': Object.fromEntries(
      Object.values(CONTROL).map(({ code, means, closes }) => [code, { means, closes }]),
    ),
  };
}

/** Made with the first request for it. */
export function serveAsyncApi(app: FastifyInstance): void {
  let document: ReturnType<typeof asyncApiDocument> | undefined;
  app.get('/asyncapi.json', async () => {
    document ??= asyncApiDocument();
    return document;
  });
}
