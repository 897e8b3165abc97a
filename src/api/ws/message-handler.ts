/** Handles the messages of a client: ping, login, subscriptions, orders (wire 5). */

import type { CallFault, CallFaults } from '../../http/call-faults.ts';
import type { Clock } from '../../sequencer/clock.ts';
import { SchemaCheck } from '../../validation/schema-check.ts';
import { checkPermission } from '../auth/permissions.ts';
import { injectedRejection, ORDER_PATHS } from '../http/faulty-calls.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { Caller, Services } from '../route.ts';
import { BODY_LIMITS, parseBody } from '../wire/safe-json.ts';
import type { Channels } from './channels.ts';
import type { Connection } from './connection.ts';
import { answerFaulty, FAULTS_OF_TRADES } from './faulty-trades.ts';
import { acknowledgement, pongFrame, tradeErrorText } from './frames.ts';
import type { Inspector } from './inspect/inspector.ts';
import {
  ARGUMENT_CHARS_MAX,
  CHANNELS_PER_CONNECTION_MAX,
  FLOOD_COST,
  FRAME_BYTES_MAX,
  FRAME_STRING_CHARS_MAX,
  MESSAGES_PER_SECOND,
  SUBSCRIBE_BYTES_MAX,
  SUBSCRIBE_REQUESTS_PER_HOUR,
  TRADES_IN_FLIGHT_MAX,
} from './limits.ts';
import { tradePath, type WsOrderEntry } from './order-entry.ts';
import type { TopicCall, TradeCall } from './schemas.ts';
import { LoginFrame, TopicFrame, TradeFrame, TradeId } from './schemas.ts';
import type { SessionAuth } from './session-auth.ts';
import { PRIVATE_TOPICS, readTopic, type TopicArgument, type TopicRequest } from './topic-request.ts';

const FRAME_LIMITS = {
  ...BODY_LIMITS,
  bytesMax: FRAME_BYTES_MAX,
  stringCharsMax: FRAME_STRING_CHARS_MAX,
} as const;
const PING = 'ping';
const PONG = 'pong';

const loginFrame = new SchemaCheck(LoginFrame);
const topicFrame = new SchemaCheck(TopicFrame);
const tradeFrame = new SchemaCheck(TradeFrame);
const tradeIdShape = new SchemaCheck(TradeId);

export interface MessageHandlerOptions extends Services {
  readonly wallClock: Clock;
  /** The clock of rate limits. Default: the machine's. */
  readonly limitClock?: Clock;
  readonly limiter: RateLimiter;
  readonly limited: boolean;
  readonly channels: Channels;
  readonly trading: WsOrderEntry;
  readonly logins: SessionAuth;
  /** Undefined without a laboratory. */
  readonly faults?: CallFaults | undefined;
  /** Undefined while nothing is recorded; its path is refused then. */
  readonly inspector?: Inspector | undefined;
}

export class MessageHandler {
  private readonly options: MessageHandlerOptions;

  constructor(options: MessageHandlerOptions) {
    this.options = options;
  }

  onMessage(connection: Connection, bytes: Buffer, binary: boolean): void {
    // Messages behind the end of a connection are ignored.
    if (!connection.open) return;
    const nowMs = this.options.wallClock.now();
    connection.onClientMessage(nowMs);
    if (this.options.limited && this.isFlood(connection)) return;
    if (binary) {
      connection.fail('illegalRequest', 'messages are JSON text, not binary');
      return;
    }
    if (bytes.length === PING.length && bytes.toString('latin1') === PING) {
      connection.send(PONG);
      return;
    }
    const parsed = parseBody(bytes, FRAME_LIMITS);
    if (!parsed.ok || Array.isArray(parsed.value) || bytes.length === 0) {
      connection.fail(
        'illegalRequest',
        parsed.ok ? 'a message is a JSON object with op and args' : parsed.msg,
      );
      return;
    }
    this.dispatch(connection, parsed.value, bytes.length);
  }

