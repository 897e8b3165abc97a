/** Paying a debt with another coin by command of the owner, and the leverage of debts (rules 6.8, 6.9). */

import { coinUsd, hasStalePrice, isIndexed } from '../margin/collateral.ts';
import { isConvertible } from '../margin/conversion-price.ts';
import { balanceOf, coinLeverage, pendingBorrow } from '../margin/debts.ts';
import { accountRisk } from '../margin/margin-cache.ts';
import type { RepayDebt, SetCoinLeverage } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { tierIndex } from '../model/margin-tiers.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { divCeil, larger, MONEY_ONE } from '../model/units.ts';
import type { State } from '../state/state.ts';
import { convert } from './conversion.ts';

/** Pays at most the negative balance: a debt by an unrealised loss alone cannot be paid. */
export function repayDebt(state: State, command: RepayDebt): CommandResult {
  const { debtCoin, payCoin } = command;
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  if (state.coins[debtCoin] === undefined || state.coins[payCoin] === undefined)
    return rejected(RejectReason.unknownCoin);
  if (account.liquidating) return rejected(RejectReason.accountLiquidating);
  const owed = larger(0n, -balanceOf(state, account, debtCoin));
  if (owed === 0n) return rejected(RejectReason.nothingOwed);
  const firm = [debtCoin, payCoin].every((coin) => isIndexed(state, coin) && !hasStalePrice(state, coin));
  if (!firm) return rejected(RejectReason.noCoinPrice);
  if (!isConvertible(state, debtCoin, payCoin)) return rejected(RejectReason.conversionPriceOld);
  const available = larger(0n, state.ledger.balanceOf(account.index, payCoin, Bucket.cash));
  const repaid = convert(state, account, { debtCoin, payCoin, wanted: owed, available, forced: false });
  if (repaid === 0n) {
    return {
      rejectReason: RejectReason.insufficientBalance,
      orderId: 0,
      clientOid: '',
      available,
      coin: payCoin,
    };
  }
  return { ...OK, amount: repaid };
}

/** Margin trading: the leverage belongs to the borrowed coin. */
export function setCoinLeverage(state: State, command: SetCoinLeverage): CommandResult {
  const { coin, leverage } = command;
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  if (state.coins[coin] === undefined || state.lending[coin]!.maxLeverage === 0)
    return rejected(RejectReason.unknownCoin);
  const { tiers } = state.lending[coin]!.terms;
  const owed = larger(0n, -balanceOf(state, account, coin)) + pendingBorrow(state, account, coin);
  const usd = divCeil(owed * coinUsd(state, coin), MONEY_ONE);
  const most = Math.min(state.lending[coin]!.maxLeverage, tiers[tierIndex(tiers, usd)]!.maxLeverage);
  if (!Number.isInteger(leverage) || leverage < 1 || leverage > most)
    return rejected(RejectReason.leverageAboveMaximum, most);
  const chosen = account.coinLeverage.get(coin);
  if (leverage === coinLeverage(state, account, coin)) {
    account.chooseCoinLeverage(coin, leverage);
    return OK;
  }
  const { initial } = accountRisk(state, account);
  account.chooseCoinLeverage(coin, leverage);
  const after = accountRisk(state, account);
  if (after.initial > initial && after.effective < after.initial) {
    account.chooseCoinLeverage(coin, chosen);
    return rejected(RejectReason.leverageNeedsMargin);
  }
  return OK;
}
