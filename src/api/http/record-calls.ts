/**
 * Tells a sink of every call that names a known key (docs/inspector.md). Registered only while there is a sink, so that
 * an exchange without one pays nothing. Calls without a key belong to nobody who could see them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyDirectory } from '../../identity/identity.ts';
import type { HttpCall, Party, TrafficSink } from '../../inspector/traffic.ts';
import type { Clock } from '../../sequencer/clock.ts';
import { partyOf } from '../auth/party.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came. */
    sentBody: Uint8Array | undefined;
  }
}

export interface CallRecording {
  readonly traffic: TrafficSink;
  readonly keys: KeyDirectory;
  readonly wall: Clock;
}

export function recordCalls(app: FastifyInstance, recording: CallRecording): void {
  const { traffic } = recording;
  app.decorateRequest('sentBody', undefined);
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body instanceof Uint8Array) request.sentBody = request.body;
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const party = request.url.startsWith('/api/') ? callerOf(request, recording.keys) : undefined;
    if (party !== undefined) traffic.call(callOf(party, request, reply, payload, recording));
    done();
  });
}

function callerOf({ caller, headers }: FastifyRequest, keys: KeyDirectory): Party | undefined {
  if (caller !== undefined) return partyOf(caller);
  const named = headers['access-key'];
  const credential = typeof named === 'string' ? keys.findKey(named) : undefined;
  return credential && partyOf(credential);
}

function callOf(
  party: Party,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  { wall }: CallRecording,
): HttpCall {
  const { headers, method, url } = request.raw;
  const tookMs = reply.elapsedTime;
  const left = reply.getHeader('x-mbx-used-remain-limit');
  const timestamp = headers['access-timestamp'];
  return {
    party,
    atMs: wall.now() - tookMs,
    tookMs,
    peer: request.peer,
    agent: headers['user-agent'],
    method: method!,
    target: url!,
    timestamp: typeof timestamp === 'string' ? timestamp : undefined,
    body: request.sentBody,
    status: reply.statusCode,
    answer: typeof payload === 'string' ? payload : '',
    left: typeof left === 'number' ? left : undefined,
    finding: undefined,
  };
}
