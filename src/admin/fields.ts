/** Fields that several routes share. */

import { CATEGORY_NAMES, INSTRUMENT_STATUS_NAMES } from '../core/model/enums.ts';
import { Type } from '../validation/schema.ts';

/** An account by uid or by name; a sub-account by uid or as MAIN/SUB. */
export const AccountText = Type.String({ minLength: 1, maxLength: 129 });
export const AccountParams = Type.Object({ account: AccountText });
/** Text that is stored for ever and shown to people: no control characters, no unpaired surrogates. */
export const Text = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\p{Cc}\\p{Cs}]*$' });
export const CoinName = Type.String({ minLength: 1, maxLength: 20 });
export const AMOUNT_PATTERN = '^(0|[1-9][0-9]{0,29})(\\.[0-9]{1,18})?$';
export const DECIMAL_PATTERN = AMOUNT_PATTERN.replace('^', '^-?');
export const DecimalText = Type.String({ maxLength: 40, pattern: DECIMAL_PATTERN });
/** Money and prices, which are not negative. */
export const AmountText = Type.String({ maxLength: 40, pattern: AMOUNT_PATTERN });
export const CategoryText = Type.Enum([...CATEGORY_NAMES]);
export const StatusText = Type.Enum([...INSTRUMENT_STATUS_NAMES]);
/** Null for an action without a command. */
export const CommandSeq = Type.Union([Type.Integer(), Type.Null()]);

/** Unknown fields are rejected: a misspelt one would silently mean the default. */
export const closed = { additionalProperties: false } as const;
/** Of an action without fields. */
export const Empty = Type.Object({}, closed);

export const SymbolText = Type.String({ minLength: 1, maxLength: 32 });
/** An entry of the catalogue. */
export const Spec = Type.Record(Type.String(), Type.Unknown());
