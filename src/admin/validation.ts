/** Faults of a schema as errors of the operator's API: which field, and which values are valid. */
import { fieldOf, mustBeOneOf, type SchemaFault } from '../validation/schema-check.ts';
import { AdminError } from './admin-error.ts';
import { AMOUNT_PATTERN, DECIMAL_PATTERN } from './fields.ts';

export function validationError(
  errors: readonly (SchemaFault & { readonly message?: string })[],
  place = 'body',
): AdminError {
  const [error] = errors;
  const message = error === undefined ? `the ${place} is not valid` : messageOf(error, place);
  return new AdminError('invalid_request', message);
}

function messageOf(error: SchemaFault & { readonly message?: string }, place: string): string {
  const { keyword, params, message } = error;
  const field = fieldOf(error) || `the ${place}`;
  switch (keyword) {
    case 'required':
      return `${String(params.missingProperty)} is missing`;
    case 'additionalProperties':
      return `${String(params.additionalProperty)} is not a known field`;
    case 'enum':
      return `${field} ${mustBeOneOf(error)}`;
    case 'pattern':
      return `${field} must ${patternInWords(String(params.pattern))}`;
    default:
      return `${field} ${message ?? 'is not valid'}`;
  }
}

/** Behind "must". */
export function patternInWords(pattern: string): string {
  if (pattern.includes('\\p{Cc}')) return 'be text without control characters';
  if (pattern === DECIMAL_PATTERN) return 'be a decimal number such as 1000.5';
  if (pattern === AMOUNT_PATTERN) return 'be a decimal number such as 1000.5, not below 0';
  return pattern.startsWith('^[0-9]') ? `be a whole number${digitsOf(pattern)}` : `match ${pattern}`;
}

/** A number with more digits than its pattern has is a whole number too. */
function digitsOf(pattern: string): string {
  const [, most] = /\{\d+,(\d+)\}/.exec(pattern) ?? [];
  return most === undefined ? '' : ` of at most ${most} digits`;
}
