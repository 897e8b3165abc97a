/**
 * Baselines: what `node:http` alone does when it reads the same body and answers as many bytes; with `checked` it also
 * parses the JSON and checks the signature, which no server for signed orders can leave out.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

const [kind, answer = '{}', secret = ''] = process.argv.slice(2);
const key = createSecretKey(Buffer.from(secret === '' ? 'none' : secret));

function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const text = `${String(headers['access-timestamp'])}${method}${url}`;
  const expected = createHmac('sha256', key).update(text).update(body).digest();
  const given = Buffer.from(String(headers['access-sign']), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const right = kind !== 'checked' || (isSigned(request, body) && JSON.parse(body.toString()) !== null);
    response.writeHead(right ? 200 : 401, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': answer.length,
    });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as { port: number }).port}`);
});
