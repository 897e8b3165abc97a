/**
 * What a node of a cluster asks before it answers: is it still part of it, and has it applied what the caller has seen on
 * another node (`X-Bourse-After`)? Every answer says how far the node was (`X-Bourse-Seq`).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../route.ts';
import { WireError } from '../wire/wire-error.ts';
import type { Responder } from './responder.ts';

export const AFTER_HEADER = 'x-bourse-after';
export const SEQ_HEADER = 'x-bourse-seq';
export const NO_GATEWAY = 'this node is a scribe, which serves no requests: ask another one';
const AFTER_WAIT_MS = 1_000;
const SEQUENCE_NUMBER = /^(?:0|[1-9][0-9]{0,15})$/;

export interface NodeGate {
  /** Does it serve requests at all? */
  readonly isGateway: boolean;
  /** Why private requests are not answered now. */
  readonly cutOff: string | undefined;
  /** Resolves with whether the command with this number was applied in time. */
  reached(seq: number, withinMs: number): Promise<boolean>;
}

/** Calls `next`, or responds. */
export function passNode(
  gate: NodeGate,
  route: Route,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  responder: Responder,
  next: () => void,
): void {
  const refuse = (msg: string) => void responder.unavailable(reply, msg);
  if (!gate.isGateway) {
    refuse(NO_GATEWAY);
    return;
  }
  const { cutOff } = gate;
  if (cutOff !== undefined && route.access !== 'public') {
    refuse(`${cutOff}: ask another one, or try again`);
    return;
  }
  const after = headers[AFTER_HEADER];
  if (after === undefined) {
    next();
    return;
  }
  if (typeof after !== 'string' || !SEQUENCE_NUMBER.test(after)) {
    responder.fail(
      reply,
      new WireError('40017', 'X-Bourse-After must be a whole number, as X-Bourse-Seq has it'),
    );
    return;
  }
  gate
    .reached(Number(after), AFTER_WAIT_MS)
    .then((reached) =>
      reached ? next() : refuse(`this node has not applied command ${after} yet: try again`),
    )
    .catch((error: Error) => reply.send(error));
}
