/** Checks one coin or instrument of the catalogue: its fields by schema, then the relations between them. */
import { readBorrowTerms } from '../core/model/borrow-terms.ts';
import type { CategoryName } from '../core/model/enums.ts';
import type { CoinSpec, InstrumentSpec } from '../core/model/listing-spec.ts';
import { loanTermsProblem } from '../core/model/loan-terms.ts';
import { parseUnits, RATE_ONE, RATE_SCALE } from '../core/model/units.ts';
import { SchemaCheck } from '../validation/schema-check.ts';
import { COIN, INSTRUMENT } from './entry-schemas.ts';
import { schemaProblem, shown } from './schema-problem.ts';

/** Parts that a category must have; the other parts are not allowed in it. */
const PARTS: Readonly<Record<CategoryName, readonly ('futures' | 'margin')[]>> = {
  SPOT: [],
  MARGIN: ['margin'],
  'USDT-FUTURES': ['futures'],
  'COIN-FUTURES': ['futures'],
  'USDC-FUTURES': ['futures'],
};

const COIN_CHECK = new SchemaCheck(COIN);
const INSTRUMENT_CHECK = new SchemaCheck(INSTRUMENT);

/** What is wrong with a coin; undefined when nothing is. */
export function coinProblem(entry: unknown): string | undefined {
  if (!COIN_CHECK.passes(entry)) return schemaProblem(COIN, entry, COIN_CHECK.faults);
  return termsProblem(entry as CoinSpec);
}

/** What is wrong with an instrument; undefined when nothing is. `category` is that of its file. */
export function instrumentProblem(entry: unknown, category?: CategoryName): string | undefined {
  if (!INSTRUMENT_CHECK.passes(entry)) return schemaProblem(INSTRUMENT, entry, INSTRUMENT_CHECK.faults);
  const spec = entry as InstrumentSpec;
  return categoryProblem(spec, category ?? spec.category) ?? futuresProblem(spec) ?? weightsProblem(spec);
}

/** Terms of margin borrowing and of pledge loans. */
function termsProblem({ borrow, loan, pledge }: CoinSpec): string | undefined {
  if (readBorrowTerms(borrow) === undefined)
    return 'borrow.tiers must rise: upTo and mmr ascending, leverage at least 1';
  return loanTermsProblem(loan, pledge);
}

function categoryProblem(spec: InstrumentSpec, category: CategoryName): string | undefined {
  if (spec.category !== category)
    return `category ${shown(spec.category)} must be "${category}" in this file`;
  for (const part of ['futures', 'margin'] as const) {
    const needed = PARTS[category].includes(part);
    if (needed && spec[part] === undefined) return `${part} is missing`;
    if (!needed && spec[part] !== undefined) return `${part} has no place in ${category}`;
  }
  return undefined;
}

/** A delivery contract has its three delivery fields and no funding, a perpetual the reverse. */
function futuresProblem({ futures }: InstrumentSpec): string | undefined {
  if (futures === undefined) return undefined;
  const delivery = futures.type === 'delivery';
  for (const field of ['deliveryTime', 'deliveryStartTime', 'deliveryPeriod'] as const) {
    if ((futures[field] !== '') !== delivery) {
      return `futures.${field} ${shown(futures[field])} does not suit the type "${futures.type}"`;
    }
  }
  if ((futures.fundInterval === '') !== delivery) {
    return `futures.fundInterval ${shown(futures.fundInterval)} does not suit the type "${futures.type}"`;
  }
  return undefined;
}

function weightsProblem({ indexComponents }: InstrumentSpec): string | undefined {
  if (indexComponents.length === 0) return undefined;
  let sum = 0n;
  for (const [index, { weight }] of indexComponents.entries()) {
    const units = parseUnits(weight, RATE_SCALE);
    if (units === undefined) return `indexComponents[${index}].weight "${weight}" has too many digits`;
    sum += units;
  }
  return sum === RATE_ONE ? undefined : 'the weights of indexComponents must add up to 1';
}
