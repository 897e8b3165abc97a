/** What the schema found wrong, said so that the operator can mend it. */
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { AdminError } from './admin-error.ts';

export function validationRefusal(
  errors: readonly FastifySchemaValidationError[],
  place = 'body',
): AdminError {
  const [error] = errors;
  if (error === undefined) return new AdminError('invalid_request', `the ${place} is not valid`);
  return new AdminError('invalid_request', wording(error, place));
}

function wording(
  { keyword, params, instancePath, message }: FastifySchemaValidationError,
  place: string,
): string {
  const field = instancePath.slice(1).replaceAll('/', '.') || `the ${place}`;
  switch (keyword) {
    case 'required':
      return `${String(params.missingProperty)} is missing`;
    case 'additionalProperties':
      return `${String(params.additionalProperty)} is not a known field`;
    case 'enum':
      return `${field} must be one of ${(params.allowedValues as string[]).join(', ')}`;
    case 'pattern':
      if (String(params.pattern).includes('\\p{Cc}'))
        return `${field} must be text without control characters`;
      return String(params.pattern).includes('\\.')
        ? `${field} must be a decimal number such as 1000.5`
        : `${field} must be a whole number`;
    default:
      return `${field} ${message ?? 'is not valid'}`;
  }
}
