/** `POST /lab/capsule`: the session so far, as a file. */
import { AdminError } from '../../admin/admin-error.ts';
import { Download, FILE_ANSWER } from '../../admin/download.ts';
import { closed } from '../../admin/fields.ts';
import { type OperatorRoute, operatorRoute } from '../../admin/route.ts';
import { parseDuration } from '../../sequencer/duration.ts';
import { Type } from '../../validation/schema.ts';
import type { Laboratory } from '../laboratory.ts';
import type { CapsuleExtras, SettingValue } from './record-capsule.ts';

/** `extras`: what other parts of the laboratory add. */
export function capsuleRoutes(lab: Laboratory, extras: CapsuleExtras = {}): readonly OperatorRoute[] {
  return [
    operatorRoute({
      method: 'POST',
      path: '/lab/capsule',
      body: Type.Object(
        {
          since: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
          from: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
          anonymise: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
      answer: FILE_ANSWER,
      action: 'lab.capsule',
      auditArguments: ({ body: { since, from, anonymise } }) => ({
        ...(since !== undefined && { since }),
        ...(from !== undefined && { from }),
        anonymise: anonymise ?? false,
      }),
      auditDetail: ({ bytes }) => `${bytes.length} bytes`,
      handle: async ({ body: { since, from, anonymise = false }, recorder, settings }) => {
        if (since !== undefined && from !== undefined)
          return new AdminError('invalid_request', 'give since or from, not both');
        const sinceMs = since === undefined ? undefined : parseDuration(since);
        if (since !== undefined && sinceMs === undefined)
          return new AdminError(
            'invalid_request',
            `since: ${JSON.stringify(since)} must be a span such as 10m`,
          );
        const values = new Map(settings.map(({ name, value }) => [name, JSON.parse(value) as SettingValue]));
        const file = await lab.capsule(
          { sinceMs, from, anonymise },
          { ...extras, recorder, settings: values },
        );
        return file instanceof AdminError ? file : new Download('application/zstd', 'session.capsule', file);
      },
    }),
  ];
}
