/** The OpenAPI document, made from the same schemas that validate and serialise, and a page to read it. Works offline. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../version.ts';

/** Everything the page needs comes from here; it asks nobody else for anything. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** What holds for every call, in Markdown. */
const INTRODUCTION = `Trading, market data and account interface, version 3.

Every answer is an envelope of \`code\`, \`msg\`, \`requestTime\` and \`data\`; the code of a success is \`00000\`, all others
are in \`docs/errors.md\`. Numbers are decimal strings, times are Unix milliseconds. Most lists come newest first in pages: the
\`cursor\` of one page asks for the next.

A private call has four headers:

- \`ACCESS-KEY\` and \`ACCESS-PASSPHRASE\`: the key and its passphrase
- \`ACCESS-TIMESTAMP\`: Unix milliseconds, at most 30 seconds off
- \`ACCESS-SIGN\`: Base64(HMAC-SHA256(secret, timestamp + METHOD + path[?query] + body))

This page cannot sign; \`npm run -s bourse -- client curl\` prints calls that are signed. Streams over WebSocket are described
in [/asyncapi.json](/asyncapi.json).`;

export async function serveReference(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Bourse',
        version: VERSION,
        description: INTRODUCTION,
      },
      components: {
        securitySchemes: {
          accessKey: {
            type: 'apiKey',
            in: 'header',
            name: 'ACCESS-KEY',
            description: 'with ACCESS-SIGN, ACCESS-TIMESTAMP (Unix ms) and ACCESS-PASSPHRASE',
          },
        },
      },
    },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    transformStaticCSP: () => PAGE_POLICY,
    theme: { title: 'Bourse reference' },
    uiConfig: { docExpansion: 'list', validatorUrl: null },
  });
  app.get('/openapi.json', { schema: { hide: true }, exposeHeadRoute: false }, async () => app.swagger());
}
