/** Time of an exchange in a test: its advance, in parts as long as the prices that the test has set count. */
import type { Happened, Happening, NextEvent } from './interface.ts';
import type { Operator } from './operator.ts';

/** Prices that a test has set are reported again this often: they count for 15 minutes. */
const HELD_MS = 600_000;

/** As the laboratory answers. */
interface Advanced {
  readonly time: number;
  readonly commands: number;
  readonly events: Readonly<Record<string, number>>;
  readonly happened: readonly (Omit<Happening, 'time'> & { readonly time: number })[];
}

/** Times of the state must stay within their range. */
export const TIME_END = Date.UTC(2100);

/** What an advance goes to; neither for a span. Throws a TypeError. */
export function instantsOf(by: unknown): { readonly to?: Date | string; readonly next?: NextEvent } {
  if (typeof by === 'string') return {};
  const wanted = typeof by === 'object' && by !== null ? by : {};
  if ('to' in wanted !== 'next' in wanted) return wanted;
  throw new TypeError(
    "advance: give a span such as '8h', an instant such as { to: '2026-06-26T08:00:00Z' }, or { next: 'funding' }",
  );
}

/** The next instant of a kind. */
export async function nextTime(operator: Operator, next: NextEvent): Promise<number> {
  const query = new URLSearchParams({ next });
  const { next: due } = await operator.get<{ readonly next: Readonly<Record<string, number | null>> }>(
    `/lab/clock?${query.toString()}`,
  );
  const time = due[next];
  if (typeof time === 'number') return time;
  throw new TypeError(`advance: no ${next} is to come`);
}

/** `reportPrices` is called between two parts. */
export async function advanceTo(
  operator: Operator,
  from: number,
  until: number,
  reportPrices: () => Promise<void>,
): Promise<Happened> {
  const events: Record<string, number> = {};
  const happened: Happening[] = [];
  let commands = 0;
  let now = from;
  do {
    const to = Math.min(until, now + HELD_MS);
    const part = await operator.post<Advanced>('/lab/clock/advance', { to: new Date(to).toISOString() });
    for (const [type, count] of Object.entries(part.events)) events[type] = (events[type] ?? 0) + count;
    for (const row of part.happened) happened.push({ ...row, time: new Date(row.time) });
    commands += part.commands;
    now = to;
    if (now < until) await reportPrices();
  } while (now < until);
  return { from: new Date(from), to: new Date(until), events, commands, happened };
}
