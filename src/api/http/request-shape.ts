/** Checks the request line and headers before the body is read (reliability 3.3, request smuggling). */
import type { IncomingMessage } from 'node:http';
import { type WireError, wireError } from '../wire/wire-error.ts';

const URL_CHARS_MAX = 2048;
const JSON_TYPE = /^application\/json *(;|$)/i;

export function checkRequestShape(request: IncomingMessage): WireError | undefined {
  const { method, headers, httpVersion } = request;
  const url = request.url ?? '';
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return wireError('40017', 'the request must be HTTP/1.1 or HTTP/1.0');
  if (url.length > URL_CHARS_MAX)
    return wireError('40017', `the address must have at most ${URL_CHARS_MAX} characters`);
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return wireError('40017', 'header Expect may hold 100-continue only');
  const transferEncoding = headers['transfer-encoding'];
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked')
    return wireError('40017', 'header Transfer-Encoding may hold chunked only');
  const hasBody = (headers['content-length'] ?? '0') !== '0' || transferEncoding !== undefined;
  if ((method === 'GET' || method === 'HEAD') && hasBody)
    return wireError('40017', `a ${method} request must not carry a body`);
  if (headers['content-encoding'] !== undefined)
    return wireError('40007', 'compressed bodies are not accepted');
  const contentType = headers['content-type'];
  if (method === 'POST' && hasBody && !JSON_TYPE.test(contentType ?? '')) {
    return wireError('40007', 'Content-Type must be application/json');
  }
  return undefined;
}
