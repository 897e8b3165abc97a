/** Errors of the identity store as errors of the API, with the field names of the route. */
import type { IdentityRefusal } from '../../identity/identity.ts';
import type { WireCode } from '../wire/error-catalogue.ts';
import { WireError } from '../wire/wire-error.ts';

/** The same fields have other names under `user/` and under `broker/`. */
export interface FieldNames {
  readonly name: string;
  readonly label: string;
  readonly permissions: string;
  readonly ips: string;
}

type Row = readonly [code: WireCode, field?: keyof FieldNames | 'passphrase'];

const ROWS: Readonly<Record<IdentityRefusal, Row>> = {
  name_invalid: ['40017', 'name'],
  name_taken: ['40017', 'name'],
  user_unknown: ['25005'],
  sub_of_sub: ['40014'],
  not_main: ['40014'],
  too_many_subs: ['40017'],
  too_many_keys: ['40017'],
  key_unknown: ['40034'],
  key_taken: ['40017'],
  key_invalid: ['40017'],
  label_invalid: ['40017', 'label'],
  permission_invalid: ['40017', 'permissions'],
  withdraw_needs_read_write: ['40017', 'permissions'],
  ip_list_invalid: ['40017', 'ips'],
  passphrase_invalid: ['40070', 'passphrase'],
  quota_above_cap: ['40017'],
  address_taken: ['40017'],
  address_unknown: ['40034'],
  too_many_addresses: ['40017'],
  busy: ['429'],
};

const BUSY_RETRY_MS = 1_000;

export function identityRefusal(
  refused: { readonly reason: IdentityRefusal; readonly message: string },
  names: FieldNames,
): WireError {
  const [code, field] = ROWS[refused.reason];
  const name = field === undefined || field === 'passphrase' ? field : names[field];
  const msg = name === undefined ? refused.message : `parameter ${name}: ${refused.message}`;
  return new WireError(code, msg, code === '429' ? BUSY_RETRY_MS : undefined);
}
