/** What must hold of the sums that limits of a party go by, after every command (rules 10.1). */

import { notionalOf } from '../futures/opening-notional.ts';
import { markTicks } from '../margin/margin.ts';
import { assert } from '../model/units.ts';
import { partyOf } from '../state/party.ts';
import type { State } from '../state/state.ts';

/** I48: sums of the present mark are those of the accounts; what has changed since they were taken is known to have. */
export function checkParties(state: State): void {
  for (const account of state.accountByUid.values()) {
    const { partySums } = account;
    if (partySums === undefined || partySums.members[0] !== account) continue;
    const uids = partySums.members.map(({ uid }) => uid).join();
    const party = partyOf(state, account)
      .map(({ uid }) => uid)
      .join();
    assert(uids === party, () => `I48: the party of ${account.uid} is ${party}, its sums are of ${uids}`);
    for (const [index, { markTicks: mark, buy, sell, parts, changed }] of partySums.contracts) {
      const instrument = state.instruments[index]!;
      if (mark !== markTicks(state, instrument)) continue;
      const total = { buy: 0n, sell: 0n };
      for (const member of partySums.members) {
        const part = parts.get(member.index)!;
        total.buy += part.buy;
        total.sell += part.sell;
        if (changed.has(member.index)) continue;
        const counted = notionalOf(state, member, instrument);
        const same = counted.buy === part.buy && counted.sell === part.sell;
        assert(
          same,
          () => `I48: account ${member.uid} has another share of ${instrument.symbol} in its party`,
        );
      }
      assert(
        total.buy === buy && total.sell === sell,
        () => `I48: the sum of ${instrument.symbol} of ${uids}`,
      );
    }
  }
}
