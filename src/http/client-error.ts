/**
 * The end of a connection whose bytes are not HTTP or arrive too slowly: one error response, then the server closes the
 * connection, whether the client closes its side or not. No route is involved, so the response is written by hand.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface RawError {
  /** Status line without the protocol, such as `400 Bad Request`. */
  readonly status: string;
  /** JSON text. */
  readonly body: string;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export function endConnection(
  error: NodeJS.ErrnoException,
  socket: Socket,
  errorOf: (code: string | undefined) => RawError,
): void {
  const response = responseUnderWay(socket);
  if (response?.req.complete) {
    // An error written now would be read as the response to the request before it, which may have been an order.
    response.shouldKeepAlive = false;
    return;
  }
  if (socket.writable && !response?.headersSent) socket.write(responseText(errorOf(error.code)));
  socket.destroySoon();
}

/** A response that no route writes. */
export function responseText({ status, body }: RawError): string {
  return (
    `HTTP/1.1 ${status}\r\nContent-Type: ${JSON_TYPE}\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}

/** Node keeps the response under this name and uses it for the same purpose; there is no public accessor. */
function responseUnderWay(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
