/** Terms of pledge loans: coins to borrow with their rates, coins to pledge with their levels (rules 7.1). */
import { divCeil, MONEY_SCALE, parseUnits, RATE_SCALE } from './units.ts';

export const LoanTerm = { flexible: 0, sevenDays: 1, thirtyDays: 2 } as const;
export type LoanTerm = (typeof LoanTerm)[keyof typeof LoanTerm];
export const LOAN_TERM_NAMES = ['FLEXIBLE', 'SEVEN', 'THIRTY'] as const;
export type LoanTermName = (typeof LOAN_TERM_NAMES)[number];
export const LOAN_TERM_DAYS = [0, 7, 30] as const;

/** A coin that can be borrowed: yearly rates, and what one loan may be worth in USDT. */
export interface LoanSpec {
  readonly flexibleRate: string;
  readonly sevenDayRate: string;
  readonly thirtyDayRate: string;
  readonly minUsdt: string;
  readonly maxUsdt: string;
}

/** A coin that can be pledged: how much of its value is lent, asks for more, and forces; its worth in USDT. */
export interface PledgeSpec {
  readonly initRate: string;
  readonly supRate: string;
  readonly forceRate: string;
  readonly minUsdt: string;
  readonly maxUsdt: string;
}

export const RATE_FIELDS = ['flexibleRate', 'sevenDayRate', 'thirtyDayRate'] as const;

export interface PledgeLevels {
  /** 10^-12, as are the others. */
  readonly init: bigint;
  readonly supplement: bigint;
  readonly force: bigint;
}

function yearRate(spec: LoanSpec, term: LoanTerm): bigint {
  return rate(spec[RATE_FIELDS[term]]);
}

const HOURS_A_YEAR = 8760n;
/** Published hourly rates have eight decimals. */
const HOUR_RATE_GRAIN = 10_000n;

/** The rate of one hour in 10^-12, rounded up at eight decimals (rules 7.1). */
export function hourRate(spec: LoanSpec, term: LoanTerm): bigint {
  return divCeil(yearRate(spec, term), HOURS_A_YEAR * HOUR_RATE_GRAIN) * HOUR_RATE_GRAIN;
}

export function levelsOf({ initRate, supRate, forceRate }: PledgeSpec): PledgeLevels {
  return { init: rate(initRate), supplement: rate(supRate), force: rate(forceRate) };
}

export interface UsdtBounds {
  /** 10^-8 USDT. */
  readonly min: bigint;
  readonly max: bigint;
}

export function boundsOf({ minUsdt, maxUsdt }: LoanSpec | PledgeSpec): UsdtBounds {
  return { min: parseUnits(minUsdt, MONEY_SCALE) ?? 0n, max: parseUnits(maxUsdt, MONEY_SCALE) ?? 0n };
}

/** What is wrong with the terms, if anything: levels rise and end below the whole value, rates stay below 100 %. */
export function loanTermsProblem(loan?: LoanSpec, pledge?: PledgeSpec): string | undefined {
  if (loan !== undefined) {
    for (const field of RATE_FIELDS) {
      const value = parseUnits(loan[field], RATE_SCALE);
      if (value === undefined || value < 0n || value >= ONE)
        return `loan.${field} must be from 0 to below 1, with at most ${RATE_SCALE} decimal places`;
    }
    if (!isRange(loan)) return 'loan.minUsdt must be above 0 and not above loan.maxUsdt';
  }
  if (pledge !== undefined) {
    const { init, supplement, force } = levelsOf(pledge);
    if (init <= 0n || init >= supplement || supplement >= force || force >= ONE) {
      return 'pledge rates must rise from initRate over supRate to forceRate, and lie between 0 and 1';
    }
    if (boundsOf(pledge).max < boundsOf(pledge).min) return 'pledge.minUsdt must not be above pledge.maxUsdt';
  }
  return undefined;
}

const ONE = 10n ** BigInt(RATE_SCALE);

function isRange(loan: LoanSpec): boolean {
  const { min, max } = boundsOf(loan);
  return min > 0n && min <= max;
}

function rate(text: string): bigint {
  return parseUnits(text, RATE_SCALE) ?? 0n;
}
