/** Parses a subscription argument: topic and, where they apply, instrument and interval (wire 5.2). */

import type { CandleInterval } from '../../core/model/candle-interval.ts';
import { CATEGORY_NAMES, type CategoryName } from '../../core/model/enums.ts';
import type { Instrument } from '../../core/model/instrument.ts';
import type { State } from '../../core/state/state.ts';
import type { RequiredPermission } from '../auth/permissions.ts';
import { INTERVAL_RULE, readInterval } from '../routes/market/candle-query.ts';
import type { BookKind } from './topics/book-levels.ts';

/** Fields of an argument; further fields of a client are repeated in pushes and otherwise ignored. */
export interface TopicArgument {
  readonly instType?: string | undefined;
  readonly topic?: string | undefined;
  readonly symbol?: string | undefined;
  /** Another name of the symbol. */
  readonly instId?: string | undefined;
  readonly interval?: string | undefined;
}

/** Book and levels a side of a topic; without a number it is the whole book, as differences. */
export const BOOK_TOPICS = {
  books: { kind: 'displayed', levels: undefined },
  books1: { kind: 'displayed', levels: 1 },
  books5: { kind: 'displayed', levels: 5 },
  books15: { kind: 'displayed', levels: 15 },
  books50: { kind: 'displayed', levels: 50 },
  'rpi-books': { kind: 'rpi', levels: undefined },
  'rpi-books1': { kind: 'rpi', levels: 1 },
  'rpi-books5': { kind: 'rpi', levels: 5 },
  'rpi-books50': { kind: 'rpi', levels: 50 },
} as const satisfies Readonly<Record<string, { kind: BookKind; levels: number | undefined }>>;

export const PUBLIC_TOPICS = [
  'ticker',
  'kline',
  'publicTrade',
  'liquidation',
  ...(Object.keys(BOOK_TOPICS) as (keyof typeof BOOK_TOPICS)[]),
] as const;
export type PublicTopic = (typeof PUBLIC_TOPICS)[number];

/** Each with the permission that the same data needs over HTTP. */
export const PRIVATE_TOPICS = {
  account: 'mgt_read',
  position: 'trade_read',
  order: 'trade_read',
  fill: 'trade_read',
  'fast-fill': 'trade_read',
  'strategy-order': 'trade_read',
  'adl-notification': 'trade_read',
} as const satisfies Readonly<Record<string, RequiredPermission>>;
export type PrivateTopic = keyof typeof PRIVATE_TOPICS;
export const PRIVATE_TOPIC_NAMES = Object.keys(PRIVATE_TOPICS) as readonly PrivateTopic[];

/** Key of a subscription within a connection; the account follows from the login. */
export const privateKey = (topic: PrivateTopic): string => `UTA ${topic}`;

export type TopicRequest =
  | { readonly kind: 'private'; readonly key: string; readonly topic: PrivateTopic }
  | {
      readonly kind: 'public';
      readonly key: string;
      readonly topic: PublicTopic;
      readonly category: CategoryName;
      /** Undefined for all symbols of a category. */
      readonly instrument: Instrument | undefined;
      readonly interval: CandleInterval | undefined;
    };

/** Returns the request, or the error with the valid values. */
export function readTopic(state: State, argument: TopicArgument): TopicRequest | string {
  const { topic } = argument;
  if (topic === undefined || argument.instType === undefined) return 'instType and topic must be given';
  const instType = argument.instType.toUpperCase();
  if (instType === 'UTA') {
    if (!isPrivate(topic)) {
      return `topic must be one of ${PRIVATE_TOPIC_NAMES.join(', ')} where instType is UTA`;
    }
    return { kind: 'private', key: privateKey(topic), topic };
  }
  const category = CATEGORY_NAMES.find((name) => name === instType);
  if (category === undefined) return 'instType must be spot, usdt-futures, coin-futures, usdc-futures or UTA';
  if (isPrivate(topic)) return `instType must be UTA for the topic ${topic}`;
  if (!isPublic(topic)) return `topic must be one of ${PUBLIC_TOPICS.join(', ')}`;
  return readPublicTopic(state, topic, category, argument);
}

function readPublicTopic(
  state: State,
  topic: PublicTopic,
  category: CategoryName,
  { symbol, instId, interval: intervalText }: TopicArgument,
): TopicRequest | string {
  const name = (symbol ?? instId)?.toUpperCase();
  const everySymbol = topic === 'liquidation' && (name === undefined || name === 'DEFAULT');
  if (name === undefined && !everySymbol) return 'symbol must be given';
  const instrument = everySymbol ? undefined : state.instrument(category, name!);
  if (instrument === undefined && !everySymbol) return `there is no such symbol in ${category.toLowerCase()}`;
  if (topic === 'liquidation' && !category.endsWith('FUTURES')) return 'liquidation exists for futures only';
  const interval = topic === 'kline' ? readInterval(intervalText ?? '') : undefined;
  if (topic === 'kline' && interval === undefined) return INTERVAL_RULE;
  const key = [category, topic, instrument?.symbol ?? '*', interval ?? ''].join(' ').trim();
  return { kind: 'public', key, topic, category, instrument, interval };
}

function isPublic(topic: string): topic is PublicTopic {
  return (PUBLIC_TOPICS as readonly string[]).includes(topic);
}

function isPrivate(topic: string): topic is PrivateTopic {
  return Object.hasOwn(PRIVATE_TOPICS, topic);
}
