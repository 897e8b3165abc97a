/** How many rows of a list an operator may ask for. */
import { Type } from '../validation/schema.ts';
import { AdminError } from './admin-error.ts';

export const LimitText = Type.String({ pattern: '^[0-9]{1,4}$' });

const LIMIT_MAX = 1_000;

export function limitOf(text: string | undefined, otherwise: number): number | AdminError {
  const limit = text === undefined ? otherwise : Number(text);
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  return new AdminError('invalid_request', `limit must be 1 to ${LIMIT_MAX}`);
}
