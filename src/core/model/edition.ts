/**
 * Editions of the rule book (rules 13). The second closes holes that colluding accounts had in the first. Which edition is
 * in force is part of the state and changes by a command, so every journal replays under the rules that it was written
 * under.
 */

export const NEWEST_EDITION = 2;

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

/** Which of them are in force. Tests may put single ones back to the first edition; nothing else can. */
export type RulesInForce = Record<SecondEditionRule, boolean>;

export function rulesOf(edition: number): RulesInForce {
  return Object.fromEntries(SECOND_EDITION_RULES.map((rule) => [rule, edition >= 2])) as RulesInForce;
}
