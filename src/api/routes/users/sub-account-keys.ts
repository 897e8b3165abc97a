/**
 * Keys of sub-accounts, managed by their main account, the same under `user/` and `broker/`. A sub-account is looked
 * up under its main account only, so another owner's and an unknown one cannot be told apart. A new key has at most
 * the permissions of the calling key (reliability 3.2), and a secret is shown only once.
 */

import { completeSubAccount } from '../../../accounts/open-sub-account.ts';
import type {
  ApiKey,
  CreatedKey,
  KeyChange,
  Permission,
  PermType,
  User,
} from '../../../identity/identity.ts';
import { type FieldNames, identityRefusal } from '../../auth/identity-errors.ts';
import type { Caller, Services } from '../../route.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';

/** wire 4.4. */
const NEW_PASSPHRASE = /^[A-Za-z0-9]{8,32}$/;
const BUSY_RETRY_MS = 1_000;
const LOCKED_RETRY_MS = 60_000;

interface Context extends Services {
  readonly caller: Caller;
}

export interface SubKeyInput {
  readonly label: string;
  readonly permType: PermType;
  readonly permissions: readonly Permission[];
  readonly ipList: readonly string[];
  readonly passphrase: string;
}

/** With a sub-account given, only its keys are searched. */
export function findSubKey({ identity, caller }: Context, apiKey: string, sub?: User): ApiKey | WireError {
  const key = identity.findSubKey(caller.user.uid, apiKey);
  return key === undefined || (sub !== undefined && key.uid !== sub.uid) ? noSuchKey() : key;
}

export async function createSubKey(
  context: Context,
  sub: User,
  input: SubKeyInput,
  names: FieldNames,
): Promise<CreatedKey | WireError> {
  const malformed = passphraseProblem(input.passphrase);
  if (malformed !== undefined) return malformed;
  const excess = excessOver(context.caller.key, input.permissions, names);
  if (excess !== undefined) return excess;
  await completeSubAccount(context, sub);
  const created = await context.identity.createKey({
    uid: sub.uid,
    label: input.label,
    permType: input.permType,
    permissions: input.permissions,
    ipList: input.ipList,
    passphrase: input.passphrase,
    nowMs: context.clock.now(),
  });
  return created.ok ? created.value : identityRefusal(created, names);
}

export async function changeSubKey(
  context: Context,
  { apiKey }: ApiKey,
  passphrase: string,
  change: KeyChange,
  names: FieldNames,
): Promise<ApiKey | WireError> {
  const { identity, clock, caller } = context;
  const verdict = await identity.checkPassphrase(apiKey, passphrase, clock.now());
  if (verdict === 'wrong') {
    return NEW_PASSPHRASE.test(passphrase)
      ? wireError('40036', 'parameter passphrase is not that of the API key; if it is lost, create a new key')
      : malformedPassphrase();
  }
  if (verdict === 'locked') {
    return new WireError('429', 'too many wrong passphrases for this API key; it is locked', LOCKED_RETRY_MS);
  }
  if (verdict === 'busy') {
    return new WireError('429', 'passphrase checks are busy; try again in a second', BUSY_RETRY_MS);
  }
  // The passphrase check may have taken a while: the key is read again.
  const current = identity.findSubKey(caller.user.uid, apiKey);
  if (current === undefined) return noSuchKey();
  const excess = excessOver(caller.key, change.permissions ?? current.permissions, names);
  if (excess !== undefined) return excess;
  const changed = await identity.change((to) => to.setKey(apiKey, change));
  return changed.ok ? changed.value : identityRefusal(changed, names);
}

function excessOver(
  { permissions: own }: ApiKey,
  requested: readonly Permission[],
  names: FieldNames,
): WireError | undefined {
  const excess = requested.find((permission) => !own.includes(permission));
  return excess === undefined
    ? undefined
    : wireError(
        '40014',
        `parameter ${names.permissions}: ${excess} is a permission that the calling API key itself does not have`,
      );
}

export function passphraseProblem(passphrase: string): WireError | undefined {
  return NEW_PASSPHRASE.test(passphrase) ? undefined : malformedPassphrase();
}

function malformedPassphrase(): WireError {
  return wireError('40070', 'parameter passphrase must be 8 to 32 letters and digits');
}

function noSuchKey(): WireError {
  return wireError('40034', 'parameter apiKey: there is no such API key of this sub-account');
}
