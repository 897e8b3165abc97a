/**
 * Cancels the orders of frozen accounts: their owners' keys no longer work and could not. The keys stop first, so that no new order
 * follows. A crash in between leaves orders that nobody can cancel; the next start completes it, as does freezing the account again.
 */
import type { CommandResult } from '../core/model/command-result.ts';
import { uidsWithOrders } from '../core/reads/reads.ts';
import type { User } from '../identity/identity.ts';
import type { AccountServices, CommandSubmitter } from './open-sub-account.ts';

/** Undefined when there was nothing to submit. */
export async function cancelFrozenOrders(
  sequencer: CommandSubmitter,
  { uid, frozen }: User,
): Promise<CommandResult | undefined> {
  if (!frozen || !sequencer.state.accountByUid.has(uid)) return undefined;
  return sequencer.submit({ type: 'cancelEverything', uid });
}

/** Run at start: completes freezes that an earlier run left unfinished; resolves with their number. */
export async function completeFreezes({ sequencer, identity }: AccountServices): Promise<number> {
  const frozen = new Map<number, User>();
  for (const uid of uidsWithOrders(sequencer.state)) {
    const user = identity.findUser(uid);
    // The placeholder of a lost user is frozen too. It has no key, and keeps its orders.
    if (user === undefined || identity.listKeys(uid).length === 0) continue;
    const main = user.mainUid === undefined ? undefined : identity.findUser(user.mainUid);
    const stopped = [main, user].find((each) => each?.frozen);
    if (stopped !== undefined) frozen.set(stopped.uid, stopped);
  }
  for (const user of frozen.values()) await cancelFrozenOrders(sequencer, user);
  return frozen.size;
}
