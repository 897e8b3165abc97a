/** How much of the machine one connection may use (reliability 3.3). */
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
    // Node would answer by itself, without an envelope; `request-shape.ts` does it.
    requireHostHeader: false,
    shouldUpgradeCallback: opensStream,
  },
} as const;

/** Node's own mark, which its types do not mention. */
type LimitedResponse = ServerResponse & { readonly maxRequestsOnConnectionReached?: boolean };

export function limitConnections(server: Server, connectionsMax = CONNECTIONS_MAX): void {
  // However few there are, one address must not take them all.
  const perAddressMax = Math.min(CONNECTIONS_PER_IP_MAX, Math.ceil(connectionsMax / 2));
  // Fastify sets these two itself, whatever the server was made with.
  server.requestTimeout = 10_000;
  server.keepAliveTimeout = 30_000;
  server.maxHeadersCount = 64;
  server.maxRequestsPerSocket = 10_000;
  // Node announces the last answer but leaves the closing to the client; one that goes on would get bare 503s.
  server.prependListener('request', (_request, response: LimitedResponse) => {
    if (response.maxRequestsOnConnectionReached) response.shouldKeepAlive = false;
  });
  server.maxConnections = connectionsMax;
  // Node would refuse an expectation without an envelope; `request-shape.ts` does it.
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
