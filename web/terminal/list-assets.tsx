/** Coins of the unified account and of the funding wallet, and transfers between them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Column, Table } from '../parts/table.tsx';
import { amount, sign } from '../wire/decimal.ts';
import { fixed, grouped } from '../wire/format.ts';
import { client, funds } from './account.ts';
import { transferCoin } from './dialog-money.tsx';
import { open } from './windows.ts';

interface CoinRow {
  readonly coin: string;
  readonly equity: string;
  readonly available: string;
  readonly locked: string;
  readonly debts: string;
  readonly usdValue: string;
  readonly funding: string;
}

interface FundingCoin {
  readonly coin: string;
  readonly available: string;
  readonly balance: string;
}

const COLUMNS: readonly Column<CoinRow>[] = [
  { name: 'Coin', cell: ({ coin }) => <b>{coin}</b> },
  { name: 'Equity', number: true, cell: ({ equity }) => grouped(equity) },
  { name: 'Available', number: true, cell: ({ available }) => grouped(available) },
  { name: 'Locked', number: true, cell: ({ locked }) => grouped(locked) },
  {
    name: 'Owed',
    number: true,
    cell: ({ debts }) => <span class={sign(amount(debts)) === 0 ? '' : 'down'}>{grouped(debts)}</span>,
  },
  { name: 'Worth USD', number: true, cell: ({ usdValue }) => fixed(usdValue, 2) },
  { name: 'Funding wallet', number: true, cell: ({ funding }) => grouped(funding) },
  {
    name: 'Actions',
    cell: ({ coin }) => (
      <span class="actions">
        <button
          type="button"
          aria-label={`Transfer ${coin}`}
          onClick={() => {
            transferCoin.value = coin;
            open('transfer');
          }}
        >
          Transfer
        </button>
      </span>
    ),
  },
];

const NOTHING = { equity: '0', available: '0', locked: '0', debts: '0', usdValue: '0' };

export function AssetsList() {
  const wallet = useSignal<readonly FundingCoin[]>([]);
  const asked = client.value;
  useEffect(() => {
    void asked?.get<readonly FundingCoin[]>('account/funding-assets').then((answer) => {
      if (answer.ok) wallet.value = answer.data;
    });
  }, [asked, funds.value]);
  const held = funds.value?.coin ?? [];
  const inWallet = new Map(wallet.value.map(({ coin, available }) => [coin, available]));
  const rows: readonly CoinRow[] = [
    ...held.map((each) => ({ ...each, funding: inWallet.get(each.coin) ?? '0' })),
    ...wallet.value
      .filter(({ coin }) => !held.some((each) => each.coin === coin))
      .map(({ coin, available }) => ({ ...NOTHING, coin, funding: available })),
  ];
  return (
    <Table
      label="Assets"
      columns={COLUMNS}
      rows={rows}
      keyOf={({ coin }) => coin}
      empty="No coins in this account."
    />
  );
}
