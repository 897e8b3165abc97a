/** On what terms a coin is lent to unified accounts (rules 6.3, 6.5, 6.8): as people write them, and as integers. */
import { type MarginTier, readTiers, type TierSpec } from './margin-tiers.ts';
import { MONEY_SCALE, parseUnits, RATE_ONE, RATE_SCALE } from './units.ts';

export interface BorrowSpec {
  /** Interest of a year, as a fraction. */
  readonly yearRate: string;
  /** What all accounts together may owe by borrowing. */
  readonly poolLimit: string;
  /** What one account may owe, and a main account with its sub-accounts. */
  readonly userLimit: string;
  readonly masterSubLimit: string;
  /** How much of an unrealised loss bears no interest. */
  readonly freeLimit: string;
  /** The part of what the venue holds of the coin that may be owed by borrowing, a half when absent (rules 13.5). */
  readonly lendShare?: string;
  /** By the dollar value of the debt. */
  readonly tiers: readonly TierSpec[];
}

export interface BorrowTerms {
  /** 10^-12. */
  readonly yearRate: bigint;
  readonly poolLimit: bigint;
  readonly userLimit: bigint;
  readonly masterSubLimit: bigint;
  readonly freeLimit: bigint;
  /** 10^-12. */
  readonly lendShare: bigint;
  readonly tiers: readonly MarginTier[];
  /** Where a tier ends and another begins, in dollars as numbers. */
  readonly tierEnds: readonly number[];
}

/** Of a coin whose terms say nothing. */
export const LEND_SHARE = RATE_ONE / 2n;

const UNLENT_TIERS = readTiers([{ upTo: '1000000000000', maxLeverage: '1', mmr: '0.05' }])!;

/** A coin that is not lent: losses and fees may still leave an account owing it, and margin is asked for that. */
const NOT_LENT: BorrowTerms = {
  yearRate: 0n,
  poolLimit: 0n,
  userLimit: 0n,
  masterSubLimit: 0n,
  freeLimit: 0n,
  lendShare: LEND_SHARE,
  tiers: UNLENT_TIERS,
  tierEnds: endsOf(UNLENT_TIERS),
};

function endsOf(tiers: readonly MarginTier[]): number[] {
  return tiers.slice(0, -1).map(({ upTo }) => Number(upTo));
}

/** Undefined when a number is none or the tiers are no table. */
export function readBorrowTerms(spec: BorrowSpec | undefined): BorrowTerms | undefined {
  if (spec === undefined) return NOT_LENT;
  const yearRate = parseUnits(spec.yearRate, RATE_SCALE);
  const tiers = readTiers(spec.tiers);
  if (yearRate === undefined || yearRate < 0n || yearRate > 100n * RATE_ONE || tiers === undefined)
    return undefined;
  const limits = [spec.poolLimit, spec.userLimit, spec.masterSubLimit, spec.freeLimit].map((text) =>
    parseUnits(text, MONEY_SCALE),
  );
  const lendShare = spec.lendShare === undefined ? LEND_SHARE : parseUnits(spec.lendShare, RATE_SCALE);
  if (lendShare === undefined || lendShare < 0n || lendShare > RATE_ONE) return undefined;
  const [poolLimit, userLimit, masterSubLimit, freeLimit] = limits;
  if (limits.some((limit) => limit === undefined || limit < 0n)) return undefined;
  return {
    yearRate,
    poolLimit: poolLimit!,
    userLimit: userLimit!,
    masterSubLimit: masterSubLimit!,
    freeLimit: freeLimit!,
    lendShare,
    tiers,
    tierEnds: endsOf(tiers),
  };
}
