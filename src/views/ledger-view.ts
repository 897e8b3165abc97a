/** A ledger line on the wire (financial records, wire 4.3). */

import { CATEGORY_NAMES, type CategoryName, Wallet } from '../core/model/enums.ts';
import type { LedgerLine, LedgerLineKind } from '../core/model/event.ts';
import { formatMoney } from '../core/model/units.ts';
import type { CoinName, StringFields } from './format.ts';
import { formatId } from './format.ts';

/** Category of lines that belong to no product line, such as deposits. */
export const OTHER_CATEGORY = 'OTHER';
export type LedgerCategory = CategoryName | typeof OTHER_CATEGORY;

/** Types of the unified account (wire appendix A). */
export const LEDGER_TYPES = {
  deposit: 'TRANSFER_IN',
  withdrawal: 'TRANSFER_OUT',
  withdrawalReturned: 'TRANSFER_IN',
  commission: 'TRANSFER_IN',
  transferIn: 'TRANSFER_IN',
  transferOut: 'TRANSFER_OUT',
  forcedTransferIn: 'FORCED_TRANSFER_IN',
  forcedTransferOut: 'FORCED_TRANSFER_OUT',
  tradeIn: 'ORDER_DEALT_IN',
  tradeOut: 'ORDER_DEALT_FROZEN_OUT',
  buyDeal: 'BUY_DEAL',
  sellDeal: 'SELL_DEAL',
  openLong: 'OPEN_LONG',
  openShort: 'OPEN_SHORT',
  closeLong: 'CLOSE_LONG',
  closeShort: 'CLOSE_SHORT',
  fundingIn: 'CONTRACT_MAIN_SETTLE_FEE_USER_IN',
  fundingOut: 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT',
  marginAdded: 'FIXED_INCREASE_MARGIN',
  marginRemoved: 'FIXED_REDUCE_MARGIN',
  liquidation: 'RISK_LIQ_USER_OUT',
  debtWrittenOff: 'RISK_LIQ_USER_IN',
  loanIn: 'BORROW',
  loanOut: 'REPAYMENT',
  loanInterest: 'INTEREST_REPAYMENT',
  pledgeOut: 'TRANSFER_OUT',
  pledgeIn: 'TRANSFER_IN',
  interest: 'INTEREST_SETTLEMENT_OUT',
  convertIn: 'EXCHANGE_TARGET_TOKEN_USER_IN',
  convertOut: 'EXCHANGE_SOURCE_TOKEN_USER_OUT',
  forcedIn: 'LIQ_CONVERT_IN',
  forcedOut: 'LIQ_CONVERT_OUT',
} as const satisfies Record<LedgerLineKind, string>;

/** The funding wallet has its own types, without trades. */
const FUNDING_TYPES = {
  deposit: 'deposit',
  withdrawal: 'withdraw',
  withdrawalReturned: 'withdraw_returned',
  commission: 'broker_commission',
  transferIn: 'transfer_in',
  transferOut: 'transfer_out',
  forcedTransferOut: 'forced_transfer_out',
} as const satisfies Partial<Record<LedgerLineKind, string>>;

/** Group of a type of the funding wallet. */
export const FUNDING_GROUPS: Readonly<Record<(typeof FUNDING_TYPES)[keyof typeof FUNDING_TYPES], string>> = {
  deposit: 'deposit',
  withdraw: 'withdraw',
  withdraw_returned: 'withdraw',
  broker_commission: 'commission',
  transfer_in: 'transfer',
  transfer_out: 'transfer',
  forced_transfer_out: 'transfer',
};

export const LEDGER_FIELDS = [
  'category',
  'id',
  'symbol',
  'coin',
  'type',
  // Signed: positive is credited, negative debited; the fee is separate.
  'amount',
  // Negative when charged, the reverse of orders and fills (wire 3.9).
  'fee',
  'balance',
  'ts',
] as const;
export type LedgerView = StringFields<typeof LEDGER_FIELDS>;

/** `symbol` is '' for a line that concerns no instrument. */
export function ledgerView(line: LedgerLine, symbol: string, coinName: CoinName): LedgerView {
  return {
    category: line.instrument < 0 ? OTHER_CATEGORY : CATEGORY_NAMES[line.category],
    id: formatId(line.lineId),
    symbol,
    coin: coinName(line.coin),
    type: typeOf(line),
    amount: formatMoney(line.amount),
    fee: formatMoney(-line.fee),
    balance: formatMoney(line.balance),
    ts: String(line.time),
  };
}

function typeOf({ kind, wallet }: LedgerLine): string {
  if (wallet !== Wallet.funding) return LEDGER_TYPES[kind];
  const types: Partial<Record<LedgerLineKind, string>> = FUNDING_TYPES;
  return types[kind] ?? LEDGER_TYPES[kind];
}
