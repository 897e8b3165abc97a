/**
 * Tells a sink of every call that names a known key (docs/inspector.md). Registered only while there is a sink, so that
 * an exchange without one pays nothing; routes tell when they have received a call. Calls without a key belong to nobody
 * who could see them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '../../identity/identity.ts';
import { RequestTimer } from '../../inspector/request-timer.ts';
import type { HttpCall, Party, SignatureFinding, TrafficSink } from '../../inspector/traffic.ts';
import type { Clock } from '../../sequencer/clock.ts';
import { partyOf } from '../auth/party.ts';
import { mistakableKeys, requestMistake } from '../auth/signature-mistakes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    received: ReceivedCall | undefined;
  }
}

export interface CallRecording {
  readonly traffic: TrafficSink;
  readonly identity: () => Identity;
  readonly wallClock: Clock;
}

/** What is known of a call from when its body was there. */
export class ReceivedCall extends RequestTimer {
  /** As it came. */
  readonly body: Uint8Array | undefined;

  constructor(agoMs: number, body: unknown) {
    super(agoMs);
    this.body = body instanceof Uint8Array ? body : undefined;
  }
}

/** Call it before anything reads the body. A hook of its own would cost each call more than this does. */
export function receive(request: FastifyRequest, reply: FastifyReply): void {
  request.received = new ReceivedCall(reply.elapsedTime, request.body);
}

const WRONG_SIGNATURE = '{"code":"40009"';
const NO_BYTES = new Uint8Array(0);

export function recordCalls(app: FastifyInstance, recording: CallRecording): void {
  const { traffic } = recording;
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.caller !== undefined) {
      traffic.call(callOf(partyOf(request.caller), request, reply, payload, recording));
    } else if (request.url.startsWith('/api/') && request.headers['access-key'] !== undefined) {
      // After the answer, whose time must not reveal which keys exist.
      const call = callOf(NOBODY, request, reply, payload, recording);
      setImmediate(() => recordRefused(call, request, recording));
    }
    done();
  });
}

const NOBODY: Party = { uid: 0, mainUid: 0, apiKey: '' };

/** A refused call belongs to the owner of the key that it named, if there is one. */
function recordRefused(
  call: HttpCall,
  { headers }: FastifyRequest,
  { traffic, identity }: CallRecording,
): void {
  const named = headers['access-key'];
  const known = identity();
  const credential = typeof named === 'string' ? known.findKey(named) : undefined;
  if (credential === undefined) return;
  let finding: SignatureFinding | undefined;
  const sign = headers['access-sign'];
  if (call.answer.startsWith(WRONG_SIGNATURE) && typeof sign === 'string') {
    const { timestamp = '', method, target: url, body = NO_BYTES } = call;
    const key = { kind: credential.key.kind, verifier: credential.verifier };
    const others = mistakableKeys(known, credential.key.apiKey);
    finding = requestMistake(key, { timestamp, method, url, body }, sign, others);
  }
  traffic.call({ ...call, party: partyOf(credential), finding });
}

function callOf(
  party: Party,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  { wallClock }: CallRecording,
): HttpCall {
  const { received } = request;
  const { headers, method, url } = request.raw;
  const tookMs = reply.elapsedTime;
  const left = reply.getHeader('x-mbx-used-remain-limit');
  const timestamp = headers['access-timestamp'];
  return {
    party,
    atMs: wallClock.now() - tookMs,
    tookMs,
    peer: request.peer,
    agent: headers['user-agent'],
    method: method!,
    target: url!,
    timestamp: typeof timestamp === 'string' ? timestamp : undefined,
    body: received?.body,
    status: reply.statusCode,
    answer: typeof payload === 'string' ? payload : '',
    left: typeof left === 'number' ? left : undefined,
    unread: reply.raw.destroyed,
    finding: undefined,
    steps: received,
  };
}
