/** Paying a debt with another coin by the owner's wish, and the leverage of debts (rules 6.8, 6.9). */
import type { Repay, SetCoinLeverage } from '../model/command.ts';
import { Bucket } from '../state/ledger.ts';
import { coinUsd, hasStalePrice, isIndexed } from '../margin/collateral.ts';
import { accountRisk } from '../margin/margin-cache.ts';
import { tierIndex } from '../model/margin-tiers.ts';
import { DONE, type Outcome, refused } from '../model/command-result.ts';
import { Refusal } from '../model/reject-reason.ts';
import type { State } from '../state/state.ts';
import { divCeil, larger, MONEY_ONE } from '../model/units.ts';
import { convert } from './conversion.ts';
import { balanceOf, coinLeverage, pendingBorrow } from '../margin/debts.ts';

/** At most what the balance lacks: what is owed only by an unrealised loss cannot be paid off. */
export function repayDebt(state: State, command: Repay): Outcome {
  const { debtCoin, payCoin } = command;
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return refused(Refusal.unknownAccount);
  if (state.coins[debtCoin] === undefined || state.coins[payCoin] === undefined)
    return refused(Refusal.unknownCoin);
  if (account.liquidating) return refused(Refusal.accountLiquidating);
  const owed = larger(0n, -balanceOf(state, account, debtCoin));
  if (owed === 0n) return refused(Refusal.nothingOwed);
  const firm = [debtCoin, payCoin].every((coin) => isIndexed(state, coin) && !hasStalePrice(state, coin));
  if (!firm) return refused(Refusal.noCoinPrice);
  const available = larger(0n, state.ledger.peek(account.index, payCoin, Bucket.cash));
  const repaid = convert(state, account, { debtCoin, payCoin, wanted: owed, available, forced: false });
  if (repaid === 0n) {
    return { refusal: Refusal.insufficientBalance, orderId: 0, clientOid: '', available, coin: payCoin };
  }
  return { ...DONE, amount: repaid };
}

/** Margin trading: leverage is of the coin that is owed. */
export function setCoinLeverage(state: State, command: SetCoinLeverage): Outcome {
  const { coin, leverage } = command;
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return refused(Refusal.unknownAccount);
  if (state.coins[coin] === undefined || state.lending[coin]!.maxLeverage === 0)
    return refused(Refusal.unknownCoin);
  const { tiers } = state.lending[coin]!.terms;
  const owed = larger(0n, -balanceOf(state, account, coin)) + pendingBorrow(state, account, coin);
  const usd = divCeil(owed * coinUsd(state, coin), MONEY_ONE);
  const most = Math.min(state.lending[coin]!.maxLeverage, tiers[tierIndex(tiers, usd)]!.maxLeverage);
  if (!Number.isInteger(leverage) || leverage < 1 || leverage > most)
    return refused(Refusal.leverageAboveMaximum, most);
  const chosen = account.coinLeverage.get(coin);
  if (leverage === coinLeverage(state, account, coin)) {
    account.chooseCoinLeverage(coin, leverage);
    return DONE;
  }
  const { initial } = accountRisk(state, account);
  account.chooseCoinLeverage(coin, leverage);
  const after = accountRisk(state, account);
  if (after.initial > initial && after.effective < after.initial) {
    account.chooseCoinLeverage(coin, chosen);
    return refused(Refusal.leverageNeedsMargin);
  }
  return DONE;
}
