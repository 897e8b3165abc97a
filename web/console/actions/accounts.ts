/** Accounts, their rights, keys and addresses. */
import { type Action, account, coin, filled, ofAccount, option, SWITCH, type Values } from './action.ts';

function accountVerb(verb: 'freeze' | 'unfreeze', note: string): Action {
  return {
    title: `${verb === 'freeze' ? 'Freeze' : 'Unfreeze'} account`,
    note,
    fields: [account],
    request: (v) => ({ method: 'POST', path: ofAccount(v, verb), body: {} }),
    command: (v) => ['account', verb, v.account!],
    ...(verb === 'freeze' && { typed: (v: Values) => v.account }),
  };
}

function accountSwitch(title: string, verb: string, key: string, note: string): Action {
  return {
    title,
    note,
    fields: [account, { name: 'to', label: 'Shall be', options: SWITCH }],
    request: (v) => ({ method: 'POST', path: ofAccount(v, verb), body: { [key]: v.to === 'on' } }),
    command: (v) => ['account', verb, v.account!, v.to!],
  };
}

export const accountActions = {
  createAccount: {
    title: 'Open an account',
    fields: [
      { name: 'name', label: 'Name' },
      { name: 'kind', label: 'Kind', options: ['main', 'sub', 'broker'] },
      { name: 'master', label: 'Main account', optional: true, hint: 'of a sub-account' },
      { name: 'note', label: 'Note', optional: true },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/admin/accounts',
      body: filled(v, ['name', 'kind', 'master', 'note']),
    }),
    command: (v) => [
      ...['account', 'create', v.name!, '--kind', v.kind!],
      ...[...option('--master', v.master), ...option('--note', v.note)],
    ],
  },
  freeze: accountVerb('freeze', 'Shuts out its keys and those of its sub-accounts, cancels their orders.'),
  unfreeze: accountVerb('unfreeze', 'Its keys work again.'),
  marketMaker: accountSwitch(
    'Market maker',
    'market-maker',
    'marketMaker',
    'May place rpi orders; its quotes lead marks and funding.',
  ),
  broker: accountSwitch('Broker', 'broker', 'broker', 'May open sub-accounts for others.'),
  commission: {
    title: 'Set commission',
    note: 'Share of the trading fees of a broker’s sub-accounts.',
    fields: [account, { name: 'share', label: 'Share', hint: '0 to 1, such as 0.3' }],
    request: (v) => ({ method: 'POST', path: ofAccount(v, 'commission'), body: filled(v, ['share']) }),
    command: (v) => ['account', 'commission', v.account!, v.share!],
  },
  quota: {
    title: 'Set order quota',
    note: 'Order requests a second beyond the standard, to share out with its sub-accounts.',
    fields: [
      account,
      { name: 'category', label: 'Orders', options: ['spot', 'futures'] },
      { name: 'extra', label: 'Extra a second' },
    ],
    request: (v) => ({
      method: 'POST',
      path: ofAccount(v, 'order-quota'),
      body: { category: v.category, extra: Number(v.extra) },
    }),
    command: (v) => ['account', 'order-quota', v.account!, v.category!, v.extra!],
  },
  createKey: {
    title: 'Make an API key',
    note: 'Secret and passphrase are shown once, here.',
    fields: [
      account,
      { name: 'label', label: 'Label', optional: true },
      { name: 'permissions', label: 'Permissions', first: 'uta_trade,uta_mgt', hint: 'with commas between' },
    ],
    request: (v) => ({
      method: 'POST',
      path: ofAccount(v, 'keys'),
      body: {
        ...filled(v, ['label']),
        kind: 'hmac',
        permType: 'read_write',
        permissions: (v.permissions ?? '').split(','),
      },
    }),
    command: (v) => [
      'key',
      'create',
      v.account!,
      ...option('--label', v.label),
      '--permissions',
      v.permissions!,
    ],
  },
  deleteKey: {
    title: 'Delete an API key',
    note: 'It works no more, at once.',
    fields: [{ name: 'apiKey', label: 'Key' }],
    request: (v) => ({ method: 'DELETE', path: `/admin/keys/${encodeURIComponent(v.apiKey ?? '')}` }),
    command: (v) => ['key', 'delete', v.apiKey!],
    typed: () => 'delete',
  },
  addAddress: {
    title: 'Enter an address',
    fields: [
      account,
      { name: 'address', label: 'Address' },
      { ...coin, optional: true },
      { name: 'chain', label: 'Network', optional: true },
      { name: 'label', label: 'Label', optional: true },
    ],
    request: (v) => ({
      method: 'POST',
      path: ofAccount(v, 'addresses'),
      body: filled(v, ['address', 'coin', 'chain', 'label']),
    }),
    command: (v) => [
      ...['address', 'add', v.account!, v.address!, ...option('--coin', v.coin)],
      ...[...option('--chain', v.chain), ...option('--label', v.label)],
    ],
  },
  removeAddress: {
    title: 'Strike an address out',
    fields: [account, { name: 'id', label: 'Entry' }],
    request: (v) => ({ method: 'DELETE', path: ofAccount(v, `addresses/${encodeURIComponent(v.id ?? '')}`) }),
    command: (v) => ['address', 'remove', v.account!, v.id!],
  },
  lockAddresses: {
    title: 'Lock the address book',
    note: 'Withdrawals go only to addresses of the book.',
    fields: [account, { name: 'to', label: 'Shall be', options: SWITCH }],
    request: (v) => ({ method: 'POST', path: ofAccount(v, 'address-lock'), body: { locked: v.to === 'on' } }),
    command: (v) => ['address', 'lock', v.account!, v.to!],
  },
} as const satisfies Readonly<Record<string, Action>>;
