/** Faults on the operator's listener: `/lab/faults`. */
import { closed } from '../../admin/fields.ts';
import { type OperatorRoute, operatorRoute } from '../../admin/route.ts';
import { Type } from '../../validation/schema.ts';
import type { FaultRule, Faults } from './faults.ts';

/** Checked by the faults themselves, which name every mistake. */
const Anything = Type.Record(Type.String(), Type.Unknown());

const FaultView = Type.Object({
  id: Type.String(),
  when: Anything,
  do: Anything,
  created: Type.Integer(),
  due: Type.Union([Type.Integer(), Type.Null()]),
  seen: Type.Integer(),
  hits: Type.Integer(),
  active: Type.Boolean(),
  over: Type.Boolean(),
  problem: Type.Union([Type.String(), Type.Null()]),
});

export function faultRoutes(faults: Faults): readonly OperatorRoute[] {
  return [
    operatorRoute({
      method: 'POST',
      path: '/lab/faults',
      body: Type.Object({ when: Type.Optional(Anything), do: Anything }, closed),
      answer: FaultView,
      action: 'lab.fault',
      auditArguments: ({ body: { when = {}, do: action } }) => ({ when, do: action }),
      auditDetail: ({ id }) => id,
      handle: ({ body }) => faults.add(body as FaultRule),
    }),

    operatorRoute({
      method: 'GET',
      path: '/lab/faults',
      answer: Type.Object({ faults: Type.Array(FaultView) }),
      handle: () => ({ faults: [...faults.list()] }),
    }),

    operatorRoute({
      method: 'DELETE',
      path: '/lab/faults/:id',
      params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) }),
      answer: FaultView,
      action: 'lab.removeFault',
      auditArguments: ({ params: { id } }) => ({ id }),
      auditDetail: ({ id, hits }) => `${id}, ${hits} hits`,
      handle: ({ params: { id } }) => faults.remove(id),
    }),

    operatorRoute({
      method: 'DELETE',
      path: '/lab/faults',
      answer: Type.Object({ removed: Type.Integer() }),
      action: 'lab.removeFaults',
      auditDetail: ({ removed }) => `${removed} faults`,
      handle: () => ({ removed: faults.removeAll() }),
    }),
  ];
}
