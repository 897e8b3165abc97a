/** Limits of connections (reliability 3.3). */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { opensStream } from './stream-paths.ts';

export const CONNECTIONS_MAX = 10_000;
const CONNECTIONS_PER_IP_MAX = 512;

export const HTTP_LIMITS = {
  bodyBytes: 64 * 1024,
  server: {
    headersTimeout: 5_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 8_192,
    // Node would respond without an envelope; `request-shape.ts` checks it instead.
    requireHostHeader: false,
    shouldUpgradeCallback: opensStream,
  },
} as const;

/** A property of Node's responses that its types do not declare. */
type LimitedResponse = ServerResponse & { readonly maxRequestsOnConnectionReached?: boolean };

export function limitConnections(server: Server, connectionsMax = CONNECTIONS_MAX): void {
  // However few connections there are, one address must not use all of them.
  const perAddressMax = Math.min(CONNECTIONS_PER_IP_MAX, Math.ceil(connectionsMax / 2));
  // Fastify overwrites these two whatever options the server was created with.
  server.requestTimeout = 10_000;
  server.keepAliveTimeout = 30_000;
  server.maxHeadersCount = 64;
  server.maxRequestsPerSocket = 10_000;
  // Node announces the last response of a connection but leaves the closing to the client; a client that goes on
  // would get bare 503s.
  server.prependListener('request', (_request, response: LimitedResponse) => {
    if (response.maxRequestsOnConnectionReached) response.shouldKeepAlive = false;
  });
  server.maxConnections = connectionsMax;
  // Node would reject an expectation without an envelope; `request-shape.ts` does it.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    socket.setNoDelay(true);
    const address = socket.remoteAddress ?? '';
    const count = (open.get(address) ?? 0) + 1;
    if (count > perAddressMax) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = open.get(address)! - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}
