/** Faults of a schema as errors of the API: which field, and which values are valid. */
import { fieldOf, mustBeOneOf, type SchemaFault } from '../../validation/schema-check.ts';
import { type WireError, wireError } from './wire-error.ts';

export function validationError(errors: readonly SchemaFault[]): WireError {
  const [error] = errors;
  if (error === undefined) return wireError('40017', 'parameter verification failed');
  const { keyword, params } = error;
  const field = fieldOf(error);
  switch (keyword) {
    case 'required':
      return wireError('40019', `parameter ${join(field, String(params.missingProperty))} must not be empty`);
    case 'enum':
      return wireError('40020', `parameter ${field} ${mustBeOneOf(error)}`);
    case 'pattern':
      return wireError('40017', `parameter ${field} ${patternHint(String(params.pattern))}`);
    case 'maxLength':
      return wireError('40017', `parameter ${field} must have at most ${String(params.limit)} characters`);
    case 'minItems':
      return wireError(
        '40017',
        field === ''
          ? 'the body must be an array with at least one order'
          : `parameter ${field} must have at least one item`,
      );
    case 'type':
      return wireError(
        '40017',
        `${field === '' ? 'the body' : `parameter ${field}`} must be a JSON ${String(params.type)}`,
      );
    default:
      return wireError('40017', `parameter ${field} is not valid`);
  }
}

function join(parent: string, child: string): string {
  return parent === '' ? child : `${parent}.${child}`;
}

function patternHint(pattern: string): string {
  if (pattern.includes('\\.[0-9]'))
    return 'must be a decimal number such as 60000.5: at most 18 digits before the point and 18 after it';
  const most = /\{1,(\d+)\}/.exec(pattern)?.[1] ?? '32';
  if (pattern.startsWith('^[0-9]')) return `must be a whole number: 1 to ${most} digits`;
  if (pattern.startsWith('^[ -~]')) return `may hold 1 to ${most} printable characters`;
  if (pattern.startsWith('^[!-~]')) return `may hold 1 to ${most} printable characters without blanks`;
  if (pattern.startsWith('^[A-Za-z0-9]')) return `may hold 1 to ${most} letters and digits`;
  return `may hold 1 to ${most} letters, digits and . : / _ -`;
}
