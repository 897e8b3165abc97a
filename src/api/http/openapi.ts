/**
 * The OpenAPI document, generated from the schemas that validate and serialise. Beyond the standard it has, for each call,
 * `x-permission`, `x-limit`, `x-changes` and `x-codes`, and for the whole interface the error catalogue, `x-errors`.
 */
import type { TSchema } from '../../validation/schema.ts';
import { VERSION } from '../../version.ts';
import { accessText } from '../auth/permissions.ts';
import { limitText, type Route } from '../route.ts';
import { CATALOGUE, entryOf, type WireCode } from '../wire/error-catalogue.ts';
import { describedRoute, FAILURE } from './described-route.ts';
import { documentedInput } from './documented-input.ts';
import { codesOf } from './route-codes.ts';
import { ROUTES } from './routes.ts';

/** Conventions of every call, in Markdown. */
const INTRODUCTION = `Trading, market data and account interface, version 3.

Every answer is an envelope of \`code\`, \`msg\`, \`requestTime\` and \`data\`; the code of a success is \`00000\`. Numbers are
decimal strings, times are Unix milliseconds. Most lists come newest first in pages: the \`cursor\` of one page asks for the
next.

A private call has four headers:

- \`ACCESS-KEY\` and \`ACCESS-PASSPHRASE\`: the key and its passphrase
- \`ACCESS-TIMESTAMP\`: Unix milliseconds, at most 30 seconds off
- \`ACCESS-SIGN\`: Base64(HMAC-SHA256(secret, timestamp + METHOD + path[?query] + body))

An optional field that is empty text, or \`null\` in a body, counts as left out; a required one is refused then. Numbers may
be sent as JSON numbers where decimal text is described, words such as \`category\` and \`side\` in any letter case, and fields that
a call does not know are ignored.

The page at [/docs](/docs) signs and sends any of these calls. Streams over WebSocket are described in
[/asyncapi.json](/asyncapi.json).`;

/** A private call needs all four. */
const SIGNATURE_HEADERS = {
  accessKey: ['ACCESS-KEY', 'the key'],
  accessSign: ['ACCESS-SIGN', 'the signature, in Base64'],
  accessTimestamp: ['ACCESS-TIMESTAMP', 'Unix time in milliseconds'],
  accessPassphrase: ['ACCESS-PASSPHRASE', 'the passphrase of the key'],
} as const;
const SIGNED = Object.fromEntries(Object.keys(SIGNATURE_HEADERS).map((name) => [name, []]));

const json = (schema: TSchema) => ({ 'application/json': { schema } });

interface Fields {
  readonly properties?: Readonly<Record<string, TSchema & { readonly description?: string }>>;
  readonly required?: readonly string[];
}

function parametersOf(query: TSchema) {
  const { properties = {}, required = [] } = documentedInput(query) as Fields;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

function operationOf(route: Route) {
  const { access, perSecond, orders, query, body } = route;
  return {
    operationId: operationId(route.method, route.path),
    summary: route.summary,
    tags: [route.group],
    description: `Permission: ${accessText(access)}. Limit: ${limitText(route)}.`,
    security: access === 'public' ? [] : [SIGNED],
    ...(query !== undefined && { parameters: parametersOf(query) }),
    ...(body !== undefined && { requestBody: { required: true, content: json(documentedInput(body)) } }),
    responses: {
      200: { description: 'success', content: json(describedRoute(route).schema.response[200]) },
      '4XX': { $ref: '#/components/responses/Failure' },
    },
    'x-permission': accessText(access),
    'x-limit': { perSecond, per: access === 'public' ? 'IP' : 'UID', ...(orders && { quota: true }) },
    'x-changes': route.changesState,
    'x-codes': codesOf(route),
  };
}

/** `GET /api/v3/market/tickers` is `getMarketTickers`; older versions are named. */
function operationId(method: string, path: string): string {
  const words = path.replace(/^\/api\/(v3\/)?/, '').split(/[/-]/);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

export function openApiDocument() {
  const paths: Record<string, Record<string, ReturnType<typeof operationOf>>> = {};
  for (const route of ROUTES) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operationOf(route);
  }
  const errors = Object.keys(CATALOGUE).map((code) => {
    const { means, status = 400, classic, again = 'corrected' } = entryOf(code as WireCode);
    return [code, { means, status, ...(classic !== undefined && { classic }), again }];
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bourse',
      version: VERSION,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'the exchange that answers with this document' }],
    paths,
    components: {
      securitySchemes: Object.fromEntries(
        Object.entries(SIGNATURE_HEADERS).map(([scheme, [name, description]]) => [
          scheme,
          { type: 'apiKey', in: 'header', name, description },
        ]),
      ),
      responses: { Failure: { description: 'why the request was refused', content: json(FAILURE) } },
    },
    'x-errors': Object.fromEntries(errors),
  };
}
