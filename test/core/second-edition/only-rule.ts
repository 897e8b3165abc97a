/** The second edition on a floor, whole or with a single rule of it (rules 13). */
import { SECOND_EDITION_RULES, type SecondEditionRule } from '../../../src/core/model/edition.ts';
import type { ExchangeFloor } from '../dsl/exchange-floor.ts';

/** The floor enters the second edition; with names, only these rules of it are in force. */
export function secondEdition(floor: ExchangeFloor, ...only: readonly (SecondEditionRule | 'none')[]): void {
  floor.send({ type: 'setEdition', time: floor.now, edition: 2 });
  if (only.length === 0) return;
  floor.arrange(({ state }) => {
    for (const rule of SECOND_EDITION_RULES) state.rules[rule] = only.includes(rule);
  });
}
