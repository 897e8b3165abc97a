/** The OpenAPI document, made from the same schemas that validate and serialise, and a page to read it. Works offline. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../version.ts';

/** Everything the page needs comes from here; it asks nobody else for anything. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

export async function serveReference(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Bourse',
        version: VERSION,
        description:
          'Trading, market data and account interface, version 3. Every answer is an envelope of `code`, `msg`, ' +
          '`requestTime` and `data`; numbers are decimal strings. Private calls are signed: ' +
          'Base64(HMAC-SHA256(secret, timestamp + METHOD + path[?query] + body)). Streams over WebSocket are described ' +
          'in /asyncapi.json.',
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
