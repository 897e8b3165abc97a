/** Listing of coins and instruments, status of instruments, opening of accounts, fees. */

import { FuturesMarket } from '../marketdata/futures-market.ts';
import type {
  ListCoin,
  ListInstrument,
  OpenAccount,
  SetBroker,
  SetEdition,
  SetFeeDeduction,
  SetFees,
  SetHalt,
  SetInstrumentStatus,
  SetMarketMaker,
} from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { NEWEST_EDITION } from '../model/edition.ts';
import {
  CancelReason,
  INSTRUMENT_STATUS_NAMES,
  InstrumentStatus,
  Side,
  StrategyReason,
} from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { ACCOUNTS_MAX, COINS_MAX, INSTRUMENTS_MAX } from '../model/limits.ts';
import type { InstrumentSpec } from '../model/listing-spec.ts';
import { loanTermsProblem } from '../model/loan-terms.ts';
import { parseInstrument, SpecificationError } from '../model/parse-instrument.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { RATE_ONE } from '../model/units.ts';
import { cancelSlot } from '../orders/cancel.ts';
import { isEnding } from '../state/open-work.ts';
import { forgetPartySums } from '../state/party.ts';
import type { State } from '../state/state.ts';
import { scheduleDelivery } from '../state/timers.ts';
import { cancelInstrumentStrategies } from '../strategy/strategy-lifecycle.ts';
import { delistPair } from './delisting.ts';
import { feeTableProblem } from './fee-tables.ts';
import { scheduleCalendar } from './status-calendar.ts';

export function listCoin(state: State, command: ListCoin): CommandResult {
  const { spec } = command;
  if (state.coinByName.has(spec.coin))
    return rejectedBecause(RejectReason.alreadyExists, `coin ${spec.coin} is listed`);
  if (!/^[A-Z0-9]{1,20}$/.test(spec.coin))
    return rejectedBecause(RejectReason.invalidSpecification, 'coin name');
  const problem = loanTermsProblem(spec.loan, spec.pledge);
  if (problem !== undefined) return rejectedBecause(RejectReason.invalidSpecification, problem);
  if (state.coins.length >= COINS_MAX)
    return rejectedBecause(RejectReason.invalidSpecification, 'too many coins');
  const coin = state.coins.length;
  if (!state.addCoin(spec)) {
    return rejectedBecause(
      RejectReason.invalidSpecification,
      `borrow of ${spec.coin}: limits and rates must be decimals, tiers must rise`,
    );
  }
  state.emit({ type: 'coinListed', coin });
  return OK;
}

export function listInstrument(state: State, command: ListInstrument): CommandResult {
  return listSpecification(state, command.spec);
}

/** `inherited`: terms of a contract that was listed before and is succeeded; later rules for listings do not end it (rules 13.12). */
export function listSpecification(state: State, spec: InstrumentSpec, inherited = false): CommandResult {
  const name = `${spec.category} ${spec.symbol}`;
  if (state.instrumentByName.has(name))
    return rejectedBecause(RejectReason.alreadyExists, `${name} is listed`);
  if (state.instruments.length >= INSTRUMENTS_MAX) {
    return rejectedBecause(RejectReason.invalidSpecification, 'too many instruments');
  }
  const index = state.instruments.length;
  const twin = spec.category === 'MARGIN' ? state.instrument('SPOT', spec.symbol) : undefined;
  if (spec.category === 'MARGIN' && twin === undefined) {
    return rejectedBecause(RejectReason.invalidSpecification, `${name}: its SPOT pair must be listed first`);
  }
  try {
    const book = twin === undefined ? state.markets.length : twin.book;
    const instrument = parseInstrument(spec, index, book, (coin) => state.coinByName.get(coin));
    const floors = state.rules.feeFloors && !inherited;
    const problem = floors ? feeTableProblem(state, instrument, instrument) : undefined;
    if (problem !== undefined)
      return rejectedBecause(RejectReason.invalidSpecification, `${name}: ${problem}`);
    state.instruments.push(instrument);
  } catch (error) {
    if (error instanceof SpecificationError)
      return rejectedBecause(RejectReason.invalidSpecification, error.message);
    throw error;
  }
  const problem = inherited ? undefined : leverageProblem(state, state.instruments[index]!);
  if (problem !== undefined) {
    state.instruments.pop();
    return rejectedBecause(RejectReason.invalidSpecification, `${name}: ${problem}`);
  }
  openMarket(state, state.instruments[index]!, twin !== undefined);
  state.instrumentByName.set(name, index);
  scheduleCalendar(state);
  state.emit({ type: 'instrument', instrument: index });
  return OK;
}

/** What the highest leverage leaves must be above maintenance, or no funding could be paid from it (rules 13.8). */
function leverageProblem({ rules }: State, { futures }: Instrument): string | undefined {
  if (!rules.fundingLimits || futures === undefined) return undefined;
  const { tiers, maxLeverage } = futures;
  return tiers[0]!.rate * BigInt(maxLeverage) < RATE_ONE
    ? undefined
    : 'mmr of the first tier must be below 1 / maxLeverage';
}

/** A book of its own unless a twin has it, and for futures the prices that margin is measured by. */
export function openMarket(state: State, instrument: Instrument, shared: boolean): void {
  const priceIndex = state.indexOf(instrument);
  state.applyMarginPair(instrument);
  if (shared) return;
  const { futures } = instrument;
  const prices =
    futures === undefined || priceIndex === undefined
      ? undefined
      : new FuturesMarket(instrument, futures, priceIndex, state.rules);
  state.addMarket(instrument.index, priceIndex, prices);
  scheduleDelivery(state);
}

