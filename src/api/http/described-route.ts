/** A route as Fastify registers it and the OpenAPI document describes it, without its handler. */
import { Type } from '../../validation/schema.ts';
import { accessText } from '../auth/permissions.ts';
import { limitText, type Route } from '../route.ts';

/** A private call needs all four. */
export const SIGNATURE_HEADERS = {
  accessKey: ['ACCESS-KEY', 'the key'],
  accessSign: ['ACCESS-SIGN', 'the signature, in Base64'],
  accessTimestamp: ['ACCESS-TIMESTAMP', 'Unix time in milliseconds'],
  accessPassphrase: ['ACCESS-PASSPHRASE', 'the passphrase of the key'],
} as const;
const SIGNED = Object.fromEntries(Object.keys(SIGNATURE_HEADERS).map((name) => [name, []]));

export function describedRoute(route: Route) {
  return {
    method: route.method,
    url: route.path,
    exposeHeadRoute: false,
    schema: {
      summary: route.summary,
      tags: [route.group],
      operationId: operationId(route.method, route.path),
      security: route.access === 'public' ? [] : [SIGNED],
      description: `Permission: ${accessText(route.access)}. Limit: ${limitText(route)}.`,
      ...(route.query !== undefined && { querystring: route.query }),
      ...(route.body !== undefined && { body: route.body }),
      response: { 200: envelopeOf(route), '4xx': FAILURE },
    },
  };
}

/** `GET /api/v3/market/tickers` is `getMarketTickers`; older versions are named. */
function operationId(method: string, path: string): string {
  const words = path.replace(/^\/api\/(v3\/)?/, '').split(/[/-]/);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

const FAILURE = Type.Object({
  code: Type.String(),
  msg: Type.String(),
  requestTime: Type.Integer(),
  data: Type.Null(),
});

function envelopeOf(route: Route) {
  return Type.Object({
    code: Type.Literal('00000'),
    msg: Type.Literal('success'),
    requestTime: Type.Integer({ description: 'server time, Unix ms' }),
    data: route.data,
  });
}