  /** A protocol ping counts like the text `ping` (wire 5.1). */
  onPing(connection: Connection, bytes: Buffer): void {
    if (!connection.open) return;
    const nowMs = this.options.wallClock.now();
    connection.onClientMessage(nowMs);
    if (this.options.limited && this.isFlood(connection)) return;
    connection.deliver(pongFrame(bytes));
  }

  onPong(connection: Connection): void {
    if (!connection.open) return;
    const nowMs = this.options.wallClock.now();
    connection.onAlive(nowMs);
    if (!connection.consumePong() && this.options.limited) this.isFlood(connection);
  }

  /** True when the message exceeded the limit and the connection was closed. */
  private isFlood(connection: Connection): boolean {
    const nowMs = this.limitMs();
    const verdict = connection.countMessage(nowMs);
    const most = `at most ${MESSAGES_PER_SECOND} a second`;
    if (verdict === 'tooMany') connection.fail('tooManyRequests', `too many messages: ${most}, or this ends`);
    if (verdict !== 'over') return false;
    this.options.limiter.chargeOverall(connection.peer, nowMs, FLOOD_COST);
    connection.fail('overLimit', `too many messages: ${most}`);
    return true;
  }

  private limitMs(): number {
    const { limitClock, wallClock } = this.options;
    return (limitClock ?? wallClock).now();
  }

  private dispatch(
    connection: Connection,
    frame: object & { op?: unknown; id?: unknown },
    length: number,
  ): void {
    if (connection.role === 'inspect' && frame.op !== 'login') {
      if (this.options.logins.isCurrent(connection)) this.options.inspector!.handle(connection, frame);
      return;
    }
    switch (frame.op) {
      case 'login':
        if (!loginFrame.passes(frame)) connection.fail('loginFailed', LOGIN_SHAPE);
        else this.options.logins.login(connection, frame);
        return;
      case 'subscribe':
      case 'unsubscribe':
        if (!topicFrame.passes(frame)) connection.fail('parameterWrong', TOPIC_SHAPE);
        else if (length > SUBSCRIBE_BYTES_MAX)
          connection.fail('parameterWrong', `one request may have at most ${SUBSCRIBE_BYTES_MAX} bytes`);
        else this.topics(connection, frame);
        return;
      case 'trade':
        if (!tradeFrame.passes(frame)) connection.failTrade(tradeId(frame), 'parameterWrong', TRADE_SHAPE);
        else this.trade(connection, frame);
        return;
      default:
        connection.fail('unknownOperation', 'op must be login, subscribe, unsubscribe or trade');
    }
  }

  private topics(connection: Connection, { op, args }: TopicCall): void {
    if (op === 'subscribe' && this.options.limited) {
      const verdict = connection.countSubscribe(this.limitMs());
      const most = `at most ${SUBSCRIBE_REQUESTS_PER_HOUR} subscribe requests an hour`;
      if (verdict !== 'fine') {
        connection.fail(verdict === 'over' ? 'overLimit' : 'tooManyRequests', most);
        return;
      }
    }
    const { channels, sequencer } = this.options;
    for (const argument of args) {
      const arg = JSON.stringify(argument);
      if (arg.length > ARGUMENT_CHARS_MAX) {
        connection.fail('parameterWrong', `an argument may have at most ${ARGUMENT_CHARS_MAX} characters`);
        continue;
      }
      const request = readTopic(sequencer.state, argument);
      if (typeof request === 'string') {
        connection.fail('unknownChannel', request, arg);
      } else if (op === 'unsubscribe') {
        channels.unsubscribe(connection, request.key);
        connection.send(acknowledgement('unsubscribe', arg, connection.id));
      } else if (this.mayRead(connection, request, arg)) {
        connection.send(acknowledgement('subscribe', arg, connection.id));
        channels.subscribe(connection, request, arg);
      }
    }
  }

  /** Subscribes again to what the client had, without another acknowledgement. */
  resubscribe(connection: Connection, args: readonly string[]): void {
    const { channels, sequencer } = this.options;
    for (const arg of args) {
      const request = readTopic(sequencer.state, JSON.parse(arg) as TopicArgument);
      if (typeof request === 'string') connection.fail('unknownChannel', request, arg);
      else if (this.mayRead(connection, request, arg)) channels.subscribe(connection, request, arg);
    }
  }

