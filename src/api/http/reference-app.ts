/**
 * The OpenAPI document, generated from the schemas that validate and serialise, and a page to read it. Works offline. An
 * application of its own without a listener, so that the libraries it needs are loaded when it is first asked for
 * (`reference.ts`).
 */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance } from 'fastify';
import { PAGE_HEADERS } from '../../http/page.ts';
import type { TSchema } from '../../validation/schema.ts';
import { VERSION } from '../../version.ts';
import { describedRoute, SIGNATURE_HEADERS } from './described-route.ts';
import { documentedInput } from './documented-input.ts';
import type { Fail } from './reference.ts';
import { ROUTES } from './routes.ts';

/** The page loads everything from this server. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** Conventions of every call, in Markdown. */
const INTRODUCTION = `Trading, market data and account interface, version 3.

Every answer is an envelope of \`code\`, \`msg\`, \`requestTime\` and \`data\`; the code of a success is \`00000\`, all others
are in \`docs/errors.md\`. Numbers are decimal strings, times are Unix milliseconds. Most lists come newest first in pages: the
\`cursor\` of one page asks for the next.

A private call has four headers:

- \`ACCESS-KEY\` and \`ACCESS-PASSPHRASE\`: the key and its passphrase
- \`ACCESS-TIMESTAMP\`: Unix milliseconds, at most 30 seconds off
- \`ACCESS-SIGN\`: Base64(HMAC-SHA256(secret, timestamp + METHOD + path[?query] + body))

An optional field that is empty text, or \`null\` in a body, counts as left out; a required one is refused then. Numbers may
be sent as JSON numbers where decimal text is described, words such as \`category\` and \`side\` in any letter case, and fields that
a call does not know are ignored.

This page cannot sign; \`npm run -s bourse -- client curl\` prints calls that are signed. Streams over WebSocket are described
in [/asyncapi.json](/asyncapi.json).`;

const SECURITY_SCHEMES = Object.fromEntries(
  Object.entries(SIGNATURE_HEADERS).map(([scheme, [name, description]]) => [
    scheme,
    { type: 'apiKey', in: 'header', name, description } as const,
  ]),
);

/** `fail` answers what is below /docs and does not exist. */
export async function openReferenceApp(fail: Fail): Promise<FastifyInstance> {
  const app = Fastify();
  app.setErrorHandler(fail);
  app.setNotFoundHandler((request, reply) => fail(undefined, request, reply));
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Bourse',
        version: VERSION,
        description: INTRODUCTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'the exchange that answers with this document' }],
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transform: ({ schema, url }) => {
      const { querystring, body, ...rest } = schema;
      return {
        url,
        schema: {
          ...rest,
          ...(querystring !== undefined && { querystring: documentedInput(querystring as TSchema) }),
          ...(body !== undefined && { body: documentedInput(body as TSchema) }),
        },
      };
    },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    transformStaticCSP: () => PAGE_POLICY,
    uiHooks: {
      onRequest: (_request, reply, done) => {
        reply.headers(PAGE_HEADERS);
        done();
      },
    },
    theme: { title: 'Bourse reference' },
    uiConfig: { docExpansion: 'list', validatorUrl: null },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  await app.register(async (scope) => {
    for (const route of ROUTES) scope.route({ ...describedRoute(route), handler: unreachable });
  });
  await app.ready();
  return app;
}

function unreachable(): never {
  throw new Error('the reference describes routes and serves none');
}
