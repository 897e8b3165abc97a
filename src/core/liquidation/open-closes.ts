/** Forced closes go on where the command before has left them (rules 19.1). */

import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { continueRanking } from '../margin/adl-ranking.ts';
import { awaitsRanking, CloseScope, type OpenClose, positionOfClose } from '../state/open-closes.ts';
import { awaitsMoney } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { closeWholeAccount, continueCrossed, liquidateIsolated } from './liquidation.ts';
import { hasUnsafeIndex, isolatedIsDue } from './liquidation-check.ts';
import { giveUp } from './operator-force-close.ts';

/**
 * Goes on with the closes in the order in which they wait, ranks the other side for those that wait for it, and goes on with
 * these. What can be closed comes first: else one ranking after the other would use up the looks of every command.
 */
export function continueCloses(state: State, settlement: FuturesSettlement): void {
  goOnWithAll(state, settlement);
  let completed = false;
  for (const ranking of state.rankings) {
    if (ranking.isComplete) continue;
    continueRanking(state, ranking);
    completed ||= ranking.isComplete;
  }
  if (completed) goOnWithAll(state, settlement);
}

function goOnWithAll(state: State, settlement: FuturesSettlement): void {
  for (let n = 0; n < state.openCloses.length && state.closeUnitsLeft > 0; )
    n += mustWait(state, state.openCloses[n]!) ? 1 : goOn(state, settlement, n);
}

/** For funding or a gain that is on its way to the account, or for the ranking of the other side. */
function mustWait(state: State, close: OpenClose): boolean {
  if (state.works.length !== 0) state.settleEarly(state.accounts[close.account]!, false);
  if (awaitsMoney(state, close.account)) return true;
  const position = positionOfClose(state, close);
  return position !== undefined && awaitsRanking(state, position);
}

/** Returns how many wait in its place: what it has left goes on before the others. */
function goOn(state: State, settlement: FuturesSettlement, place: number): number {
  const [close] = state.openCloses.splice(place, 1);
  const others = state.openCloses.length;
  continueClose(state, settlement, close!);
  const left = state.openCloses.splice(others);
  state.openCloses.splice(place, 0, ...left);
  state.markDirty(state.accounts[close!.account]!);
  return left.length;
}

function continueClose(state: State, settlement: FuturesSettlement, close: OpenClose): void {
  const account = state.accounts[close.account]!;
  const position = positionOfClose(state, close);
  switch (close.scope) {
    case CloseScope.isolated:
      if (position !== undefined && !hasUnsafeIndex(state, position) && isolatedIsDue(state, position))
        liquidateIsolated(state, settlement, account, position, close);
      return;
    case CloseScope.crossed:
      continueCrossed(state, settlement, account, close);
      return;
    case CloseScope.whole:
      closeWholeAccount(state, settlement, account, close);
      return;
    case CloseScope.givenUp:
      if (position !== undefined) giveUp(state, settlement, account, position, close.lots);
  }
}
