/**
 * The whole state as one list of fields that is written and read by the same code. It holds what the state means (orders
 * by id, accounts by index, sums per row), not how the tables happen to be laid out, so equal states have equal fields
 * whether they came from a replay of everything or from a snapshot and the rest of the journal.
 */

import { indexedCoins } from '../margin/collateral.ts';
import type { State } from '../state/state.ts';
import { accountFields, ledgerFields } from './account-fields.ts';
import { list, type StateFields } from './fields.ts';
import { fundFields } from './fund-fields.ts';
import { clearingFields, feeFloorFields, partyLimitFields, silenceFields } from './limit-fields.ts';
import { listingFields, marketFields } from './market-fields.ts';
import { loanFields, walletFields } from './money-fields.ts';
import { dueAccountFields, openWorkFields, priceCheckFields, pulledFields } from './open-work-fields.ts';
import { orderColumnsFields } from './order-columns-fields.ts';
import { orderFields, strategyFields } from './order-fields.ts';
import { priceFields } from './price-fields.ts';

export function stateFields(f: StateFields, state: State): void {
  state.now = f.f64(state.now);
  state.lastId = f.f64(state.lastId);
  state.lastPriority = f.f64(state.lastPriority);
  const [high, low] = state.digest.save();
  state.digest.restore([f.i32(high), f.i32(low)]);
  state.halted = f.flag(state.halted);
  listingFields(f, state);
  accountFields(f, state);
  ledgerFields(f, state);
  if (f.format >= 8) orderColumnsFields(f, state);
  else orderFields(f, state);
  walletFields(f, state);
  loanFields(f, state);
  state.nextSecond = f.f64(state.nextSecond);
  for (const index of state.indices) index.fields(f);
  const prices = list(f, state.coinPrices, (price = 0n) => f.money(price));
  if (f.reading) state.setCoinPrices(prices, indexedCoins(state));
  state.nextInsuranceHour = f.f64(state.nextInsuranceHour);
  const insurance = list(f, state.insuranceAtHour, (balance = 0n) => f.money(balance));
  if (f.reading) state.insuranceAtHour = insurance;
  for (const market of state.markets) {
    marketFields(f, state, market);
    market.futures?.fields(f);
  }
  failedAmendFields(f, state);
  strategyFields(f, state);
  if (f.format >= 2) editionFields(f, state);
  if (f.format >= 4) openWorkFields(f, state);
  if (f.format >= 9) priceCheckFields(f, state);
  if (f.format < 10) return;
  dueAccountFields(f, state);
  pulledFields(f, state);
}

/** What came with the second and third editions of the rule book (rules 13.12). */
function editionFields(f: StateFields, state: State): void {
  const edition = f.u8(state.edition);
  if (f.reading) state.enterEdition(edition);
  fundFields(f, state);
  priceFields(f, state);
  feeFloorFields(f, state);
  partyLimitFields(f, state);
  clearingFields(f, state);
  if (f.format >= 3) silenceFields(f, state);
}

function failedAmendFields(f: StateFields, state: State): void {
  const failed = list(f, state.recentFailedAmends(), (amend) => ({
    account: f.i32(amend?.account ?? 0),
    orderId: f.f64(amend?.orderId ?? 0),
    clientOid: f.text(amend?.clientOid ?? ''),
  }));
  if (f.reading) for (const amend of failed) state.rememberFailedAmend(amend);
}
