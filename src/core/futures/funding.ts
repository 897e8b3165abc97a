import { coinUsd } from '../margin/collateral.ts';
import { inSettleCoin, maintenanceAt, markTicks } from '../margin/margin.ts';
import { Wallet } from '../model/enums.ts';
import { tradeValue } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import type { Position } from '../model/position.ts';
import { divCeil, divFloor, larger, MONEY_ONE, RATE_ONE, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { digestAmount, emitLedgerLine } from '../state/ledger-lines.ts';
import { type Holder, holdersOf } from '../state/position-holders.ts';
import type { Market, State } from '../state/state.ts';

/** Settles the running rate of a perpetual and starts a new interval. */
export function settleFunding(state: State, market: Market): void {
  const futures = market.futures!;
  const { rate } = futures;
  futures.premium.restart();
  const fund = state.ledger.cell(SystemAccount.insurance, futures.terms.settle, Bucket.cash);
  const before = state.ledger.balance(fund);
  if (rate !== 0n) payHolders(state, market, rate);
  state.events.push({
    type: 'fundingSettled',
    instrument: market.instrument,
    rate,
    toFund: state.ledger.balance(fund) - before,
    time: state.now,
  });
}

function payHolders(state: State, market: Market, rate: bigint): void {
  const holders = holdersOf(state, market.instrument);
  const paysLong = rate > 0n;
  const payers = holders.filter(({ position }) => position.long === paysLong);
  const receivers = holders.filter(({ position }) => position.long !== paysLong);
  const collected = payers.reduce((sum, holder) => sum + pay(state, market, holder, rate), 0n);
  distribute(state, market, receivers, rate, collected);
  for (const { account } of holders) state.touch(account);
}

type Rounding = (dividend: bigint, divisor: bigint) => bigint;

/** |q| x mark x |F| in the settlement coin, rounded once: against payers, against receivers. */
function amountOf(
  state: State,
  market: Market,
  position: Position,
  rate: bigint,
  rounding: Rounding,
): bigint {
  const instrument = state.instruments[market.instrument]!;
  const { coinMargined, settle } = instrument.futures!;
  const notional = tradeValue(instrument, markTicks(state, instrument), position.lots);
  const exact = notional * (rate < 0n ? -rate : rate);
  if (!coinMargined) return rounding(exact, RATE_ONE);
  const price = coinUsd(state, settle);
  return price === 0n ? 0n : rounding(exact * MONEY_ONE, RATE_ONE * price);
}

/** A crossed payer pays in full, if need be into debt; an isolated one never below what its position must keep. */
function pay(state: State, market: Market, { account, position }: Holder, rate: bigint): bigint {
  const instrument = state.instruments[market.instrument]!;
  const due = amountOf(state, market, position, rate, divCeil);
  let amount = due;
  if (position.isolated) {
    const kept = inSettleCoin(
      state,
      instrument,
      maintenanceAt(instrument, markTicks(state, instrument), position.lots),
    );
    amount = smaller(due, larger(0n, position.iso - kept));
  }
  const { ledger } = state;
  const coin = instrument.futures!.settle;
  const from = ledger.cell(account.index, coin, position.isolated ? Bucket.isolated : Bucket.cash);
  ledger.move(from, ledger.cell(SystemAccount.insurance, coin, Bucket.cash), amount);
  if (position.isolated) position.iso -= amount;
  position.funding -= amount;
  digestAmount(state, -amount);
  tell(state, account, position, -amount);
  return amount;
}

/** What was collected waits in the fund; receivers take their floors of it, the dust stays. */
function distribute(
  state: State,
  market: Market,
  receivers: readonly Holder[],
  rate: bigint,
  collected: bigint,
): void {
  const instrument = state.instruments[market.instrument]!;
  const coin = instrument.futures!.settle;
  const { ledger } = state;
  const due = receivers.map(({ position }) => amountOf(state, market, position, rate, divFloor));
  const total = due.reduce((sum, amount) => sum + amount, 0n);
  for (const [n, { account, position }] of receivers.entries()) {
    const amount = collected >= total ? due[n]! : divFloor(due[n]! * collected, total);
    const to = ledger.cell(account.index, coin, position.isolated ? Bucket.isolated : Bucket.cash);
    ledger.move(ledger.cell(SystemAccount.insurance, coin, Bucket.cash), to, amount);
    if (position.isolated) position.iso += amount;
    position.funding += amount;
    digestAmount(state, amount);
    tell(state, account, position, amount);
  }
}

/** An isolated position pays and is paid out of its own margin. */
function tell(state: State, account: Account, position: Position, amount: bigint): void {
  if (amount === 0n) return;
  const instrument = state.instruments[position.instrument]!;
  const { settle } = instrument.futures!;
  const kind = amount > 0n ? 'fundingIn' : 'fundingOut';
  const details = { instrument, intoMargin: position.isolated ? amount : 0n };
  emitLedgerLine(state, account, Wallet.unified, settle, kind, amount, String(position.id), details);
}