export function setInstrumentStatus(state: State, command: SetInstrumentStatus): CommandResult {
  const instrument = state.instruments[command.instrument];
  if (instrument === undefined) return rejected(RejectReason.unknownInstrument);
  const status = INSTRUMENT_STATUS_NAMES.indexOf(command.status);
  if (status < 0)
    return rejectedBecause(RejectReason.invalidSpecification, `status ${command.status} is not known`);
  const delivery = instrument.futures?.delivery;
  if (delivery !== undefined && delivery.time <= state.now)
    return rejectedBecause(
      RejectReason.instrumentOffline,
      `${instrument.symbol} has been delivered, its status stays offline`,
    );
  if (isEnding(state, instrument.index))
    return rejectedBecause(
      RejectReason.instrumentOffline,
      `orders or positions of ${instrument.symbol} are still being closed`,
    );
  switchStatus(state, instrument, status as InstrumentStatus);
  return OK;
}

/** Going offline cancels every order of the instrument (rules 1.3); those of a contract in portions with its positions (rules 14.5). */
export function switchStatus(state: State, instrument: Instrument, status: InstrumentStatus): void {
  instrument.status = status;
  scheduleDelivery(state);
  if (status === InstrumentStatus.offline && state.rules.portions) {
    if (instrument.futures === undefined) delistPair(state, instrument.index);
  } else if (status === InstrumentStatus.offline) {
    cancelOrdersOf(state, instrument.index);
    cancelInstrumentStrategies(state, instrument, StrategyReason.delisting);
  }
  state.emit({ type: 'instrument', instrument: instrument.index });
}

function cancelOrdersOf(state: State, instrument: number): void {
  const { book } = state.market(state.instruments[instrument]!);
  const slots: number[] = [];
  for (const side of [Side.buy, Side.sell]) {
    book.eachOrder(side, (slot) => {
      if (state.slab.instrument[slot] === instrument) slots.push(slot);
    });
  }
  slots.sort((a, b) => state.slab.id[a]! - state.slab.id[b]!);
  for (const slot of slots) cancelSlot(state, slot, CancelReason.delegatedRiskOrder);
}

export function openAccount(state: State, command: OpenAccount): CommandResult {
  const { uid, masterUid } = command;
  if (state.accountByUid.has(uid))
    return rejectedBecause(RejectReason.alreadyExists, `account ${uid} is open`);
  if (!Number.isSafeInteger(uid) || uid <= 0)
    return rejectedBecause(RejectReason.invalidSpecification, 'uid');
  if (state.accountByUid.size >= ACCOUNTS_MAX) return rejected(RejectReason.accountsFull);
  const master = state.accountByUid.get(masterUid);
  if (masterUid !== 0 && (master === undefined || master.masterUid !== 0))
    return rejected(RejectReason.unknownAccount);
  state.addAccount(uid, masterUid, command.marketMaker, command.house);
  state.emit({ type: 'accountOpened', uid, masterUid, time: state.now });
  return OK;
}

export function setFees(state: State, command: SetFees): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  const instrument = state.instruments[command.instrument];
  if (instrument === undefined) return rejected(RejectReason.unknownInstrument);
  const { makerRate, takerRate } = command;
  const tenth = RATE_ONE / 10n;
  if (makerRate <= -tenth || makerRate >= tenth || takerRate <= -tenth || takerRate >= tenth) {
    return rejectedBecause(RejectReason.invalidSpecification, 'fee rates must be below 10 %');
  }
  const problem = state.rules.feeFloors ? feeTableProblem(state, instrument, command, account) : undefined;
  if (problem !== undefined) return rejectedBecause(RejectReason.invalidSpecification, problem);
  account.setFees(command.instrument, { makerRate, takerRate });
  state.accountsWithFees.add(account);
  return OK;
}

/** Only forwards: what was decided under an edition stays as it was. */
export function setEdition(state: State, { edition }: SetEdition): CommandResult {
  if (edition <= state.edition || edition > NEWEST_EDITION) return rejected(RejectReason.amountOutOfRange);
  const first = state.edition === 1;
  state.enterEdition(edition);
  if (!first) return OK;
  state.beginSecondEdition();
  for (const index of state.indices) index.enterSecondEdition();
  // What the house lacks is looked at when this command ends.
  state.clearingChanged = true;
  return OK;
}

export function setHalt(state: State, command: SetHalt): CommandResult {
  state.halted = command.halted;
  return OK;
}

export function setMarketMaker(state: State, command: SetMarketMaker): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  account.marketMaker = command.marketMaker;
  if (account.marketMaker || account.house) state.backedAccounts.add(account);
  else state.backedAccounts.delete(account);
  return OK;
}

/** Limits count the accounts below a broker one by one (rules 13.9); who is none any more earns no commission. */
export function setBroker(state: State, command: SetBroker): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  if (account.masterUid !== 0)
    return rejectedBecause(RejectReason.invalidSpecification, 'only a main account can be a broker');
  account.broker = command.broker;
  if (!command.broker) account.commissionRate = 0n;
  forgetPartySums(account);
  return OK;
}

export function setFeeDeduction(state: State, command: SetFeeDeduction): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  account.feeDeduction = command.on;
  return OK;
}

function rejectedBecause(rejectReason: RejectReason, detail: string): CommandResult {
  return { rejectReason, orderId: 0, clientOid: '', detail };
}
