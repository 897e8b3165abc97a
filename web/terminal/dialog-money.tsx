/** Transfers between the wallets, and repaying what margin trading owes. */
import { signal, useSignal } from '@preact/signals';
import { Choice, Select } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { funds } from './account.ts';
import { post } from './actions.ts';
import { numeric } from './form-fields.tsx';
import { notify } from './notices.ts';
import { close } from './windows.ts';

export const transferCoin = signal('USDT');

export function TransferDialog() {
  const direction = useSignal<'out' | 'in'>('out');
  const money = useSignal('');
  const coin = transferCoin.value;
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const [fromType, toType] = direction.value === 'out' ? ['uta', 'spot'] : ['spot', 'uta'];
    const answer = await post(
      'account/transfer',
      { fromType, toType, coin, amount: money.value },
      'The transfer',
    );
    if (!answer.ok) return;
    notify('good', `${money.value} ${coin} moved`);
    close();
  };
  return (
    <Dialog title={`Transfer ${coin}`} onClose={close}>
      <form class="stacked" onSubmit={(event) => void send(event)}>
        <Choice
          label="Direction"
          options={[
            ['out', 'Unified → funding'],
            ['in', 'Funding → unified'],
          ]}
          value={direction.value}
          onChange={(next) => {
            direction.value = next;
          }}
        />
        <label>
          Amount in {coin}
          <input
            inputMode="decimal"
            required
            value={money.value}
            onInput={({ currentTarget }) => {
              money.value = numeric(currentTarget.value);
            }}
          />
        </label>
        <button type="submit" class="primary">
          Transfer
        </button>
      </form>
    </Dialog>
  );
}

export function RepayDialog() {
  const held = funds.value?.coin ?? [];
  const owed = held.filter(({ debts }) => debts !== '0').map(({ coin }) => coin);
  const owns = held
    .filter(({ debts, available }) => debts === '0' && available !== '0')
    .map(({ coin }) => coin);
  const debt = useSignal(owed[0] ?? '');
  const payment = useSignal(owns.includes('USDT') ? 'USDT' : (owns[0] ?? ''));
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = { repayableCoinList: [debt.value], paymentCoinList: [payment.value] };
    const answer = await post('account/repay', body, 'The repayment');
    if (!answer.ok) return;
    notify('good', `${debt.value} repaid with ${payment.value}`);
    close();
  };
  const select = (label: string, value: typeof debt, options: readonly string[]) => (
    <div class="labelled">
      <span>{label}</span>
      <Select
        label={label}
        options={options.map((each) => [each, each])}
        value={value.value}
        onChange={(next) => {
          value.value = next;
        }}
      />
    </div>
  );
  return (
    <Dialog title="Repay a debt" onClose={close}>
      <form class="stacked" onSubmit={(event) => void send(event)}>
        {select('Debt', debt, owed)}
        {select('Paid with', payment, owns)}
        <p class="note">
          The coin is sold at index prices, as far as it goes. What flows in of the owed coin repays by
          itself.
        </p>
        <button type="submit" class="primary">
          Repay
        </button>
      </form>
    </Dialog>
  );
}
