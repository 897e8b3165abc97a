/**
 * Requests that are nearly right: made from the OpenAPI document, then damaged. The damage is done before signing, so
 * that it gets past the signature to the code behind it.
 */

import {
  BROKEN_TEXTS,
  EMPTY_VALUES,
  NOT_DECIMAL_NUMBERS,
  NOT_DECIMAL_TEXTS,
  WRONG_TYPES,
} from './hazards.ts';
import type { RawRequest } from './raw-http.ts';
import type { Rng } from './rng.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly minimum?: number;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** JSON text, so that a number can keep a form that no number in memory has. */
const HOSTILE_VALUES: readonly string[] = [
  ...NOT_DECIMAL_TEXTS.map((text) => JSON.stringify(text)),
  ...NOT_DECIMAL_NUMBERS,
  ...WRONG_TYPES,
  ...EMPTY_VALUES,
  ...BROKEN_TEXTS,
  '"0"',
  '"9999999999999999"',
  '"999999999999999999.999999999999999999"',
  '"0.000000000000000001"',
  '"1000000000000000001"',
  '"1999999999999999999"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"\'; DROP TABLE orders; --"',
  '"{{7*7}}"',
  '"../../etc/passwd"',
  '"%00"',
  '[[[[]]]]',
  '{"a":{"b":{"c":{}}}}',
  '9007199254740993',
  '-0',
  '0.1',
  '1e5',
];
const HOSTILE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'x',
  '',
  'category ',
  'qty\u0000',
];

const TRADE_CALLS = [
  ['place-order', '/api/v3/trade/place-order'],
  ['batch-place', '/api/v3/trade/place-batch'],
  ['modify-order', '/api/v3/trade/modify-order'],
  ['batch-modify', '/api/v3/trade/batch-modify-order'],
  ['cancel-order', '/api/v3/trade/cancel-order'],
  ['batch-cancel', '/api/v3/trade/cancel-batch'],
] as const;
const TOPIC_ARGUMENTS = [
  '{"instType":"UTA","topic":"order"}',
  '{"instType":"UTA","topic":"account"}',
  '{"instType":"UTA","topic":"toString"}',
  '{"instType":"spot","topic":"ticker","symbol":"BTCUSDT"}',
  '{"instType":"usdt-futures","topic":"rpi-books","symbol":"BTCUSDT"}',
  '{"instType":"spot","topic":"kline","symbol":"BTCUSDT","interval":"1M"}',
  '{"instType":"usdt-futures","topic":"liquidation","symbol":"default"}',
  '{"instType":["spot"],"topic":"ticker","symbol":"BTCUSDT"}',
  '{"instType":"spot","topic":"ticker","symbol":{"toString":1}}',
  'null',
];

export class HostileRequests {
  private readonly operations: readonly (readonly [method: string, path: string, operation: Operation])[];
  private readonly dice: Rng;
  /** Ids that answers have shown; using them again reaches orders that exist. */
  readonly orderIds: string[] = ['1000000000000000001'];

