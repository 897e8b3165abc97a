/** Looks through all users for a text, a part at a time, so that the exchange goes on meanwhile. */
import { setImmediate as pause } from 'node:timers/promises';
import type { Identity, User } from '../identity/identity.ts';

/** Users that are read without a pause. */
const PART = 500;

/** By uid, the first of those whose uid, name or note has the text in it, in small letters or large ones. */
export async function searchUsers(
  identity: Identity,
  text: string,
  { afterUid, limit }: { readonly afterUid: number; readonly limit: number },
): Promise<User[]> {
  const sought = text.toLowerCase();
  const found: User[] = [];
  for (let after = afterUid; found.length < limit; await pause()) {
    const part = identity.listUsers({ afterUid: after, limit: PART });
    found.push(
      ...part.filter(({ uid, name, note }) => `${uid}\n${name}\n${note}`.toLowerCase().includes(sought)),
    );
    if (part.length < PART) break;
    after = part.at(-1)!.uid;
  }
  return found.slice(0, limit);
}
