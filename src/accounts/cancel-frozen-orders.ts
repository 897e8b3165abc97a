/**
 * Cancels the orders of frozen accounts: their owners' keys no longer work and could not. The keys stop first, so that no new order
 * follows. A crash in between leaves orders that nobody can cancel; the next start completes it, as does freezing the account again.
 */
import type { CommandResult } from '../core/model/command-result.ts';
import { uidsWithOrders } from '../core/reads/reads.ts';
import { LOST_NOTE, type User } from '../identity/identity.ts';
import type { AccountServices, CommandSubmitter } from './open-sub-account.ts';

/** Undefined when there was nothing to submit. */
export async function cancelFrozenOrders(
  sequencer: CommandSubmitter,
  { uid, frozen }: User,
): Promise<CommandResult | undefined> {
  if (!frozen || !sequencer.state.accountByUid.has(uid)) return undefined;
  return sequencer.submit({ type: 'cancelEverything', uid });
}

/**
 * Run at start: completes freezes that an earlier run left unfinished; resolves with their number. Without space a start accepts
 * nothing, and a later one completes them.
 */
export async function completeFreezes({ sequencer, identity }: AccountServices): Promise<number> {
  if (sequencer.shortage?.() !== undefined) return 0;
  const stopped = new Map<number, User>();
  for (const uid of uidsWithOrders(sequencer.state)) {
    const user = identity.findUser(uid);
    const main = user?.mainUid === undefined ? undefined : identity.findUser(user.mainUid);
    const cause = [main, user].find((each) => each !== undefined && isStopped(each));
    if (cause !== undefined) stopped.set(cause.uid, cause);
  }
  for (const user of stopped.values()) await cancelFrozenOrders(sequencer, user);
  return stopped.size;
}

/** Nobody has frozen the placeholder of a lost user: it keeps its orders. */
function isStopped({ frozen, note }: User): boolean {
  return frozen && note !== LOST_NOTE;
}
