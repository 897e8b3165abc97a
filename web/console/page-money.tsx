/** Money that comes and goes: withdrawals, deposits, loan pools, reserves. */
import { useSignal } from '@preact/signals';
import { Table } from '../parts/table.tsx';
import { grouped, percent } from '../wire/format.ts';
import { ActionButton } from './action-dialog.tsx';
import { useFetched } from './fetched.ts';
import { type Answer, call } from './operator.ts';
import { Facts, Loaded, Panel, SearchBox, when } from './panel.tsx';
import { addressOf } from './places.ts';

interface Withdrawal {
  readonly id: string;
  readonly uid: number;
  readonly coin: string;
  readonly amount: string;
  readonly fee: string;
  readonly toPay: string;
  readonly chain: string;
  readonly address: string;
  readonly created: number;
}
interface Deposit {
  readonly id: string;
  readonly uid: number;
  readonly coin: string;
  readonly amount: string;
  readonly reference: string;
  readonly from: string;
  readonly chain: string;
  readonly created: number;
}
interface Pool {
  readonly coin: string;
  readonly free: string;
  readonly lent: string;
  readonly lost: string;
  readonly loans: number;
  readonly flexibleRate: string;
  readonly sevenDayRate: string;
  readonly thirtyDayRate: string;
}
interface Reserves {
  readonly time: number;
  readonly root: string;
  readonly accounts: number;
  readonly solvency: string;
  readonly coins: readonly {
    readonly coin: string;
    readonly owed: string;
    readonly held: string;
    readonly lent: string;
    readonly badDebt: string;
    readonly solvency: string;
  }[];
}

