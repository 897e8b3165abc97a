/** Schemas of responses about sub-accounts and their keys (interface 2.12; wire 4.4, 4.5). */
import { type TProperties, Type } from '../../../validation/schema.ts';

const text = Type.String();
const list = Type.Array(text);

export const Done = Type.Object({});

const subFields = {
  username: text,
  subUid: text,
  status: Type.Enum(['normal', 'freeze'] as const),
  note: text,
  createdTime: text,
  updatedTime: text,
};
export const SubAccount = Type.Object(subFields);
export const AgentSub = Type.Object({
  username: text,
  subUid: text,
  apiKey: text,
  secret: text,
  note: text,
  createdTime: text,
});
export const SubAccounts = Type.Object({
  list: Type.Array(Type.Object({ ...subFields, accountMode: text, type: text })),
  hasNext: Type.Boolean(),
  cursor: text,
});

const keyFields = { note: text, apiKey: text, type: text, permissions: list, ips: list };
export const SubKey = Type.Object(keyFields);
export const NewSubKey = Type.Object({ ...keyFields, secret: text });
const ListedKeys = Type.Array(Type.Object({ ...keyFields, ts: text }));
/** One client reads `items`, another `list`. */
export const SubKeys = Type.Object({
  items: ListedKeys,
  list: ListedKeys,
  hasNext: Type.Boolean(),
  cursor: text,
});

const brokerSubFields: TProperties = {
  subUid: text,
  subaccountName: text,
  status: Type.Enum(['normal', 'freeze'] as const),
  permList: list,
  label: text,
  cTime: text,
};
export const NewBrokerSub = Type.Object({ ...brokerSubFields, subaccountEmail: text });
export const ChangedBrokerSub = Type.Object({ ...brokerSubFields, uTime: text });
export const BrokerSubs = Type.Object({
  subList: Type.Array(
    Type.Object({ ...brokerSubFields, subaccountEmail: text, language: text, uTime: text }),
  ),
});

const brokerKeyFields = {
  subUid: text,
  label: text,
  apiKey: text,
  permType: text,
  permList: list,
  ipList: list,
};
export const BrokerKey = Type.Object(brokerKeyFields);
export const BrokerKeyWithSecret = Type.Object({
  ...brokerKeyFields,
  secretKey: Type.String({ description: 'shown once, when the key is made; empty ever after' }),
});
