/**
 * Whole numbers in `number`, where they are exact: margin is looked at on every order, and big integers cost an
 * allocation each. A result outside the exact range is NaN. Every comparison with NaN is false and every sum with it is NaN, so
 * callers fall back to `bigint`.
 */

const LARGEST = Number.MAX_SAFE_INTEGER;
const ONE = 100_000_000;
const ROOT = 10_000;
const QUOTIENT_MAX = 2 ** 50;
const SPLITTER = 2 ** 27 + 1;

/** The number itself, or NaN when it may have been rounded. */
export function exact(value: number): number {
  return value <= LARGEST && value >= -LARGEST ? value : Number.NaN;
}

/** A big integer as a number, or NaN. */
export function exactNumber(value: bigint): number {
  return exact(Number(value));
}

/** The quotient of exact numbers is never rounded up to a whole one: the distance to it is above half a unit. */
export function ceilQuotient(dividend: number, divisor: number): number {
  const quotient = Math.floor(dividend / divisor);
  return quotient * divisor === dividend ? quotient : quotient + 1;
}

/**
 * `ceil` of a x m / d + b x n / d for amounts that are not negative. Whole multiples of d come first, so that only the
 * rests are multiplied: right for every exact a and b as long as d x (m + n) is exact.
 */
export function ceilShares(a: number, m: number, b: number, n: number, d: number): number {
  const product = a * m + b * n;
  if (product <= LARGEST) return ceilQuotient(product, d);
  const wholeA = Math.floor(a / d);
  const wholeB = Math.floor(b / d);
  const rest = (a - wholeA * d) * m + (b - wholeB * d) * n;
  return exact(wholeA * m + wholeB * n + ceilQuotient(rest, d));
}

/** `floor` of a x m / d; as above. */
export function floorShare(a: number, m: number, d: number): number {
  const product = a * m;
  if (product <= LARGEST) return Math.floor(product / d);
  const whole = Math.floor(a / d);
  return exact(whole * m + Math.floor(((a - whole * d) * m) / d));
}

/**
 * `floor` of a x m / d for exact numbers, m and d above zero. The product may be far beyond the exact range: its rest is
 * computed from the errors of the rounded products. NaN where the quotient is too large for that.
 */
export function floorRatio(a: number, m: number, d: number): number {
  const product = a * m;
  const quotient = Math.floor(product / d);
  // Beyond, the quotient may be wrong by more than one.
  if (!(quotient < QUOTIENT_MAX && quotient > -QUOTIENT_MAX)) return Number.NaN;
  const back = quotient * d;
  const rest = product - back + (productError(a, m, product) - productError(quotient, d, back));
  if (rest < 0) return quotient - 1;
  return rest >= d ? quotient + 1 : quotient;
}

/** What a x b is beyond its rounded product, exactly (Dekker 1971): both factors are split into halves of 26 bits. */
function productError(a: number, b: number, product: number): number {
  const aHigh = highHalf(a);
  const bHigh = highHalf(b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

function highHalf(value: number): number {
  const scaled = SPLITTER * value;
  return scaled - (scaled - value);
}

/**
 * amount x price / 10^8, both not negative: schoolbook multiplication in halves of four digits, for values that are too large
 * for a ratio.
 */
function timesPrice(amount: number, price: number, up: boolean): number {
  const priceWhole = Math.floor(price / ONE);
  const priceRest = price - priceWhole * ONE;
  const amountWhole = Math.floor(amount / ONE);
  const amountRest = amount - amountWhole * ONE;
  const high = Math.floor(amountRest / ROOT);
  const crossed = high * priceRest;
  const carried = Math.floor(crossed / ROOT);
  const rest = (crossed - carried * ROOT) * ROOT + (amountRest - high * ROOT) * priceRest;
  const last = up ? ceilQuotient(rest, ONE) : Math.floor(rest / ONE);
  return exact(amount * priceWhole + amountWhole * priceRest + carried + last);
}

/** `ceil` of the value of an amount in 10^-8 at a price in 10^-8. */
export function ceilValue(amount: number, price: number): number {
  return -floorValue(-amount, price);
}

/** The same, `floor`. */
export function floorValue(amount: number, price: number): number {
  if (price === ONE) return amount;
  const value = floorRatio(amount, price, ONE);
  if (!Number.isNaN(value)) return value;
  return amount < 0 ? -timesPrice(-amount, price, true) : timesPrice(amount, price, false);
}
