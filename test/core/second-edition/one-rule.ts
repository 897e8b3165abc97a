/** The second edition with one of its rules alone, so that an example shows what this rule does. */

import { SECOND_EDITION_RULES, type SecondEditionRule } from '../../../src/core/model/edition.ts';
import type { ExchangeFloor } from '../dsl/exchange-floor.ts';

/** From now on the rule is in force, or with `undefined` none of the second edition's. */
export function enterRule<Floor extends ExchangeFloor>(
  floor: Floor,
  rule: SecondEditionRule | undefined,
): Floor {
  floor.send({ type: 'setEdition', time: floor.now, edition: 2 });
  floor.arrange(({ state }) => {
    for (const each of SECOND_EDITION_RULES) state.rules[each] = each === rule;
  });
  return floor;
}
