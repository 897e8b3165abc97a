import type { User } from '../identity/identity.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';

/**
 * Keys that no longer work can cancel nothing: what a frozen account has in the books goes with them, after them, so that
 * nothing new follows. Asking for it again completes what a crash has left.
 */
export async function cancelIfFrozen(
  sequencer: Pick<Sequencer, 'state' | 'submit'>,
  user: User,
): Promise<void> {
  const { uid, frozen } = user;
  if (!frozen || !sequencer.state.accountByUid.has(uid)) return;
  await sequencer.submit({ type: 'cancelEverything', uid });
}
