/** `GET /lab/referee`. */
import { AdminError } from '../../admin/admin-error.ts';
import { AccountText, closed } from '../../admin/fields.ts';
import { findUser } from '../../admin/lookup.ts';
import { type OperatorRoute, operatorRoute } from '../../admin/route.ts';
import { parseDuration } from '../../sequencer/duration.ts';
import { Type } from '../../validation/schema.ts';
import type { Laboratory } from '../laboratory.ts';
import type { ConductRules } from './conduct.ts';
import type { FaultHits } from './fault-reports.ts';
import { REFEREE } from './report.ts';

export function refereeRoutes(
  lab: Laboratory,
  rules: ConductRules,
  hits?: FaultHits,
): readonly OperatorRoute[] {
  return [
    operatorRoute({
      method: 'GET',
      path: '/lab/referee',
      query: Type.Object(
        { account: AccountText, since: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) },
        closed,
      ),
      answer: REFEREE,
      handle: ({ query: { account, since }, identity, recorder }) => {
        const user = findUser(identity, account);
        if (user instanceof AdminError) return user;
        const sinceMs = since === undefined ? undefined : parseDuration(since);
        if (since !== undefined && sinceMs === undefined)
          return new AdminError(
            'invalid_request',
            `since: ${JSON.stringify(since)} must be a span such as 10m`,
          );
        return lab.referee({ uid: user.uid, account: user.name, sinceMs }, { recorder, rules, hits });
      },
    }),
  ];
}
