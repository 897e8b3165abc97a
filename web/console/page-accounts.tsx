/** Accounts: the list with a search, and one of them with wallets, positions, keys and addresses. */
import { useSignal } from '@preact/signals';
import { Table } from '../parts/table.tsx';
import { grouped } from '../wire/format.ts';
import { ActionButton } from './action-dialog.tsx';
import { useFetched } from './fetched.ts';
import { Facts, Loaded, Panel, SearchBox, when } from './panel.tsx';
import { addressOf, subject } from './places.ts';

interface Account {
  readonly uid: number;
  readonly name: string;
  readonly kind: string;
  readonly master: number | null;
  readonly frozen: boolean;
  readonly marketMaker: boolean;
  readonly note: string;
  readonly created: number;
}
interface Balance {
  readonly coin: string;
  readonly unified: string;
  readonly locked: string;
  readonly funding: string;
  readonly withdrawing: string;
  readonly pledged: string;
}
interface Position {
  readonly category: string;
  readonly symbol: string;
  readonly side: string;
  readonly marginMode: string;
  readonly size: string;
  readonly averagePrice: string;
  readonly markPrice: string;
  readonly unrealised: string;
}
interface Detail {
  readonly account: Account;
  readonly balances: readonly Balance[];
  readonly positions: readonly Position[];
  readonly openOrders: number;
  readonly rights: readonly string[];
  readonly quotas: readonly { readonly category: string; readonly given: number; readonly cap: number }[];
}
interface Key {
  readonly apiKey: string;
  readonly kind: string;
  readonly label: string;
  readonly permType: string;
  readonly permissions: readonly string[];
  readonly lastUsed: number;
}
interface Address {
  readonly id: number;
  readonly type: string;
  readonly coin: string;
  readonly chain: string;
  readonly address: string;
  readonly label: string;
}

export function AccountsPage() {
  return subject.value === '' ? <AccountList /> : <OneAccount key={subject.value} uid={subject.value} />;
}

/** So many are shown at a time. */
const PAGE = 200;

function AccountList() {
  const sought = useSignal('');
  /** The last uids of the pages before this one. */
  const before = useSignal<readonly number[]>([]);
  const query = new URLSearchParams({
    search: sought.value.trim(),
    limit: String(PAGE),
    afterUid: String(before.value.at(-1) ?? 0),
  });
  const listed = useFetched<{ accounts: readonly Account[] }>(`/admin/accounts?${query}`);
  const shown = listed.value?.ok === true ? listed.value.data.accounts : [];
  return (
    <div class="page">
      <Panel
        title="Accounts"
        tools={
          <>
            <SearchBox
              label="Search accounts"
              hint="part of a name, uid or note"
              value={sought.value}
              onChange={(text) => {
                sought.value = text;
                before.value = [];
              }}
            />
            <ActionButton name="createAccount">Open an account…</ActionButton>
          </>
        }
      >
        <Loaded of={listed}>
          {({ accounts }) => <AccountTable label="Accounts" accounts={accounts} empty="No such account." />}
        </Loaded>
        {(before.value.length > 0 || shown.length === PAGE) && (
          <div class="levers">
            <button
              type="button"
              disabled={before.value.length === 0}
              onClick={() => {
                before.value = before.value.slice(0, -1);
              }}
            >
              Earlier
            </button>
            <button
              type="button"
              disabled={shown.length < PAGE}
              onClick={() => {
                before.value = [...before.value, shown.at(-1)!.uid];
              }}
            >
              Next {PAGE}
            </button>
          </div>
        )}
      </Panel>
    </div>
  );
}

interface AccountTableProps {
  readonly label: string;
  readonly accounts: readonly Account[];
  readonly empty: string;
}