  constructor(document: OpenApi, dice: Rng) {
    this.dice = dice;
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
    );
  }

  get routeCount(): number {
    return this.operations.length;
  }

  next(): RawRequest & { readonly body: string } {
    const [method, path, operation] = this.dice.pick(this.operations);
    const query = this.query(operation);
    const schema = operation.requestBody?.content['application/json'].schema;
    const body = schema === undefined ? '' : this.damagedText(this.damaged(schema));
    return { method, path: query === '' ? path : `${path}?${query}`, body };
  }

  /** A request over a socket: mostly orders, else a subscription, now and then a login or no operation at all. */
  nextFrame(): string {
    const { dice } = this;
    const [topic, path] = dice.pick(TRADE_CALLS);
    const schema = this.body(path);
    const frame = new Map<string, string>([
      [
        'op',
        dice.chance(0.8) ? '"trade"' : dice.pick(['"subscribe"', '"unsubscribe"', '"login"', '"x"', '7']),
      ],
      ['id', JSON.stringify(String(dice.below(1_000)))],
      ['topic', JSON.stringify(topic)],
      ['category', dice.pick(['"spot"', '"SPOT"', '"usdt-futures"', '"margin"'])],
    ]);
    if (frame.get('op') === '"trade"') {
      const orders = this.damaged(schema);
      frame.set('args', schema.type === 'array' ? orders : `[${orders}]`);
    } else frame.set('args', `[${dice.pick(TOPIC_ARGUMENTS)}]`);
    if (dice.chance(0.2))
      frame.set('requestTime', dice.pick([...HOSTILE_VALUES, JSON.stringify(String(Date.now()))]));
    if (dice.chance(0.2)) this.damageFields(frame);
    return this.damagedText(
      `{${[...frame].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`,
    );
  }

  private body(path: string): Schema {
    const [, , operation] = this.operations.find((each) => each[1] === path)!;
    return operation.requestBody!.content['application/json'].schema;
  }

  // Values that are right

  private value(name: string, schema: Schema): string {
    if (schema.enum !== undefined) return JSON.stringify(this.dice.pick(schema.enum));
    const { dice } = this;
    if (schema.type === 'boolean') return dice.pick(['true', 'false']);
    if (schema.type === 'number' || schema.type === 'integer') return dice.pick(['0', '1', '2', '50', '-5']);
    if (schema.type === 'array') return `[${this.value(name.replace(/List$/, ''), schema.items ?? {})}]`;
    if (schema.type === 'object') return this.object(schema);
    const now = Date.now();
    const values: Readonly<Record<string, () => string>> = {
      symbol: () => dice.pick(['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'BTCUSDC', 'btcusdt']),
      price: () => `${dice.pick([57500, 59900, 60000, 60100, 62500])}.${dice.below(100)}`,
      qty: () => `0.0${1 + dice.below(98)}`,
      orderId: () => dice.pick(this.orderIds),
      cursor: () => dice.pick(this.orderIds),
      clientOid: () => `fuzz-${dice.below(500)}`,
      startTime: () => String(now - dice.below(86_400_000)),
      endTime: () => String(now),
      limit: () => String(dice.below(200)),
      countdown: () => dice.pick(['0', '60']),
      interval: () => dice.pick(['1m', '1H', '1D', '1W', '1M', '1Dutc', '3D', '6H']),
      amount: () => `${dice.below(20)}.5`,
      coin: () => dice.pick(['BTC', 'USDT']),
      loanCoin: () => dice.pick(['USDT', 'USDC', 'btc', 'ETH']),
      pledgeCoin: () => dice.pick(['BTC', 'ETH', 'USDT']),
      fromCoin: () => dice.pick(['BTC', 'USDT']),
      toCoin: () => dice.pick(['BTC', 'USDT']),
      marginCoin: () => dice.pick(['BTC', 'USDT', 'USDC']),
      repayableCoin: () => dice.pick(['BTC', 'USDT', 'ETH']),
      paymentCoin: () => dice.pick(['BTC', 'USDT', 'ETH']),
      pledgeAmount: () => dice.pick(['0.01', '0.1', '1']),
      loanAmount: () => dice.pick(['100', '500', '2000.5']),
      leverage: () => String(dice.below(130)),
      longLeverage: () => String(dice.below(130)),
      shortLeverage: () => String(dice.below(130)),
      triggerPrice: () => dice.pick(['50000', '59000', '61000', '70000', '60000.05']),
      triggerOrderPrice: () => dice.pick(['50000', '60000', '70000']),
      stopPrice: () => dice.pick(['50000', '70000']),
      takeProfit: () => dice.pick(['0', '65000', '70000', '50000']),
      stopLoss: () => dice.pick(['0', '55000', '50000', '70000']),
      tpLimitPrice: () => dice.pick(['65000', '70000']),
      slLimitPrice: () => dice.pick(['55000', '50000']),
      callbackRatio: () => dice.pick(['0.01', '1', '5', '10', '11']),
      trailingPercent: () => dice.pick(['0.5', '5']),
      pageNo: () => String(dice.below(4)),
      pageSize: () => String(dice.below(200)),
      account: () => dice.pick(['alice', 'bob', 'maker', '1000000001']),
      reference: () => `fuzz-${dice.below(500)}`,
      agent: () => dice.pick(['maker', 'taker', 'maker:SPOT:BTCUSDT']),
      index: () => dice.pick(['BTCUSDT', 'ETHUSDT', 'BTCUSD']),
      yearRate: () => dice.pick(['0', '0.05', '0.9']),
      by: () => dice.pick(['1s', '90s', '250ms', '1h']),
      step: () => dice.pick(['1s', '1m', '1h']),
    };
    return JSON.stringify(values[name]?.() ?? 'x');
  }

  private fields(
    properties: Readonly<Record<string, Schema>>,
    required: readonly string[],
  ): Map<string, string> {
    const fields = new Map<string, string>();
    for (const [name, schema] of Object.entries(properties)) {
      // Most orders carry none of these, because their mere presence is refused.
      const rare = /stopPrice|trailing|takeProfit|stopLoss|(tp|sl)[A-Z]|posSide|marginMode/.test(name);
      if (required.includes(name) || this.dice.chance(rare ? 0.08 : 0.6))
        fields.set(name, this.value(name, schema));
    }
    return fields;
  }

  /** An operation's body with nothing wrong in it that a schema could find. */
  private object(schema: Schema): string {
    const fields = this.fields(schema.properties ?? {}, schema.required ?? []);
    return `{${[...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  }

  // Damage

  private damaged(schema: Schema): string {
    if (schema.type === 'array') {
      const count = this.dice.chance(0.1) ? this.dice.pick([0, 21, 40]) : 1 + this.dice.below(5);
      const items = Array.from({ length: count }, () => this.damaged(schema.items!));
      return this.dice.chance(0.05) ? (items[0] ?? 'null') : `[${items.join(',')}]`;
    }
    const fields = this.fields(schema.properties ?? {}, schema.required ?? []);
    if (this.dice.chance(0.1)) fields.set('receiveWindow', this.dice.pick(['"5000"', ...HOSTILE_VALUES]));
    this.damageFields(fields);
    const text = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
    if (this.dice.chance(0.03)) text.push(this.dice.pick(text.length === 0 ? ['"a":1'] : text));
    return this.dice.chance(0.02) ? `[{${text.join(',')}}]` : `{${text.join(',')}}`;
  }

  private damageFields(fields: Map<string, string>): void {
    const { dice } = this;
    const damages = dice.chance(0.25) ? 0 : 1 + dice.below(3);
    for (let n = 0; n < damages; n++) {
      const names = [...fields.keys()];
      const roll = dice.below(10);
      if (roll < 6 && names.length > 0) fields.set(dice.pick(names), dice.pick(HOSTILE_VALUES));
      else if (roll < 7 && names.length > 0) fields.delete(dice.pick(names));
      else if (roll < 8) fields.set(dice.pick(HOSTILE_NAMES), dice.pick(HOSTILE_VALUES));
      else if (roll < 9 && names.length > 0) {
        const name = dice.pick(names);
        fields.set(name, fields.get(name)!.toUpperCase().replaceAll('\\U', '\\u'));
      } else for (let k = 0; k < 30; k++) fields.set(`k${k}`, '"v"');
    }
  }

  private damagedText(text: string): string {
    if (!this.dice.chance(0.08)) return text;
    const at = this.dice.below(text.length + 1);
    return this.dice.pick([
      text.slice(0, at),
      `${text.slice(0, at)}${this.dice.pick(['\u0000', '\ufeff', '"', '\\', '{', '[', ',', '🂡'])}${text.slice(at)}`,
      `${text}${text}`,
      '['.repeat(1 + this.dice.below(2000)),
      'x'.repeat(70_000),
      '',
    ]);
  }

  private query(operation: Operation): string {
    const { dice } = this;
    const parameters = operation.parameters ?? [];
    const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
    const fields = this.fields(properties, required);
    if (parameters.length > 0 || dice.chance(0.2)) this.damageFields(fields);
    const pairs = [...fields].map(([name, value]) => `${escaped(name)}=${escaped(textOf(value))}`);
    if (dice.chance(0.1) && pairs.length > 0) pairs.push(dice.pick(pairs));
    if (dice.chance(0.05))
      pairs.push(dice.pick(['%zz=1', '=', '&&', 'a[]=1', 'a[b]=1', 'x=%ff', 'x=+', '#y', 'category=']));
    if (dice.chance(0.01)) pairs.push(`x=${'y'.repeat(dice.pick([2_000, 9_000]))}`);
    return pairs.join('&');
  }
}

/** A string loses its quotes; anything else goes into the query as it stands. */
function textOf(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : json;
  } catch {
    return json;
  }
}

function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** One wound in the bytes of a request, or up to eight. */
export function wounded(bytes: Buffer, dice: Rng): Buffer {
  let result = bytes;
  for (let n = dice.chance(0.6) ? 1 : 2 + dice.below(7); n > 0; n--) {
    const at = dice.below(result.length);
    const to = Math.min(result.length, at + 1 + dice.below(20));
    const [head, middle, tail] = [result.subarray(0, at), result.subarray(at, to), result.subarray(to)];
    switch (dice.below(7)) {
      case 0:
        result = Buffer.concat([head, dice.bytes(middle.length), tail]);
        break;
      case 1:
        result = Buffer.concat([head, tail]);
        break;
      case 2:
        result = Buffer.concat([head, middle, middle, tail]);
        break;
      case 3:
        result = Buffer.concat([head, dice.bytes(1 + dice.below(4)), middle, tail]);
        break;
      case 4: {
        const mark = dice.pick([
          '\r\n',
          '\n',
          '\r',
          '\0',
          ' ',
          ':',
          '\r\n\r\n',
          'Transfer-Encoding: chunked\r\n',
          '%',
          '"',
        ]);
        result = Buffer.concat([head, Buffer.from(mark), middle, tail]);
        break;
      }
      case 5:
        result = Buffer.concat([tail, head]);
        break;
      default:
        result = head.length === 0 ? result : head;
    }
    if (result.length === 0) return Buffer.from('\r\n');
  }
  return result;
}