  /** False when the topic is not allowed and the client got the error. */
  private mayRead(connection: Connection, request: TopicRequest, arg: string): boolean {
    const { role, caller, subscriptions } = connection;
    if (request.kind === 'public') {
      if (role === 'private') {
        connection.fail('unknownChannel', 'public topics are served at /v3/ws/public', arg);
        return false;
      }
    } else {
      if (role === 'public') {
        connection.fail('unknownChannel', 'private topics are served at /v3/ws/private', arg);
        return false;
      }
      if (caller === undefined) {
        connection.fail('loginNeeded', 'log in first', arg);
        return false;
      }
      const denied = checkPermission(caller, PRIVATE_TOPICS[request.topic]);
      if (denied !== undefined) {
        connection.fail('permissionMissing', denied.msg, arg);
        return false;
      }
    }
    if (subscriptions.size >= CHANNELS_PER_CONNECTION_MAX && !subscriptions.has(request.key)) {
      connection.fail('overLimit', `at most ${CHANNELS_PER_CONNECTION_MAX} channels a connection`);
      return false;
    }
    return true;
  }

  private trade(connection: Connection, call: TradeCall): void {
    const { caller } = connection;
    if (connection.role === 'public') {
      connection.failTrade(String(call.id), 'unknownOperation', 'orders are taken at /v3/ws/private');
      return;
    }
    if (caller === undefined) {
      connection.failTrade(String(call.id), 'loginNeeded', 'log in first');
      return;
    }
    if (!this.options.logins.isCurrent(connection)) return;
    if (++connection.tradesInFlight >= TRADES_IN_FLIGHT_MAX) connection.ws.pause();
    const answered = (text: string | undefined) => {
      if (--connection.tradesInFlight < TRADES_IN_FLIGHT_MAX && connection.ws.isPaused)
        connection.ws.resume();
      if (text !== undefined) connection.send(text, timer);
    };
    const timer = connection.recorder?.timer();
    const answer = () => this.options.trading.answer(call, caller, connection.id, timer);
    const fault = this.faultOf(call, caller);
    void (fault === undefined ? answer() : this.answerFaulty(fault, call, connection, answer)).then(answered);
  }

  private faultOf({ topic, args }: TradeCall, { key: { apiKey } }: Caller): CallFault | undefined {
    const { faults } = this.options;
    if (faults === undefined) return undefined;
    const path = tradePath(topic);
    const named = ORDER_PATHS.has(path)
      ? faults.named(args.map(({ clientOid, clientId = clientOid }) => textOf(clientId)))
      : undefined;
    const findFault = faults.call;
    if (findFault === undefined) return named;
    const symbols = () => args.flatMap(({ symbol }) => (typeof symbol === 'string' ? [symbol] : []));
    return findFault({ method: 'POST', path, apiKey, symbols, kinds: FAULTS_OF_TRADES }) ?? named;
  }

  private answerFaulty(
    fault: CallFault,
    { id, args, category }: TradeCall,
    connection: Connection,
    answer: () => Promise<string>,
  ): Promise<string | undefined> {
    const { sequencer, errorDialect, faults } = this.options;
    const items = args.map((item) => ({ category: category?.toUpperCase(), ...item }));
    return answerFaulty(fault, faults!, {
      call: { uid: connection.caller?.user.uid, body: items },
      answer,
      refuse: (code, msg) => {
        const refusal = injectedRejection({ code, msg }, sequencer.state, items);
        return tradeErrorText(String(id), refusal.codeIn(errorDialect), refusal.msg, connection.id);
      },
      cut: () => connection.stream.resetAndDestroy(),
    });
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Undefined when the request has no id that could be repeated. */
function tradeId({ id }: { readonly id?: unknown }): string | undefined {
  return tradeIdShape.passes(id) ? String(id) : undefined;
}

const LOGIN_SHAPE = 'a login has one argument with apiKey, passphrase, timestamp and sign';
const TOPIC_SHAPE = 'args must be a list of objects with instType, topic and, for public topics, symbol';
const TRADE_SHAPE = 'a trade request has id, topic and a list of args';
