/** System accounts of the ledger, and the buckets of every account (rules 4). */

/**
 * `withdrawing` holds what has left a wallet and not yet the venue; `isolated` the margin of isolated positions,
 * `isolatedOrders` that of orders which may open such positions.
 */
export const Bucket = {
  cash: 0,
  locked: 1,
  pledge: 2,
  funding: 3,
  withdrawing: 4,
  isolated: 5,
  isolatedOrders: 6,
} as const;
export type Bucket = (typeof Bucket)[keyof typeof Bucket];
export const BUCKETS = 7;

/** Accounts of the house and the outside world come first; users follow. */
export const SystemAccount = {
  external: 0,
  fee: 1,
  insurance: 2,
  interest: 3,
  loanPool: 4,
  convert: 5,
  clearing: 6,
  /** Pays for margin debts and pledge loans; `insurance` for contracts (rules 13.7). */
  insuranceLending: 7,
  /** What was written off: never above zero. */
  badDebt: 8,
  /** Collected and not yet paid out by work in portions (rules 14.3). */
  settling: 9,
} as const;
export type SystemAccount = (typeof SystemAccount)[keyof typeof SystemAccount];
export const SYSTEM_ACCOUNT_NAMES = [
  'ext',
  'sys:fee',
  'sys:insurance',
  'sys:interest',
  'sys:loanpool',
  'sys:convert',
  'sys:clearing',
  'sys:insurance-lending',
  'sys:bad-debt',
  'sys:settling',
];
/** Under which a movement of an insurance fund is remembered: it counts once per coin and fund. */
export function insuranceReference(fund: 'futures' | 'lending', coin: number, reference: string): string {
  return `insurance ${fund} ${coin} ${reference}`;
}

/** Leaves room for accounts of the house: one more must not move the users of existing data directories. */
export const FIRST_USER_ACCOUNT = 16;
