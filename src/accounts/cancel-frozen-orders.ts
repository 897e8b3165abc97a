import type { User } from '../identity/identity.ts';
import type { Venue } from '../sequencer/sequencer.ts';

/**
 * Keys that no longer work can cancel nothing: what a frozen account has in the books goes with them, after them, so that
 * nothing new follows. Asking for it again completes what a crash has left.
 */
export async function cancelIfFrozen(venue: Pick<Venue, 'state' | 'submit'>, user: User): Promise<void> {
  const { uid, frozen } = user;
  if (!frozen || !venue.state.accountByUid.has(uid)) return;
  await venue.submit({ type: 'cancelEverything', time: 0, uid });
}
