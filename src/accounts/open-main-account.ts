/**
 * Opens a main account: a user in identity first, because identity assigns the uid, then its account in the core. A crash
 * in between leaves a user without an account; opening it again under the same name completes it. When the core rejects
 * the account, the new user is withdrawn, unless another node has claimed it (`open-sub-account.ts`).
 */
import type { CommandResult } from '../core/model/command-result.ts';
import { RejectReason } from '../core/model/reject-reason.ts';
import type { IdentityResult, User } from '../identity/identity.ts';
import { Unavailable } from '../sequencer/sequencer.ts';
import type { AccountServices } from './open-sub-account.ts';

export interface NewMainAccount {
  readonly name: string;
  readonly broker: boolean;
  readonly marketMaker: boolean;
  readonly note: string;
  readonly nowMs: number;
}

/** The core rejected the account. */
export interface RejectedAccount {
  readonly ok: false;
  readonly rejected: CommandResult;
}

/** Resolves when the account is durable in identity and core. */
export async function openMainAccount(
  services: AccountServices,
  account: NewMainAccount,
): Promise<IdentityResult<User> | RejectedAccount> {
  const { sequencer, identity } = services;
  const claimed = await claimUnfinished(services, account);
  const created = claimed === undefined ? await createUser(services, account) : undefined;
  if (created?.ok === false) return created;
  const user = claimed ?? created!.value;
  const withdraw = async () => created?.ok && (await identity.change((to) => to.withdrawUser(created.value)));
  try {
    const result = await sequencer.submit({
      type: 'openAccount',
      uid: user.uid,
      masterUid: 0,
      marketMaker: account.marketMaker,
      house: false,
    });
    if (result.rejectReason === RejectReason.none) return { ok: true, value: user };
    const isWithdrawn = await withdraw();
    // A user that stays was claimed, and may have been opened meanwhile.
    const isOpen = !isWithdrawn && sequencer.state.accountByUid.get(user.uid)?.masterUid === 0;
    return isOpen ? { ok: true, value: user } : { ok: false, rejected: result };
  } catch (error) {
    // `Unavailable` means that nothing was sequenced. After any other failure the journal may hold the account.
    if (error instanceof Unavailable) await withdraw();
    throw error;
  }
}

/** The user that an interrupted opening left without an account. */
async function claimUnfinished(
  { sequencer, identity }: AccountServices,
  { name, broker, nowMs }: NewMainAccount,
): Promise<User | undefined> {
  const known = identity.findUserByName(name);
  if (known === undefined || sequencer.state.accountByUid.has(known.uid)) return undefined;
  return known.broker === broker ? identity.change((to) => to.claimUser(known.uid, nowMs)) : undefined;
}

function createUser(
  { identity }: AccountServices,
  { name, nowMs, note, broker }: NewMainAccount,
): Promise<IdentityResult<User>> {
  return identity.change((to) => to.createUser({ name, nowMs, note, broker }));
}
