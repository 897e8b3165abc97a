/** What a request must look like before anybody reads its body (reliability.md 3.3, request smuggling). */
import type { IncomingMessage } from 'node:http';
import { type WireError, wireError } from './wire-error.ts';

const URL_CHARS_MAX = 2048;

export function checkRequestShape(request: IncomingMessage): WireError | undefined {
  const { method, headers } = request;
  const url = request.url ?? '';
  if (!url.startsWith('/'))
    return wireError('40017', 'the request line must hold a path, not an absolute address');
  if (url.length > URL_CHARS_MAX)
    return wireError('40017', `the address must have at most ${URL_CHARS_MAX} characters`);
  const hasBody = (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
  if (method === 'GET' && hasBody) return wireError('40017', 'a GET request must not carry a body');
  if (headers['content-encoding'] !== undefined)
    return wireError('40007', 'compressed bodies are not accepted');
  const contentType = headers['content-type'];
  if (method === 'POST' && hasBody && !/^application\/json\b/i.test(contentType ?? '')) {
    return wireError('40007', 'Content-Type must be application/json');
  }
  return undefined;
}
