/** What a value of a file must be, in words that say what is wrong with it and where. */

/** Says what is wrong with the value at `path`, if anything is. */
export type Check = (value: unknown, path: string) => string | undefined;
/** Every field of a record: a field that the record gains must be added here before the program compiles. */
export type Fields<Spec> = { readonly [Field in keyof Required<Spec>]: Check };

const text = (must: string, pattern: RegExp): Check => {
  return (value, path) =>
    typeof value === 'string' && pattern.test(value) ? undefined : `${path} ${shown(value)} must be ${must}`;
};
export const name = text('a text that is not empty', /./);
export const coinName = text('a coin such as "BTC"', /^[A-Z0-9]{2,16}$/);
export const decimal = text('a decimal in quotes, such as "0.001"', /^(0|[1-9][0-9]*)(\.[0-9]+)?$/);
export const signedDecimal = text('a decimal in quotes, such as "-0.0001"', /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/);
export const decimalOrEmpty = text('a decimal in quotes, or "" for none', /^((0|[1-9][0-9]*)(\.[0-9]+)?)?$/);
export const whole = text('a whole number in quotes, such as "8"', /^(0|[1-9][0-9]{0,8})$/);
export const wholeOrEmpty = text('a whole number in quotes, or "" for none', /^(0|[1-9][0-9]{0,8})?$/);
export const time = text('a Unix time in milliseconds, such as "1782460800000"', /^[1-9][0-9]{12}$/);
export const timeOrEmpty = text('a Unix time in milliseconds, or ""', /^([1-9][0-9]{12})?$/);
export const flag: Check = (value, path) =>
  typeof value === 'boolean' ? undefined : `${path} ${shown(value)} must be true or false`;

export function oneOf(...allowed: readonly string[]): Check {
  return (value, path) =>
    typeof value === 'string' && allowed.includes(value)
      ? undefined
      : `${path} ${shown(value)} must be one of ${allowed.map((word) => `"${word}"`).join(', ')}`;
}

export function optional(check: Check): Check {
  return (value, path) => (value === undefined ? undefined : check(value, path));
}

export function record<Spec>(fields: Fields<Spec>): Check {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return `${path} must be an object`;
    const found = value as Readonly<Record<string, unknown>>;
    const inside = path === '' ? '' : `${path}.`;
    for (const field of Object.keys(found)) {
      if (!Object.hasOwn(fields, field)) return `${inside}${field} is not a known field`;
    }
    for (const [field, check] of Object.entries<Check>(fields)) {
      const problem = check(found[field], `${inside}${field}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

export function listOf(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path} must be a list`;
    for (const [index, item] of value.entries()) {
      const problem = check(item, `${path}[${index}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

export function shown(value: unknown): string {
  return value === undefined ? '(missing)' : JSON.stringify(value);
}
