import type { CommandResult } from '../core/model/command-result.ts';
import type { User } from '../identity/identity.ts';
import type { CommandSubmitter } from './open-sub-account.ts';

/**
 * Cancels all orders of a frozen account: its owner's keys no longer work and could not. The keys stop first, so that no
 * new order follows. Calling it again completes a cancellation that a crash interrupted. Undefined when there was nothing
 * to submit.
 */
export async function cancelFrozenOrders(
  sequencer: CommandSubmitter,
  { uid, frozen }: User,
): Promise<CommandResult | undefined> {
  if (!frozen || !sequencer.state.accountByUid.has(uid)) return undefined;
  return sequencer.submit({ type: 'cancelEverything', uid });
}