function AccountTable({ label, accounts, empty }: AccountTableProps) {
  return (
    <Table
      label={label}
      columns={[
        {
          name: 'Name',
          cell: ({ name, uid }) => <a href={addressOf('accounts', String(uid))}>{name}</a>,
        },
        { name: 'Uid', cell: ({ uid }) => uid },
        {
          name: 'Kind',
          cell: ({ kind, master }) => (master === null ? kind : `${kind} of ${master}`),
        },
        { name: 'State', cell: ({ frozen }) => (frozen ? <b class="down">frozen</b> : 'open') },
        { name: 'Market maker', cell: ({ marketMaker }) => (marketMaker ? 'yes' : 'no') },
        { name: 'Note', cell: ({ note }) => note },
        { name: 'Opened (UTC)', cell: ({ created }) => when(created) },
      ]}
      rows={accounts}
      keyOf={({ uid }) => String(uid)}
      empty={empty}
    />
  );
}

function OneAccount({ uid }: { readonly uid: string }) {
  const path = `/admin/accounts/${encodeURIComponent(uid)}`;
  const detail = useFetched<Detail>(path);
  const keys = useFetched<{ keys: readonly Key[] }>(`${path}/keys`);
  const book = useFetched<{ locked: boolean; entries: readonly Address[] }>(`${path}/addresses`);
  const isMain = detail.value?.ok === true && detail.value.data.account.master === null;
  const subs = useFetched<{ accounts: readonly Account[] }>(
    isMain ? `/admin/accounts?master=${encodeURIComponent(uid)}` : undefined,
  );
  const given = { account: uid };
  return (
    <div class="page">
      <Panel title="Account" tools={<a href={addressOf('accounts')}>All accounts</a>}>
        <Loaded of={detail}>
          {({ account, openOrders, rights, quotas }) => (
            <>
              <Facts
                of={[
                  ['Name', account.name],
                  ['Uid', account.uid],
                  ['Kind', account.master === null ? account.kind : `${account.kind} of ${account.master}`],
                  ['State', account.frozen ? 'frozen' : 'open'],
                  ['Market maker', account.marketMaker ? 'yes' : 'no'],
                  ['Open orders', openOrders],
                  [
                    'Orders a second',
                    quotas
                      .map(({ category, given: used, cap }) => `${category} ${used} of ${cap}`)
                      .join(', '),
                  ],
                  ...(account.master === null ? [] : [['Rights', rights.join(', ') || 'none'] as const]),
                  ['Opened (UTC)', when(account.created)],
                  ['Note', account.note || '–'],
                ]}
              />
              <div class="levers">
                <ActionButton name="deposit" given={given}>
                  Deposit…
                </ActionButton>
                <ActionButton name={account.frozen ? 'unfreeze' : 'freeze'} given={given}>
                  {account.frozen ? 'Unfreeze…' : 'Freeze…'}
                </ActionButton>
                <ActionButton name="fees" given={given}>
                  Fees…
                </ActionButton>
                <ActionButton name="quota" given={given}>
                  Order quota…
                </ActionButton>
                <ActionButton name="marketMaker" given={given}>
                  Market maker…
                </ActionButton>
                <ActionButton name="broker" given={given}>
                  Broker…
                </ActionButton>
                <ActionButton name="commission" given={given}>
                  Commission…
                </ActionButton>
                <ActionButton name="liquidate" given={given}>
                  Force a liquidation…
                </ActionButton>
                <ActionButton name="writeOff" given={given}>
                  Write a debt off…
                </ActionButton>
              </div>
            </>
          )}
        </Loaded>
      </Panel>
      <Panel title="Wallets">
        <Loaded of={detail}>
          {({ balances }) => (
            <Table
              label="Wallets"
              columns={[
                { name: 'Coin', cell: ({ coin }) => <b>{coin}</b> },
                { name: 'Unified', number: true, cell: ({ unified }) => grouped(unified) },
                { name: 'Locked', number: true, cell: ({ locked }) => grouped(locked) },
                { name: 'Funding', number: true, cell: ({ funding }) => grouped(funding) },
                { name: 'Withdrawing', number: true, cell: ({ withdrawing }) => grouped(withdrawing) },
                { name: 'Pledged', number: true, cell: ({ pledged }) => grouped(pledged) },
              ]}
              rows={balances}
              keyOf={({ coin }) => coin}
              empty="It holds nothing."
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Positions">
        <Loaded of={detail}>
          {({ positions }) => (
            <Table
              label="Positions"
              columns={[
                { name: 'Symbol', cell: ({ symbol }) => <b>{symbol}</b> },
                { name: 'Side', cell: ({ side, marginMode }) => `${side}, ${marginMode}` },
                { name: 'Size', number: true, cell: ({ size }) => size },
                { name: 'Entry', number: true, cell: ({ averagePrice }) => grouped(averagePrice) },
                { name: 'Mark', number: true, cell: ({ markPrice }) => grouped(markPrice) },
                { name: 'Unrealised', number: true, cell: ({ unrealised }) => grouped(unrealised) },
                {
                  name: 'Actions',
                  cell: ({ category, symbol }) => (
                    <span class="actions">
                      <ActionButton name="deleverage" given={{ ...given, category, symbol }}>
                        Deleverage…
                      </ActionButton>
                    </span>
                  ),
                },
              ]}
              rows={positions}
              keyOf={({ symbol, side }) => `${symbol} ${side}`}
              empty="It has no positions."
            />
          )}
        </Loaded>
      </Panel>
      {isMain && (
        <Panel
          title="Sub-accounts"
          tools={
            <ActionButton name="createAccount" given={{ kind: 'sub', master: uid }}>
              Open one…
            </ActionButton>
          }
        >
          <Loaded of={subs}>
            {({ accounts }) => (
              <AccountTable label="Sub-accounts" accounts={accounts} empty="It has no sub-accounts." />
            )}
          </Loaded>
        </Panel>
      )}
      <Panel
        title="Keys"
        tools={
          <ActionButton name="createKey" given={given}>
            Make a key…
          </ActionButton>
        }
      >
        <Loaded of={keys}>
          {(answer) => (
            <Table
              label="Keys"
              columns={[
                { name: 'Key', cell: ({ apiKey }) => <code>{apiKey}</code> },
                { name: 'Label', cell: ({ label }) => label },
                {
                  name: 'Rights',
                  cell: ({ permType, permissions }) => `${permType}: ${permissions.join(', ')}`,
                },
                { name: 'Kind', cell: ({ kind }) => kind },
                { name: 'Last used (UTC)', cell: ({ lastUsed }) => when(lastUsed) },
                {
                  name: 'Actions',
                  cell: ({ apiKey }) => (
                    <span class="actions">
                      <ActionButton name="deleteKey" given={{ apiKey }}>
                        Delete…
                      </ActionButton>
                    </span>
                  ),
                },
              ]}
              rows={answer.keys}
              keyOf={({ apiKey }) => apiKey}
              empty="It has no keys."
            />
          )}
        </Loaded>
      </Panel>
      <Panel
        title="Addresses"
        tools={
          <>
            <ActionButton name="addAddress" given={given}>
              Enter an address…
            </ActionButton>
            <ActionButton name="lockAddresses" given={given}>
              Lock…
            </ActionButton>
          </>
        }
      >
        <Loaded of={book}>
          {({ locked, entries }) => (
            <>
              <p class="verdict soft">
                {locked ? 'Withdrawals go only to these addresses.' : 'Withdrawals may go anywhere.'}
              </p>
              <Table
                label="Addresses"
                columns={[
                  { name: 'Address', cell: ({ address }) => <code>{address}</code> },
                  { name: 'Coin', cell: ({ coin, type }) => coin || type },
                  { name: 'Network', cell: ({ chain }) => chain || '–' },
                  { name: 'Label', cell: ({ label }) => label },
                  {
                    name: 'Actions',
                    cell: ({ id }) => (
                      <span class="actions">
                        <ActionButton name="removeAddress" given={{ ...given, id: String(id) }}>
                          Strike out…
                        </ActionButton>
                      </span>
                    ),
                  },
                ]}
                rows={entries}
                keyOf={({ id }) => String(id)}
                empty="No addresses."
              />
            </>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}
