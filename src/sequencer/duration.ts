/** Durations as text: `8h`, `1d12h`, `90s`, `250ms`. */

const UNITS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};
const PARTS = /([0-9]{1,9})(ms|[dhms])/g;
const WHOLE = /^(?:[0-9]{1,9}(?:ms|[dhms])){1,5}$/;

/** Milliseconds; undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(PARTS)) ms += Number(amount) * UNITS[unit!]!;
  return ms;
}

export function formatDuration(ms: number): string {
  let left = ms;
  let text = '';
  for (const [unit, size] of Object.entries(UNITS)) {
    const amount = Math.floor(left / size);
    left -= amount * size;
    if (amount !== 0) text += `${amount}${unit}`;
  }
  return text === '' ? '0s' : text;
}
