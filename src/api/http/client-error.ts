/**
 * The end of a connection whose bytes are no HTTP or come too slowly: one refusal, then it is closed from our side,
 * whether the client agrees or not.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Replies } from './responder.ts';

type Reason = readonly [status: string, msg: string];

const REASONS: Readonly<Record<string, Reason>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
  HPE_HEADER_OVERFLOW: [
    '400 Bad Request',
    'the request line and headers may have at most 8 KiB and 64 headers',
  ],
};
const NOT_HTTP: Reason = ['400 Bad Request', 'the request is not valid HTTP/1.1'];

export function endConnection(error: NodeJS.ErrnoException, socket: Socket, replies: Replies): void {
  const response = responseUnderWay(socket);
  if (response?.req.complete) {
    // A refusal written now would be read as the answer to the request before it, which may well have been an order.
    response.shouldKeepAlive = false;
    return;
  }
  const [status, msg] = REASONS[error.code ?? ''] ?? NOT_HTTP;
  if (socket.writable && !response?.headersSent) socket.write(replies.malformed(status, msg));
  socket.destroySoon();
}

/** Node keeps it under this name and looks there itself for the same purpose; there is no public way to ask. */
function responseUnderWay(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
