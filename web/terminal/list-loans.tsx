/** Debts of margin trading, and pledge loans. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Column, Table } from '../parts/table.tsx';
import { dateTime } from '../wire/format.ts';
import { client, funds } from './account.ts';
import { type Loan, loanAction, loansVersion } from './dialog-loans.tsx';
import { open } from './windows.ts';

const COLUMNS: readonly Column<Loan>[] = [
  { name: 'Loan', cell: ({ orderId }) => <small>{orderId.slice(-7)}</small> },
  { name: 'Borrowed', number: true, cell: ({ loanAmount, loanCoin }) => `${loanAmount} ${loanCoin}` },
  { name: 'Interest', number: true, cell: ({ interestAmount }) => interestAmount },
  { name: 'Per hour', number: true, cell: ({ hourInterestRate }) => `${hourInterestRate} %` },
  { name: 'Pledged', number: true, cell: ({ pledgeAmount, pledgeCoin }) => `${pledgeAmount} ${pledgeCoin}` },
  {
    name: 'Rate',
    number: true,
    cell: ({ pledgeRate, supRate, forceRate }) => `${pledgeRate} % (warned ${supRate}, closed ${forceRate})`,
  },
  {
    name: 'Ends',
    cell: ({ expireTime }) => (expireTime === '0' ? 'flexible' : dateTime(Number(expireTime))),
  },
  {
    name: 'Actions',
    cell: (loan) => (
      <span class="actions">
        {(['repay', 'pledge'] as const).map((what) => (
          <button
            key={what}
            type="button"
            onClick={() => {
              loanAction.value = { loan, what };
            }}
          >
            {what === 'repay' ? 'Repay' : 'Add pledge'}
          </button>
        ))}
      </span>
    ),
  },
];

export function LoansList() {
  const loans = useSignal<readonly Loan[]>([]);
  const asked = client.value;
  useEffect(() => {
    void asked?.get<readonly Loan[]>('loan/borrow-ongoing').then((answer) => {
      if (answer.ok) loans.value = answer.data;
    });
  }, [asked, loansVersion.value]);
  const debts = (funds.value?.coin ?? []).filter(({ debts: owed }) => owed !== '0');
  return (
    <div class="history">
      <div class="history-bar">
        <button type="button" onClick={() => open('borrow')}>
          New pledge loan
        </button>
        {debts.length > 0 && (
          <button type="button" onClick={() => open('repay')}>
            Repay {debts.map(({ coin, debts: owed }) => `${owed} ${coin}`).join(', ')}
          </button>
        )}
        {debts.length === 0 && <span class="soft">No debts from margin trading.</span>}
      </div>
      <Table
        label="Pledge loans"
        columns={COLUMNS}
        rows={loans.value}
        keyOf={({ orderId }) => orderId}
        empty="No pledge loans."
      />
    </div>
  );
}
