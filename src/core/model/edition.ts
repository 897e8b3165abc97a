/**
 * Editions of the rule book (rules 13, 14). The second closes holes that colluding accounts had in the first, the third
 * divides work that concerns everybody into portions. Which edition is in force is part of the state and changes by a command, so every journal replays under the rules that it was written
 * under.
 */

export const NEWEST_EDITION = 3;

/** The rules of the second edition, in the order of their numbers R1 to R10. */
export const SECOND_EDITION_RULES = [
  'restingRisk',
  'clearingShortfall',
  'dollarCoins',
  'backedBooks',
  'custodyLimits',
  'livePrices',
  'fundReach',
  'fundingLimits',
  'partyLimits',
  'feeFloors',
] as const;

export type SecondEditionRule = (typeof SECOND_EDITION_RULES)[number];

/** The rules of the third edition. */
export const THIRD_EDITION_RULES = ['portions'] as const;

export type Rule = SecondEditionRule | (typeof THIRD_EDITION_RULES)[number];

/** Which of them are in force. Tests may put single ones back to the first edition; nothing else can. */
export type RulesInForce = Record<Rule, boolean>;

export function rulesOf(edition: number): RulesInForce {
  return Object.fromEntries([
    ...SECOND_EDITION_RULES.map((rule) => [rule, edition >= 2]),
    ...THIRD_EDITION_RULES.map((rule) => [rule, edition >= 3]),
  ]) as RulesInForce;
}
