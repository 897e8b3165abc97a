/** Whose request is recorded. */
import type { ApiKey, User } from '../../identity/identity.ts';
import type { Party } from '../../inspector/traffic.ts';

export function partyOf({ user, key }: { readonly user: User; readonly key: ApiKey }): Party {
  return { uid: user.uid, mainUid: user.mainUid ?? user.uid, apiKey: key.apiKey };
}
