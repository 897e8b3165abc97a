/** Sessions of the console: a code for a new one, beginning, listing and ending them. */

import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { CODE_VALID_MS } from '../console-sessions.ts';
import { closed, Empty } from '../fields.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const SessionView = Type.Object({
  id: Type.Integer(),
  operator: Type.String(),
  began: Type.Integer(),
  expires: Type.Integer(),
});

export const sessionRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'POST',
    path: '/admin/session-codes',
    access: 'token',
    body: Empty,
    answer: Type.Object({ code: Type.String(), validSeconds: Type.Integer() }),
    action: 'console.code',
    handle: ({ sessions, audited }) => ({
      code: sessions.issueCode(audited.operator),
      validSeconds: CODE_VALID_MS / 1000,
    }),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/session',
    access: 'code',
    body: Type.Object({ code: Type.Optional(Type.String({ maxLength: 64 })) }, closed),
    answer: Type.Object({ ...SessionView.properties, bearer: Type.String() }),
    action: 'console.signIn',
    auditDetail: ({ id }) => `session ${id}`,
    handle: ({ sessions, audited }) => sessions.begin(audited.operator),
  }),

  operatorRoute({
    method: 'GET',
    path: '/admin/sessions',
    answer: Type.Object({ sessions: Type.Array(SessionView) }),
    handle: ({ sessions }) => ({ sessions: sessions.list() }),
  }),

  operatorRoute({
    method: 'DELETE',
    path: '/admin/sessions/:id',
    params: Type.Object({ id: Type.String({ pattern: '^[0-9]{1,15}$' }) }),
    answer: Type.Object({ id: Type.Integer() }),
    action: 'console.signOut',
    auditArguments: ({ params }) => params,
    handle: ({ sessions, params }) => {
      const id = Number(params.id);
      return sessions.end(id) ? { id } : new AdminError('unknown_session', `there is no session ${id}`);
    },
  }),
];
