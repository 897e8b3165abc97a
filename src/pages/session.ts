/**
 * `GET /web/session`: what a page must know before it can sign. The keys of the demo accounts are given only to a page of
 * this server in a browser nearby, which is on this machine unless the exchange runs in a container; a page of another origin is refused before (`http/request-source.ts`).
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { VERSION } from '../version.ts';

export interface DemoKey {
  readonly name: string;
  readonly uid: string;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
}

export interface SessionFacts {
  /** Demo keys that work: none without demo accounts, fewer when an operator has deleted some. */
  readonly demoKeys: () => readonly DemoKey[];
  /** Are requests recorded, for the inspector? */
  readonly inspect: boolean;
  /** The present clock, as in `--clock`: `wall`, `manual` or `scaled:N`. */
  readonly clock: () => string;
  /** Is this the address of a browser that may have the keys? */
  readonly isNear: (address: string) => boolean;
}

export interface Session {
  readonly demo: boolean;
  readonly accounts: readonly DemoKey[];
  readonly clock: string;
  /** Is there a laboratory? */
  readonly lab: boolean;
  readonly inspect: boolean;
  readonly version: string;
}

export function serveSession(app: FastifyInstance, { demoKeys, clock, isNear, inspect }: SessionFacts): void {
  app.get('/web/session', (request, reply) => {
    const keys = demoKeys();
    const session: Session = {
      demo: keys.length > 0,
      accounts: isOwnPageHere(request, isNear) ? keys : [],
      clock: clock(),
      lab: false,
      inspect,
      version: VERSION,
    };
    return reply.header('vary', 'sec-fetch-site').send(session);
  });
}

/** A proxy on this machine speaks for others, and a browser always says where a request of a page comes from. */
function isOwnPageHere({ headers, socket }: FastifyRequest, isNear: (address: string) => boolean): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
  const address = socket.remoteAddress;
  return headers['sec-fetch-site'] === 'same-origin' && address !== undefined && isNear(address);
}
