/** The operator's side of the insurance funds, and the second edition with single rules put back. */

import type { Command } from '../../../src/core/model/command.ts';
import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import { moneyUnits, type RefusalName, refusalName } from '../dsl/words.ts';
import type { FuturesFloor } from '../futures/futures-floor.ts';

/** From here on the second edition, without the rules named: the switch that only tests can reach. */
export function secondEdition<Floor extends FuturesFloor>(
  floor: Floor,
  ...without: SecondEditionRule[]
): Floor {
  send(floor, { type: 'setEdition', time: floor.now, edition: 2 });
  floor.arrange(({ state }) => {
    for (const rule of without) state.rules[rule] = false;
  });
  return floor;
}

export function fund(
  floor: FuturesFloor,
  amount: string,
  words: { readonly coin?: string; readonly lending?: boolean; readonly reference?: string } = {},
): RefusalName {
  return send(floor, {
    type: 'fundInsurance',
    time: floor.now,
    coin: floor.state.coinByName.get(words.coin ?? 'USDT')!,
    lending: words.lending ?? false,
    amount: moneyUnits(amount),
    reference: words.reference ?? `fund ${floor.log.length}`,
    by: 'operator',
  });
}

export function writeOff(floor: FuturesFloor, name: string): RefusalName {
  return send(floor, { type: 'writeOffDebt', time: floor.now, uid: floor.uid(name), by: 'operator' });
}

function send(floor: FuturesFloor, command: Command): RefusalName {
  return refusalName(floor.send(command).rejectReason);
}