export function MoneyPage() {
  const withdrawals = useFetched<{ withdrawals: readonly Withdrawal[] }>('/admin/withdrawals');
  const pools = useFetched<{ pools: readonly Pool[] }>('/admin/loan-pools');
  const reserves = useFetched<Reserves>('/admin/reserves');
  return (
    <div class="page">
      <Panel title="Waiting withdrawals">
        <Loaded of={withdrawals}>
          {(answer) => (
            <Table
              label="Waiting withdrawals"
              columns={[
                { name: 'Id', cell: ({ id }) => id },
                {
                  name: 'Account',
                  cell: ({ uid }) => <a href={addressOf('accounts', String(uid))}>{uid}</a>,
                },
                { name: 'To pay', number: true, cell: ({ toPay, coin }) => `${grouped(toPay)} ${coin}` },
                { name: 'Fee', number: true, cell: ({ fee }) => grouped(fee) },
                { name: 'Network', cell: ({ chain }) => chain },
                { name: 'Address', cell: ({ address }) => <code>{address}</code> },
                { name: 'Asked (UTC)', cell: ({ created }) => when(created) },
                {
                  name: 'Actions',
                  cell: ({ id }) => (
                    <span class="actions">
                      <ActionButton name="settle" given={{ id }}>
                        Settle…
                      </ActionButton>
                      <ActionButton name="refuse" given={{ id }}>
                        Refuse…
                      </ActionButton>
                    </span>
                  ),
                },
              ]}
              rows={answer.withdrawals}
              keyOf={({ id }) => id}
              empty="Nothing waits to be paid out."
            />
          )}
        </Loaded>
      </Panel>
      <Deposits />
      <Panel
        title="Loan pools"
        tools={
          <>
            <ActionButton name="fundPool">Fund…</ActionButton>
            <ActionButton name="loanRate">Rate…</ActionButton>
          </>
        }
      >
        <Loaded of={pools}>
          {(answer) => (
            <Table
              label="Loan pools"
              columns={[
                { name: 'Coin', cell: ({ coin }) => <b>{coin}</b> },
                { name: 'Free', number: true, cell: ({ free }) => grouped(free) },
                { name: 'Lent', number: true, cell: ({ lent }) => grouped(lent) },
                { name: 'Loans', number: true, cell: ({ loans }) => loans },
                { name: 'Lost', number: true, cell: ({ lost }) => grouped(lost) },
                { name: 'Flexible', number: true, cell: ({ flexibleRate }) => percent(flexibleRate, 2) },
                { name: '7 days', number: true, cell: ({ sevenDayRate }) => percent(sevenDayRate, 2) },
                { name: '30 days', number: true, cell: ({ thirtyDayRate }) => percent(thirtyDayRate, 2) },
                {
                  name: 'Actions',
                  cell: ({ coin }) => (
                    <span class="actions">
                      <ActionButton name="fundPool" given={{ coin }}>
                        Fund…
                      </ActionButton>
                      <ActionButton name="drainPool" given={{ coin }}>
                        Drain…
                      </ActionButton>
                      <ActionButton name="loanRate" given={{ coin }}>
                        Rate…
                      </ActionButton>
                    </span>
                  ),
                },
              ]}
              rows={answer.pools}
              keyOf={({ coin }) => coin}
              empty="No pools."
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Reserves" tools={<ActionButton name="auditReserves">Audit now…</ActionButton>}>
        <Loaded of={reserves}>
          {({ time, root, accounts, solvency, coins }) => (
            <>
              <Facts
                of={[
                  ['Audited (UTC)', when(time)],
                  ['Accounts', accounts],
                  [
                    'Verdict',
                    <b key="v" class={solvency === 'solvent' ? 'up' : 'down'}>
                      {solvency}
                    </b>,
                  ],
                  ['Root', <code key="r">{root}</code>],
                ]}
              />
              <Table
                label="Reserves by coin"
                columns={[
                  { name: 'Coin', cell: ({ coin }) => <b>{coin}</b> },
                  { name: 'Owed', number: true, cell: ({ owed }) => grouped(owed) },
                  { name: 'Held', number: true, cell: ({ held }) => grouped(held) },
                  { name: 'Lent', number: true, cell: ({ lent }) => grouped(lent) },
                  { name: 'Bad debt', number: true, cell: ({ badDebt }) => grouped(badDebt) },
                  { name: 'Verdict', cell: (row) => row.solvency },
                ]}
                rows={coins}
                keyOf={({ coin }) => coin}
                empty="Nothing is owed."
              />
              <Proof />
            </>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

const DEPOSITS_SHOWN = 50;

/** Past deposits of one account, or of all. */
function Deposits() {
  const account = useSignal('');
  const sought = account.value.trim();
  const query = new URLSearchParams({
    limit: String(DEPOSITS_SHOWN),
    ...(sought !== '' && { account: sought }),
  });
  const deposits = useFetched<{ deposits: readonly Deposit[] }>(`/admin/deposits?${query}`);
  return (
    <Panel
      title="Past deposits"
      tools={
        <>
          <SearchBox
            label="Account"
            hint="account, or all"
            value={account.value}
            onChange={(text) => {
              account.value = text;
            }}
          />
          <ActionButton name="deposit">Credit a deposit…</ActionButton>
        </>
      }
    >
      <Loaded of={deposits}>
        {(answer) => (
          <Table
            label="Past deposits, newest first"
            columns={[
              { name: 'Id', cell: ({ id }) => id },
              {
                name: 'Account',
                cell: ({ uid }) => <a href={addressOf('accounts', String(uid))}>{uid}</a>,
              },
              { name: 'Amount', number: true, cell: ({ amount, coin }) => `${grouped(amount)} ${coin}` },
              { name: 'Reference', cell: ({ reference }) => <code>{reference}</code> },
              {
                name: 'From',
                cell: ({ from, chain }) => (from === '' ? chain || 'outside' : `account ${from}`),
              },
              { name: 'Arrived (UTC)', cell: ({ created }) => when(created) },
            ]}
            rows={answer.deposits}
            keyOf={({ id }) => id}
            empty="No such deposit."
          />
        )}
      </Loaded>
    </Panel>
  );
}

/** The proof that one account's holdings are in the published root. */
function Proof() {
  const account = useSignal('');
  const answer = useSignal<Answer<object> | undefined>(undefined);
  const ask = async (event: Event) => {
    event.preventDefault();
    answer.value = await call('GET', `/admin/reserves/${encodeURIComponent(account.value)}`);
  };
  const got = answer.value;
  return (
    <form class="proof" onSubmit={(event) => void ask(event)}>
      <label>
        Proof of account{' '}
        <input
          required
          value={account.value}
          onInput={({ currentTarget }) => {
            account.value = currentTarget.value;
          }}
        />
      </label>
      <button type="submit">Prove</button>
      {got !== undefined && (
        <pre class="once">{got.ok ? JSON.stringify(got.data, undefined, 2) : got.message}</pre>
      )}
    </form>
  );
}
