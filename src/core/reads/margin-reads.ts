/** What an account is worth, must keep and may spend: the rules of `margin`, for readers outside the core. */
export { spendable } from '../margin/available-balance.ts';
export { coinUsd, collateralTiers } from '../margin/collateral.ts';
export { coinLeverage } from '../margin/debts.ts';
export { crossedProfits, futuresSetting, markTicks, type Risk } from '../margin/margin.ts';
export { accountRisk } from '../margin/margin-cache.ts';
export { maxSpendable } from '../margin/spending-check.ts';
