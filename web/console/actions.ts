/**
 * What an operator can do: for each action its fields, the request, the equal `bourse` command and, for a dangerous one,
 * what must be typed before it is sent. No DOM: a test gives each command to the command line and compares the requests.
 */

export type Values = Readonly<Record<string, string>>;

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly options?: readonly string[];
  /** May stay empty. */
  readonly optional?: boolean;
  readonly first?: string;
  readonly hint?: string;
}

export interface OperatorRequest {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Action {
  readonly title: string;
  readonly note?: string;
  readonly fields: readonly Field[];
  readonly request: (values: Values) => OperatorRequest;
  /** Arguments of `bourse`; those that are empty are left out with the option before them. */
  readonly command: (values: Values) => readonly string[];
  /** Name of the object, to be typed; undefined when the action is harmless with these values. */
  readonly typed?: (values: Values) => string | undefined;
}

export const CATEGORIES = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'];
export const STATUSES = ['listed', 'online', 'limit_open', 'limit_close', 'offline', 'restrictedAPI'];
const CONTRACTS = CATEGORIES.slice(2);
const SWITCH = ['on', 'off'];

const account: Field = { name: 'account', label: 'Account', hint: 'uid or name; a sub-account as main/sub' };
const coin: Field = { name: 'coin', label: 'Coin', hint: 'such as USDT' };
const amount: Field = { name: 'amount', label: 'Amount', hint: 'such as 1000.5' };
const reference: Field = { name: 'reference', label: 'Reference', hint: 'what it is known by outside' };
const category: Field = { name: 'category', label: 'Category', options: CATEGORIES };
const symbol: Field = { name: 'symbol', label: 'Symbol', hint: 'such as BTCUSDT' };
const seconds: Field = { name: 'seconds', label: 'Seconds', optional: true };
const agent: Field = { name: 'agent', label: 'Agent', hint: 'a name such as maker:SPOT:BTCUSDT, or a kind' };

/** Fields that are empty are not sent. */
function filled(values: Values, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}
const number = (text: string | undefined) => (text ? { seconds: Number(text) } : {});
const option = (flag: string, value: string | undefined) => (value ? [flag, value] : []);
const ofAccount = (values: Values, rest: string) =>
  `/admin/accounts/${encodeURIComponent(values.account ?? '')}/${rest}`;

function plain(
  title: string,
  path: string,
  command: readonly string[],
  note: string,
  typed?: string,
): Action {
  return {
    title,
    note,
    fields: [],
    request: () => ({ method: 'POST', path, body: {} }),
    command: () => command,
    ...(typed !== undefined && { typed: () => typed }),
  };
}

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

/** Money from outside into a pool or fund of the house, or back. */
function poolMove(verb: 'fund' | 'drain', note: string): Action {
  return {
    title: verb === 'fund' ? 'Fund loan pool' : 'Drain loan pool',
    note,
    fields: [amount, coin, reference],
    request: (v) => ({
      method: 'POST',
      path: `/admin/loan-pools/${verb}`,
      body: filled(v, ['coin', 'amount', 'reference']),
    }),
    command: (v) => ['loan', verb, v.amount!, v.coin!, '--reference', v.reference!],
    ...(verb === 'drain' && { typed: (v: Values) => v.coin }),
  };
}

function fundMove(verb: 'fund' | 'drain', note: string): Action {
  return {
    title: verb === 'fund' ? 'Pay into insurance fund' : 'Drain insurance fund',
    note,
    fields: [amount, coin, { name: 'fund', label: 'Fund', options: ['futures', 'lending'] }, reference],
    request: (v) => ({
      method: 'POST',
      path: `/admin/insurance/${verb}`,
      body: filled(v, ['coin', 'fund', 'amount', 'reference']),
    }),
    command: (v) => ['insurance', verb, v.amount!, v.coin!, '--of', v.fund!, '--reference', v.reference!],
    ...(verb === 'drain' && { typed: (v: Values) => v.coin }),
  };
}

function agentVerb(verb: 'stop' | 'start', note: string): Action {
  return {
    title: verb === 'stop' ? 'Stop agents' : 'Start agents',
    note,
    fields: [agent],
    request: (v) => ({ method: 'POST', path: `/admin/market/${verb}`, body: filled(v, ['agent']) }),
    command: (v) => ['market', verb, v.agent!],
  };
}

function withdrawalVerb(verb: 'settle' | 'refuse', field: Field, flag: string): Action {
  return {
    title: verb === 'settle' ? 'Settle withdrawal' : 'Refuse withdrawal',
    note: verb === 'settle' ? 'It was paid out.' : 'The account gets its money back.',
    fields: [{ name: 'id', label: 'Withdrawal' }, field],
    request: (v) => ({
      method: 'POST',
      path: `/admin/withdrawals/${encodeURIComponent(v.id ?? '')}/${verb}`,
      body: filled(v, [field.name]),
    }),
    command: (v) => ['withdrawal', verb, v.id!, flag, v[field.name]!],
  };
}

export const ACTIONS = {
  halt: plain(
    'Halt the venue',
    '/admin/halt',
    ['halt'],
    'No new orders anywhere; cancelling goes on, stops wait.',
    'halt',
  ),
  resume: plain('Resume trading', '/admin/resume', ['resume'], 'Orders are taken again.'),
  snapshot: plain('Write a snapshot', '/admin/snapshots', ['snapshot'], 'The next start is quick.'),
  rotate: plain(
    'Rotate the key of the key store',
    '/admin/identity/rotate-kek',
    ['identity', 'rotate-kek'],
    'Seals all API secrets under a new key.',
    'rotate',
  ),
  auditReserves: plain(
    'Audit the reserves',
    '/admin/reserves/audit',
    ['reserves', 'audit'],
    'Counts what is held and owed, and makes a new tree of proofs.',
  ),
  shock: {
    title: 'Shock a price',
    note: 'The world outside pays more or less for a coin.',
    fields: [coin, { name: 'percent', label: 'Percent', first: '-10' }, seconds],
    request: (v) => ({
      method: 'POST',
      path: '/admin/market/shock',
      body: { coin: v.coin, percent: Number(v.percent), ...number(v.seconds) },
    }),
    command: (v) => ['market', 'shock', v.coin!, v.percent!, ...option('--seconds', v.seconds)],
  },
  widen: {
    title: 'Widen spreads',
    note: 'Makers of an instrument quote wider.',
    fields: [category, symbol, { name: 'factor', label: 'Times', first: '5' }, seconds],
    request: (v) => ({
      method: 'POST',
      path: '/admin/market/spread',
      body: { category: v.category, symbol: v.symbol, factor: Number(v.factor), ...number(v.seconds) },
    }),
    command: (v) => [
      ...['market', 'widen', v.symbol!, v.factor!, '--category', v.category!],
      ...option('--seconds', v.seconds),
    ],
  },
  stopAgents: agentVerb('stop', 'They take their orders out of the books and rest.'),
  startAgents: agentVerb('start', 'They trade again.'),
  price: {
    title: 'Set a price',
    note: 'One price for every component of an index; it counts until the feed tells its next.',
    fields: [
      { name: 'index', label: 'Index', hint: 'such as BTCUSDT' },
      { name: 'price', label: 'Price' },
      { name: 'exchange', label: 'Component', optional: true, hint: 'all' },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/admin/prices',
      body: filled(v, ['index', 'price', 'exchange']),
    }),
    command: (v) => ['price', 'set', v.index!, v.price!, ...option('--exchange', v.exchange)],
  },
  status: {
    title: 'Change status',
    note: 'offline cancels every order of the instrument and closes its positions at the mark.',
    fields: [category, symbol, { name: 'status', label: 'Status', options: STATUSES }],
    request: (v) => ({
      method: 'POST',
      path: '/admin/instruments/status',
      body: filled(v, ['category', 'symbol', 'status']),
    }),
    command: (v) => ['instrument', 'status', v.symbol!, v.status!, '--category', v.category!],
    typed: (v) => (v.status === 'offline' ? v.symbol : undefined),
  },
  fees: {
    title: 'Set fees',
    note: 'What an account pays on an instrument from its next fill on; negative is a rebate.',
    fields: [account, category, symbol, { name: 'maker', label: 'Maker' }, { name: 'taker', label: 'Taker' }],
    request: (v) => ({
      method: 'POST',
      path: '/admin/fees',
      body: filled(v, ['account', 'category', 'symbol', 'maker', 'taker']),
    }),
    command: (v) => [
      ...['fees', 'set', v.account!, v.symbol!, '--maker', v.maker!, '--taker', v.taker!],
      ...['--category', v.category!],
    ],
  },
  coinLimits: {
    title: 'Set limits of a coin',
    note: 'What the house may lack and lend of it, and what drains leave in its funds.',
    fields: [
      coin,
      { name: 'houseShortUsd', label: 'House may lack, USD', optional: true },
      { name: 'lendShare', label: 'Share that may be lent', optional: true },
      { name: 'insuranceFloor', label: 'Floor of the funds', optional: true },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/admin/coins/limits',
      body: filled(v, ['coin', 'houseShortUsd', 'lendShare', 'insuranceFloor']),
    }),
    command: (v) => [
      ...['coin', 'set', v.coin!, ...option('--house-short-usd', v.houseShortUsd)],
      ...[...option('--lend-share', v.lendShare), ...option('--insurance-floor', v.insuranceFloor)],
    ],
  },
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
  deposit: {
    title: 'Credit a deposit',
    note: 'The same reference counts once per account and coin.',
    fields: [
      account,
      amount,
      coin,
      reference,
      { name: 'wallet', label: 'Wallet', options: ['', 'unified', 'funding'], optional: true },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/admin/deposits',
      body: filled(v, ['account', 'amount', 'coin', 'reference', 'wallet']),
    }),
    command: (v) => [
      ...['deposit', v.account!, v.amount!, v.coin!, '--reference', v.reference!],
      ...option('--wallet', v.wallet),
    ],
  },
  settle: withdrawalVerb('settle', { name: 'txId', label: 'Transaction id' }, '--tx'),
  refuse: withdrawalVerb('refuse', { name: 'reason', label: 'Reason' }, '--reason'),
  fundPool: poolMove('fund', 'Money for pledge loans.'),
  drainPool: poolMove('drain', 'Only money that is not lent can be drained.'),
  loanRate: {
    title: 'Set a loan rate',
    note: 'A year; flexible loans pay it from their next hour on.',
    fields: [
      coin,
      { name: 'term', label: 'Term', options: ['FLEXIBLE', 'SEVEN', 'THIRTY'] },
      { name: 'yearRate', label: 'Rate', hint: 'such as 0.041' },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/admin/loan-rates',
      body: filled(v, ['coin', 'term', 'yearRate']),
    }),
    command: (v) => ['loan', 'rate', v.coin!, v.term!, v.yearRate!],
  },
  fundInsurance: fundMove('fund', 'Stands behind the accounts, coin by coin.'),
  drainInsurance: fundMove('drain', 'Leaves the floor of the coin.'),
  writeOff: {
    title: 'Write a debt off',
    note: 'The house takes over what an account owes that has nothing else left.',
    fields: [account],
    request: (v) => ({ method: 'POST', path: '/admin/insurance/write-off', body: filled(v, ['account']) }),
    command: (v) => ['insurance', 'write-off', v.account!],
    typed: (v) => v.account,
  },
  liquidate: {
    title: 'Force a liquidation',
    note: 'On a demo: closes all positions of an account through book, fund and other side.',
    fields: [account],
    request: (v) => ({ method: 'POST', path: '/admin/force/liquidation', body: filled(v, ['account']) }),
    command: (v) => ['force', 'liquidation', v.account!],
    typed: (v) => v.account,
  },
  deleverage: {
    title: 'Force a deleveraging',
    note: 'On a demo: closes the position of an account in one contract at the mark.',
    fields: [account, { ...category, options: CONTRACTS }, symbol],
    request: (v) => ({
      method: 'POST',
      path: '/admin/force/deleveraging',
      body: filled(v, ['account', 'category', 'symbol']),
    }),
    command: (v) => ['force', 'deleveraging', v.account!, v.category!, v.symbol!],
    typed: (v) => v.account,
  },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof ACTIONS;

/** As one types it in a shell. */
export function commandLine(args: readonly string[]): string {
  return ['bourse', ...args.map(quoted)].join(' ');
}

function quoted(text: string): string {
  return /^[\w./:@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What a form begins with: what the page knows, else the first choice. */
export function firstValues(action: Action, given: Values): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name, first, options } of action.fields)
    values[name] = given[name] ?? first ?? options?.[0] ?? '';
  return values;
}

export function isComplete(action: Action, values: Values): boolean {
  return action.fields.every(({ name, optional }) => optional === true || values[name] !== '');
}
