/** What each instrument status allows (rules 1.3). For SPOT, opening is buying and closing is selling. */
import type { Instrument } from '../model/instrument.ts';
import { Refusal } from '../model/reject-reason.ts';
import { InstrumentStatus, Source } from '../model/enums.ts';

interface Permission {
  readonly open: Refusal;
  readonly close: Refusal;
  /** Only orders that did not come through the API. */
  readonly retailOnly: boolean;
}

const allowed = Refusal.none;
const TABLE: Record<InstrumentStatus, Permission> = {
  [InstrumentStatus.listed]: {
    open: Refusal.instrumentListed,
    close: Refusal.instrumentListed,
    retailOnly: false,
  },
  [InstrumentStatus.online]: { open: allowed, close: allowed, retailOnly: false },
  [InstrumentStatus.limitOpen]: { open: Refusal.openingRestricted, close: allowed, retailOnly: false },
  [InstrumentStatus.limitClose]: { open: allowed, close: Refusal.closingRestricted, retailOnly: false },
  [InstrumentStatus.offline]: {
    open: Refusal.instrumentOffline,
    close: Refusal.instrumentOffline,
    retailOnly: false,
  },
  [InstrumentStatus.restrictedApi]: { open: allowed, close: allowed, retailOnly: true },
};

/** No new orders so long before delivery (rules 5.15). */
export const DELIVERY_QUIET_MS = 10 * 60_000;

export function placingRefusal(
  instrument: Instrument,
  opening: boolean,
  source: Source,
  now: number,
): Refusal {
  const delivery = instrument.futures?.delivery;
  if (delivery !== undefined) {
    if (now < delivery.startTime) return Refusal.instrumentListed;
    if (now >= delivery.time - DELIVERY_QUIET_MS) return Refusal.deliveryNear;
  }
  const permission = TABLE[instrument.status];
  if (permission.retailOnly && source === Source.api) return Refusal.apiRestricted;
  return opening ? permission.open : permission.close;
}

/** A modification may pass a restriction on opening when it does not enlarge what the order can do. */
export function amendingRefusal(
  instrument: Instrument,
  opening: boolean,
  source: Source,
  now: number,
  enlarges: boolean,
): Refusal {
  const refusal = placingRefusal(instrument, opening, source, now);
  if (refusal === Refusal.openingRestricted && !enlarges) return Refusal.none;
  return refusal;
}
