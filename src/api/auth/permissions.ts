/**
 * Permissions of an authenticated caller. Every private route names one row of this table (`Route.access`); a route
 * cannot be defined without one. `docs/permissions.md` and the OpenAPI document print the same rows.
 */
import type { ApiKey, Permission, User } from '../../identity/identity.ts';
import { type Refused, refuse } from './authenticate.ts';

interface PermissionRow {
  readonly permission: Permission | undefined;
  readonly write: boolean;
  /** Kind of account whose keys may call: any, a main account, or a main account that is a broker. */
  readonly of: 'anyone' | 'main' | 'broker';
  readonly text: string;
}

/**
 * Texts as in interface 5. The interface names no permission for broker calls; they change rights of other accounts,
 * so a read-only key cannot make them.
 */
const REQUIRED_PERMISSIONS = {
  none: { permission: undefined, write: false, of: 'anyone', text: 'any valid key' },
  trade_read: { permission: 'uta_trade', write: false, of: 'anyone', text: 'UTA trade (read)' },
  trade_write: { permission: 'uta_trade', write: true, of: 'anyone', text: 'UTA trade (read & write)' },
  main_trade_read: {
    permission: 'uta_trade',
    write: false,
    of: 'main',
    text: 'UTA trade (read), main account',
  },
  main_trade_write: {
    permission: 'uta_trade',
    write: true,
    of: 'main',
    text: 'UTA trade (read & write), main account',
  },
  mgt_read: { permission: 'uta_mgt', write: false, of: 'anyone', text: 'UTA mgt. (read)' },
  mgt_write: { permission: 'uta_mgt', write: true, of: 'anyone', text: 'UTA mgt. (read & write)' },
  main_read: { permission: 'uta_mgt', write: false, of: 'main', text: 'UTA mgt. (read), main account' },
  main_write: {
    permission: 'uta_mgt',
    write: true,
    of: 'main',
    text: 'UTA mgt. (read & write), main account',
  },
  withdraw: { permission: 'withdraw', write: true, of: 'anyone', text: 'withdraw (read & write)' },
  broker_read: { permission: undefined, write: false, of: 'broker', text: 'broker main account (read)' },
  broker_write: {
    permission: undefined,
    write: true,
    of: 'broker',
    text: 'broker main account (read & write)',
  },
  broker_withdraw: {
    permission: 'withdraw',
    write: true,
    of: 'broker',
    text: 'withdraw (read & write), broker main account',
  },
} as const satisfies Readonly<Record<string, PermissionRow>>;

export type RequiredPermission = keyof typeof REQUIRED_PERMISSIONS;
export const REQUIRED_PERMISSION_NAMES = Object.keys(REQUIRED_PERMISSIONS) as RequiredPermission[];

export function accessText(access: 'public' | RequiredPermission): string {
  return access === 'public' ? 'public, no key' : REQUIRED_PERMISSIONS[access].text;
}

/** Undefined when the caller has the permission. Wire 4.5 has a separate code for callers that are no broker. */
export function checkPermission(
  caller: { readonly user: User; readonly key: ApiKey },
  required: RequiredPermission,
): Refused | undefined {
  const { user, key } = caller;
  const { permission, write, of }: PermissionRow = REQUIRED_PERMISSIONS[required];
  const isSub = user.mainUid !== undefined;
  if (of === 'broker' && (isSub || !user.broker)) {
    return refuse('40029', 'only the main account of a broker may call this');
  }
  if (of === 'main' && isSub) {
    return refuse('40014', 'only a main account may call this; the API key belongs to a sub-account');
  }
  if (permission !== undefined && !key.permissions.includes(permission)) {
    return refuse('40014', `this call needs the permission ${permission}, which the API key does not have`);
  }
  if (write && key.permType !== 'read_write') {
    return refuse('40014', 'this call needs a read_write API key; the key is read_only');
  }
  return undefined;
}
