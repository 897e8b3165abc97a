/**
 * A socket frame that trades, as a program. The SDK sends such frames itself. ccxt trades over HTTP alone, so its programs are
 * the call that does the same there, and say so.
 */
import { type Keys, type Program, programOf } from './code.ts';
import type { Written } from './inspect.ts';

/** curl has no sockets to speak of. */
export const FRAME_PROGRAMS: readonly Program[] = ['SDK', 'ccxt JS', 'ccxt Python'];

/** A frame with `op` trade, as it was sent. */
export interface TradeFrame {
  readonly topic: string;
  readonly category: string | undefined;
  readonly args: readonly Item[];
}

type Item = Readonly<Record<string, unknown>>;

interface Topic {
  /** The same over HTTP. */
  readonly path: string;
  readonly batch: boolean;
  /** Of the SDK's WebsocketAPIClient; without one its way to any topic serves. */
  readonly method?: string;
}

const PLACE = { path: '/api/v3/trade/place-order', batch: false, method: 'submitNewOrder' };
const PLACE_BATCH = { path: '/api/v3/trade/place-batch', batch: true, method: 'placeBatchOrders' };
const MODIFY = { path: '/api/v3/trade/modify-order', batch: false };
const MODIFY_BATCH = { path: '/api/v3/trade/batch-modify-order', batch: true };
const CANCEL = { path: '/api/v3/trade/cancel-order', batch: false, method: 'cancelOrder' };
const CANCEL_BATCH = { path: '/api/v3/trade/cancel-batch', batch: true, method: 'cancelBatchOrders' };

/** Batches have a second name, that of another client. */
export const FRAME_TOPICS: Readonly<Record<string, Topic>> = {
  'place-order': PLACE,
  'batch-place': PLACE_BATCH,
  'batch-place-order': PLACE_BATCH,
  'modify-order': MODIFY,
  'batch-modify': MODIFY_BATCH,
  'batch-modify-order': MODIFY_BATCH,
  'cancel-order': CANCEL,
  'batch-cancel': CANCEL_BATCH,
  'batch-cancel-order': CANCEL_BATCH,
};

/** Fields that HTTP has under another name. */
const FIELDS: Readonly<Record<string, string>> = {
  clientId: 'clientOid',
  takeprofit: 'takeProfit',
  stoploss: 'stopLoss',
};
/** They bound how late a frame may come, and a program is run later. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(['requestTime', 'receiveWindow']);

/** Undefined for every other frame, and for one that cannot be read. */
export function tradeFrameIn(text: string): TradeFrame | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { op, topic, category, args } = (frame ?? {}) as Record<string, unknown>;
  if (op !== 'trade' || typeof topic !== 'string' || !Object.hasOwn(FRAME_TOPICS, topic)) return undefined;
  if (!Array.isArray(args) || args.length === 0 || !args.every(isItem)) return undefined;
  if (!FRAME_TOPICS[topic]!.batch && args.length !== 1) return undefined;
  return { topic, category: typeof category === 'string' ? category : undefined, args: args.map(lasting) };
}

const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const lasting = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !OF_THE_MOMENT.has(name)));

/** The call over HTTP that does the same. */
export function callOf({ topic, category, args }: TradeFrame): Written {
  const { path, batch } = FRAME_TOPICS[topic]!;
  const bodies = args.map((item) => ({
    ...(category !== undefined && { category }),
    ...Object.fromEntries(
      Object.entries(item).map(([name, value]) => [Object.hasOwn(FIELDS, name) ? FIELDS[name] : name, value]),
    ),
  }));
  return { method: 'POST', path, query: {}, body: batch ? bodies : bodies[0]!, signed: 'yes' };
}

export function frameProgramOf(program: Program, frame: TradeFrame, origin: string, keys: Keys): string {
  if (program === 'SDK') return sdk(frame, origin, keys);
  const sign = program === 'ccxt Python' ? '#' : '//';
  return `${sign} ccxt trades over HTTP: this is the call that does the same.\n${programOf(program, callOf(frame), origin, keys)}`;
}

function sdk(
  { topic, category, args }: TradeFrame,
  origin: string,
  { apiKey, secretKey, passphrase }: Keys,
): string {
  const { batch, method } = FRAME_TOPICS[topic]!;
  const parameters = JSON.stringify(batch ? args : args[0], undefined, 2);
  const given = `${JSON.stringify(category ?? '')}, ${parameters}`;
  const call =
    method === undefined
      ? `getWSClient().sendWSAPIRequest(WS_KEY_MAP.v3Private, '${topic}', ${given})`
      : `${method}(${given})`;
  return `import { WebsocketAPIClient${method === undefined ? ', WS_KEY_MAP' : ''} } from 'bitget-api';

const client = new WebsocketAPIClient({
  wsUrl: '${origin.replace(/^http/, 'ws')}/v3/ws/private',
  apiKey: '${apiKey}',
  apiSecret: '${secretKey}',
  apiPass: '${passphrase}',
  attachEventListeners: false,
});
console.log(await client.${call});
client.getWSClient().closeAll(true);
`;
}
