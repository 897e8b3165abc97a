/** Pledge loans: take one, repay it, add collateral. */
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Select } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { client } from './account.ts';
import { post } from './actions.ts';
import { numeric } from './form-fields.tsx';
import { notify } from './notices.ts';
import { close } from './windows.ts';

export interface Loan {
  readonly orderId: string;
  readonly loanCoin: string;
  readonly loanAmount: string;
  readonly interestAmount: string;
  readonly hourInterestRate: string;
  readonly pledgeCoin: string;
  readonly pledgeAmount: string;
  readonly pledgeRate: string;
  readonly supRate: string;
  readonly forceRate: string;
  readonly expireTime: string;
}

/** Counts what was done here, so that the list asks again. */
export const loansVersion = signal(0);
export const loanAction = signal<{ readonly loan: Loan; readonly what: 'repay' | 'pledge' } | undefined>(
  undefined,
);

interface LoanCoins {
  readonly loanInfos: readonly { readonly coin: string }[];
  readonly pledgeInfos: readonly { readonly coin: string }[];
}

export function BorrowDialog() {
  const coins = useSignal<LoanCoins>({ loanInfos: [], pledgeInfos: [] });
  const [loanCoin, pledgeCoin, daily] = [useSignal('USDT'), useSignal('BTC'), useSignal('FLEXIBLE')];
  const money = useSignal('');
  useEffect(() => {
    void client.value?.get<LoanCoins>('loan/coins').then((answer) => {
      if (answer.ok) coins.value = answer.data;
    });
  }, []);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = {
      loanCoin: loanCoin.value,
      pledgeCoin: pledgeCoin.value,
      daily: daily.value,
      pledgeAmount: money.value,
    };
    const answer = await post('loan/borrow', body, 'The loan');
    if (!answer.ok) return;
    loansVersion.value += 1;
    notify('good', `${loanCoin.value} borrowed for ${money.value} ${pledgeCoin.value}`);
    close();
  };
  const choice = (label: string, value: typeof daily, options: readonly (readonly [string, string])[]) => (
    <div class="labelled">
      <span>{label}</span>
      <Select
        label={label}
        options={options}
        value={value.value}
        onChange={(next) => {
          value.value = next;
        }}
      />
    </div>
  );
  const named = (list: readonly { readonly coin: string }[]) => list.map(({ coin }) => [coin, coin] as const);
  return (
    <Dialog title="New pledge loan" onClose={close}>
      <form class="stacked" onSubmit={(event) => void send(event)}>
        {choice('Borrow', loanCoin, named(coins.value.loanInfos))}
        {choice('Pledge', pledgeCoin, named(coins.value.pledgeInfos))}
        {choice('For', daily, [
          ['FLEXIBLE', 'as long as wanted'],
          ['SEVEN', '7 days'],
          ['THIRTY', '30 days'],
        ])}
        <label>
          Pledge, in {pledgeCoin.value}
          <input
            inputMode="decimal"
            required
            value={money.value}
            onInput={({ currentTarget }) => {
              money.value = numeric(currentTarget.value);
            }}
          />
        </label>
        <p class="note">Collateral is taken from the unified account, and the most that it allows is lent.</p>
        <button type="submit" class="primary">
          Take the loan
        </button>
      </form>
    </Dialog>
  );
}

const done = () => {
  loanAction.value = undefined;
};

export function LoanDialog() {
  const money = useSignal('');
  const action = loanAction.value;
  if (action === undefined) return null;
  const { loan, what } = action;
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const answer =
      what === 'repay'
        ? await post(
            'loan/repay',
            {
              orderId: loan.orderId,
              method: 'borrowed_coin',
              repayAll: money.value === '' ? 'yes' : 'no',
              ...(money.value !== '' && { amount: money.value }),
            },
            'The repayment',
          )
        : await post(
            'loan/revise-pledge',
            { orderId: loan.orderId, amount: money.value, pledgeCoin: loan.pledgeCoin, reviseType: 'IN' },
            'The pledge',
          );
    if (!answer.ok) return;
    loansVersion.value += 1;
    done();
  };
  const coin = what === 'repay' ? loan.loanCoin : loan.pledgeCoin;
  return (
    <Dialog title={what === 'repay' ? 'Repay the loan' : 'Add collateral'} onClose={done}>
      <form class="stacked" onSubmit={(event) => void send(event)}>
        <label>
          Amount in {coin}
          <input
            inputMode="decimal"
            placeholder={what === 'repay' ? 'everything' : ''}
            required={what === 'pledge'}
            value={money.value}
            onInput={({ currentTarget }) => {
              money.value = numeric(currentTarget.value);
            }}
          />
        </label>
        <button type="submit" class="primary">
          {what === 'repay' ? 'Repay' : 'Add'}
        </button>
      </form>
    </Dialog>
  );
}
