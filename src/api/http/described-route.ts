/** A route as Fastify registers it, without its handler. */
import { Type } from '../../validation/schema.ts';
import type { Route } from '../route.ts';

export function describedRoute(route: Route) {
  return {
    method: route.method,
    url: route.path,
    exposeHeadRoute: false,
    schema: {
      ...(route.query !== undefined && { querystring: route.query }),
      ...(route.body !== undefined && { body: route.body }),
      response: { 200: envelopeOf(route), '4xx': FAILURE },
    },
  };
}

export const FAILURE = Type.Object({
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
