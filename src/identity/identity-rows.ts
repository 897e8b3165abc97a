/** Database rows as users and keys. */
import type { SQLOutputValue } from 'node:sqlite';
import {
  type ApiKey,
  type KeyKind,
  type Permission,
  type PermType,
  STANDARD_QUOTA,
  SUB_RIGHTS,
  type SubRight,
  type User,
} from './identity.ts';

export type Row = Record<string, SQLOutputValue>;

export function userOf(row: Row): User {
  return {
    uid: Number(row.uid),
    name: String(row.name),
    mainUid: row.parent_uid === null ? undefined : Number(row.parent_uid),
    broker: row.broker === 1,
    note: String(row.note),
    regisTime: Number(row.regis_time),
    updatedTime: Number(row.updated_time),
    inviterId: String(row.inviter_id),
    channel: String(row.channel),
    channelCode: String(row.channel_code),
    frozen: row.frozen === 1,
    rights: row.rights === null ? SUB_RIGHTS : (JSON.parse(String(row.rights)) as SubRight[]),
    quotas: quotasOf(row),
  };
}

/** Standard quotas in both categories count as no quota. */
function quotasOf(row: Row): User['quotas'] {
  const spot = Number(row.spot_quota ?? STANDARD_QUOTA);
  const futures = Number(row.futures_quota ?? STANDARD_QUOTA);
  return spot === STANDARD_QUOTA && futures === STANDARD_QUOTA ? undefined : { spot, futures };
}

export function keyOf(row: Row): ApiKey {
  return {
    apiKey: String(row.api_key),
    uid: Number(row.uid),
    kind: row.kind as KeyKind,
    label: String(row.label),
    permType: row.perm_type as PermType,
    permissions: JSON.parse(String(row.permissions)) as Permission[],
    ipList: JSON.parse(String(row.ip_list)) as string[],
    createdTime: Number(row.created_time),
    lastUsedTime: Number(row.last_used_time),
    demo: row.demo === 1,
    version: Number(row.version),
  };
}
