/** What prices remember since the second edition of the rules (rules 13.4, 13.6, 13.8). */
import type { Fields } from '../model/bytes.ts';
import type { State } from '../state/state.ts';

export function priceFields(f: Fields, state: State): void {
  for (const { futures } of state.markets) futures?.secondEditionFields(f);
  for (const index of state.indices) index.secondEditionFields(f);
  for (const dollar of [state.stablecoins.USDT, state.stablecoins.USDC]) dollar.fields(f);
  for (const account of state.accountByUid.values()) {
    const positions = [...account.positions.values()].sort((a, b) => a.id - b.id);
    for (const position of positions) position.fundingOwed = f.money(position.fundingOwed);
  }
}
