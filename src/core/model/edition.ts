/**
 * Editions of the rule book (rules 13 to 19). The second closes holes that colluding accounts had in the first; the third and
 * the fifth to seventh close some that were left; the fourth, the eighth and the ninth divide long work into
 * portions, and the ninth knows a price below half a tick. Which edition is in force is part of the state and changes by a command, so every journal replays under the
 * rules that it was written under.
 */

export const NEWEST_EDITION = 9;

/** The rules of the second edition, in the order of their numbers R1 to R10. */
export const SECOND_EDITION_RULES = [
  'restingRisk',
  'clearingShortfall',
  'stablecoinPrices',
  'backedBooks',
  'custodyLimits',
  'livePrices',
  'fundReach',
  'fundingLimits',
  'partyLimits',
  'feeFloors',
] as const;

/** Rules 13.2 (f), and of 13.1 (a) what a forced close leaves. */
export const THIRD_EDITION_RULES = ['silentIndex', 'forcedRest'] as const;

/** Rules 14. */
export const FOURTH_EDITION_RULES = ['portions'] as const;

/** Rules 15. */
export const FIFTH_EDITION_RULES = ['adlBearing'] as const;

/** Rules 16.1 and 16.2. */
export const SIXTH_EDITION_RULES = ['otherWallets', 'forcedMargin', 'forcedTransfer'] as const;

/** Rules 17.1 (a) to (c), and 17.2 to 17.4. */
export const SEVENTH_EDITION_RULES = [
  'pledgeMargin',
  'orderMargin',
  'pledgePayment',
  'endMeans',
  'marginRounding',
  'awaitedMargin',
] as const;

/** Rules 18. */
export const EIGHTH_EDITION_RULES = ['riskPortions'] as const;

/** Rules 19. */
export const NINTH_EDITION_RULES = [
  'smallerPortions',
  'liquidationQueue',
  'settledWhenAsked',
  'fewerMatches',
  'cancelPortions',
  'leastTick',
] as const;

export type SecondEditionRule = (typeof SECOND_EDITION_RULES)[number];
export type EditionRule =
  | SecondEditionRule
  | (
      | typeof THIRD_EDITION_RULES
      | typeof FOURTH_EDITION_RULES
      | typeof FIFTH_EDITION_RULES
      | typeof SIXTH_EDITION_RULES
      | typeof SEVENTH_EDITION_RULES
      | typeof EIGHTH_EDITION_RULES
      | typeof NINTH_EDITION_RULES
    )[number];

/** Which of them are in force. Tests may put single ones back to an earlier edition; nothing else can. */
export type RulesInForce = Record<EditionRule, boolean>;

export function rulesOf(edition: number): RulesInForce {
  const since = (first: number, rules: readonly EditionRule[]) =>
    rules.map((rule) => [rule, edition >= first] as const);
  return Object.fromEntries([
    ...since(2, SECOND_EDITION_RULES),
    ...since(3, THIRD_EDITION_RULES),
    ...since(4, FOURTH_EDITION_RULES),
    ...since(5, FIFTH_EDITION_RULES),
    ...since(6, SIXTH_EDITION_RULES),
    ...since(7, SEVENTH_EDITION_RULES),
    ...since(8, EIGHTH_EDITION_RULES),
    ...since(9, NINTH_EDITION_RULES),
  ]) as RulesInForce;
}
