/** What each instrument status allows (rules 1.3). For SPOT, opening is buying and closing is selling. */

import { InstrumentStatus, Source } from './enums.ts';
import type { Instrument } from './instrument.ts';
import { RejectReason } from './reject-reason.ts';

interface Permission {
  readonly open: RejectReason;
  readonly close: RejectReason;
  /** Only orders that did not come through the API. */
  readonly retailOnly: boolean;
}

const allowed = RejectReason.none;
const TABLE: Record<InstrumentStatus, Permission> = {
  [InstrumentStatus.listed]: {
    open: RejectReason.instrumentListed,
    close: RejectReason.instrumentListed,
    retailOnly: false,
  },
  [InstrumentStatus.online]: { open: allowed, close: allowed, retailOnly: false },
  [InstrumentStatus.limitOpen]: { open: RejectReason.openingRestricted, close: allowed, retailOnly: false },
  [InstrumentStatus.limitClose]: { open: allowed, close: RejectReason.closingRestricted, retailOnly: false },
  [InstrumentStatus.offline]: {
    open: RejectReason.instrumentOffline,
    close: RejectReason.instrumentOffline,
    retailOnly: false,
  },
  [InstrumentStatus.restrictedApi]: { open: allowed, close: allowed, retailOnly: true },
};

/** No new orders so long before delivery (rules 5.15). */
export const DELIVERY_QUIET_MS = 10 * 60_000;

export function placingRejectReason(
  instrument: Instrument,
  opening: boolean,
  source: Source,
  now: number,
  house = false,
): RejectReason {
  const delivery = instrument.futures?.delivery;
  if (delivery !== undefined) {
    if (now < delivery.startTime) return RejectReason.instrumentListed;
    if (now >= delivery.time - DELIVERY_QUIET_MS) return RejectReason.deliveryNear;
  }
  const permission = TABLE[instrument.status];
  if (instrument.paused)
    return (opening ? permission.open : permission.close) || RejectReason.staleIndexPrice;
  if (opening && isCloseOnly(instrument, house)) return permission.open || RejectReason.openingRestricted;
  if (permission.retailOnly && source === Source.api) return RejectReason.apiRestricted;
  return opening ? permission.open : permission.close;
}

/** House accounts may go on quoting, because other accounts need them to close their positions. */
export function isCloseOnly({ closeOnly }: Instrument, house: boolean): boolean {
  return closeOnly && !house;
}

/** As it is shown: a contract that only closes, or does not trade, does so whatever its status allowed (rules 13.2). */
export function shownStatus({ status, closeOnly, paused }: Instrument): InstrumentStatus {
  const restricted = closeOnly || paused;
  return restricted && status === InstrumentStatus.online ? InstrumentStatus.limitOpen : status;
}

/** An amendment may pass a restriction on opening when it does not enlarge what the order can do. */
export function amendingRejectReason(
  instrument: Instrument,
  opening: boolean,
  source: Source,
  now: number,
  enlarges: boolean,
  house = false,
): RejectReason {
  const rejectReason = placingRejectReason(instrument, opening, source, now, house);
  if (rejectReason === RejectReason.openingRestricted && !enlarges) return RejectReason.none;
  return rejectReason;
}
