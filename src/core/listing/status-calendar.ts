/**
 * Times at which an instrument changes its status automatically (rules 9.3): it opens, stops opening orders, goes
 * offline. A time takes effect only when the clock passes it; one that is past when the instrument is listed, like the
 * launch of a contract that the operator keeps closed, changes nothing. A status that the operator has set meanwhile
 * stays where the table does not name it.
 */

import { InstrumentStatus } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import type { State } from '../state/state.ts';

type CalendarEntry = keyof Instrument['calendar'];

interface Change {
  readonly entry: CalendarEntry;
  readonly from: readonly InstrumentStatus[];
  readonly to: InstrumentStatus;
}

const { listed, online, limitOpen, limitClose, offline, restrictedApi } = InstrumentStatus;

/** The last due entry wins, so that several at one instant give the strictest status. */
const CHANGES: readonly Change[] = [
  { entry: 'launchTime', from: [listed], to: online },
  { entry: 'limitOpenTime', from: [online, limitClose, restrictedApi], to: limitOpen },
  { entry: 'offTime', from: [listed, online, limitOpen, limitClose, restrictedApi], to: offline },
];

/** The status that the instruments whose time is now change to, by symbol and category. */
export function dueStatusChanges(state: State): { instrument: Instrument; status: InstrumentStatus }[] {
  const due = [];
  for (const instrument of state.instruments) {
    let { status } = instrument;
    for (const { entry, from, to } of CHANGES) {
      if (timeOf(instrument, entry) === state.now && from.includes(status)) status = to;
    }
    if (status !== instrument.status) due.push({ instrument, status });
  }
  return due.sort((a, b) => (nameOf(a.instrument) < nameOf(b.instrument) ? -1 : 1));
}

/** The earliest time in any calendar that is still to come. */
export function scheduleCalendar(state: State): void {
  state.nextCalendarTime = Number.POSITIVE_INFINITY;
  for (const instrument of state.instruments) {
    for (const { entry } of CHANGES) {
      const time = timeOf(instrument, entry);
      if (time > state.now && time < state.nextCalendarTime) state.nextCalendarTime = time;
    }
  }
}

/** A delivery takes a contract offline at its own price: later or equal entries have no effect (rules 5.15). */
function timeOf({ calendar, futures }: Instrument, entry: CalendarEntry): number {
  const time = calendar[entry];
  const delivered = futures?.delivery !== undefined && time >= futures.delivery.time;
  return delivered ? Number.POSITIVE_INFINITY : time;
}

function nameOf({ symbol, category }: Instrument): string {
  return `${symbol} ${category}`;
}
