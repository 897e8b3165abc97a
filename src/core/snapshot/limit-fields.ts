/** State of the limits on fees, parties and clearing (rules 13.2, 13.9, 13.10). */

import type { State } from '../state/state.ts';
import { list, type StateFields } from './fields.ts';

/** Rules 13.2. */
export function clearingFields(f: StateFields, { instruments }: State): void {
  const known = instruments.filter(({ closeOnly }) => closeOnly).map(({ index }) => index);
  const flagged = list(f, known, (index = 0) => f.index(index, instruments.length));
  if (f.reading) for (const index of flagged) instruments[index]!.closeOnly = true;
}

/** Rules 13.2 (f). */
export function silenceFields(f: StateFields, { instruments }: State): void {
  const known = instruments.filter(({ paused }) => paused).map(({ index }) => index);
  const flagged = list(f, known, (index = 0) => f.index(index, instruments.length));
  if (f.reading) for (const index of flagged) instruments[index]!.paused = true;
}

/** Rules 13.9. */
export function partyLimitFields(f: StateFields, { accountByUid }: State): void {
  const known = [...accountByUid.values()].filter(({ broker }) => broker).map(({ uid }) => uid);
  const brokers = list(f, known, (uid = 0) => f.uid(uid));
  if (f.reading) for (const uid of brokers) accountByUid.get(uid)!.broker = true;
}

/** Rules 13.10. */
export function feeFloorFields(f: StateFields, { ledger, accounts, coins }: State): void {
  const peaks = list(f, ledger.savePeaks(), (known) => ({
    account: f.index(known?.account ?? 0, accounts.length),
    coin: f.index(known?.coin ?? 0, coins.length),
    peak: f.money(known?.peak ?? 0n),
  }));
  if (f.reading) ledger.restorePeaks(peaks);
}
