/** The window that is open, if any, and questions that wait. */
import type { ComponentChildren } from 'preact';
import { Dialog } from '../parts/dialog.tsx';
import { QuestionDialog } from '../parts/question-dialog.tsx';
import { amount, subtract } from '../wire/decimal.ts';
import { fixed, percent } from '../wire/format.ts';
import { funds } from './account.ts';
import { AccountDialog } from './dialog-account.tsx';
import { CodeDrawer } from './dialog-code.tsx';
import { HelpDialog } from './dialog-help.tsx';
import { LeverageDialog } from './dialog-leverage.tsx';
import { BorrowDialog, LoanDialog } from './dialog-loans.tsx';
import { RepayDialog, TransferDialog } from './dialog-money.tsx';
import { PositionDialog } from './dialog-position.tsx';
import { SearchDialog } from './dialog-search.tsx';
import { OrderForm } from './order-form.tsx';
import { close, opened, reason, type WindowName } from './windows.ts';

const WINDOWS: Readonly<Record<WindowName, () => ComponentChildren>> = {
  account: AccountDialog,
  search: SearchDialog,
  help: HelpDialog,
  code: CodeDrawer,
  leverage: LeverageDialog,
  ratio: RatioDialog,
  transfer: TransferDialog,
  borrow: BorrowDialog,
  repay: RepayDialog,
  sheet: () => (
    <Dialog title="Order" kind="sheet" onClose={close}>
      <OrderForm />
    </Dialog>
  ),
};

export function Dialogs() {
  const Window = opened.value === undefined ? undefined : WINDOWS[opened.value];
  return (
    <>
      {Window !== undefined && <Window />}
      <PositionDialog />
      <LoanDialog />
      <ReasonDialog />
      <QuestionDialog />
    </>
  );
}

function RatioDialog() {
  const held = funds.value;
  return (
    <Dialog title="Margin ratio" onClose={close}>
      <p class="note">
        Maintenance margin of all positions and debts, divided by what the account's coins count as
        collateral. At 80 % the exchange warns; at 100 % it cancels orders and closes positions step by step.
      </p>
      {held !== undefined && (
        <dl class="facts column">
          {(
            [
              ['Collateral', `${fixed(held.effEquity, 2)} USD`],
              ['Maintenance margin', `${fixed(held.mmr, 2)} USD`],
              ['Ratio', percent(held.mgnRatio, 2)],
              ['Initial margin of positions and orders', `${fixed(held.imr, 2)} USD`],
              ['Free for new orders', `${fixed(subtract(amount(held.effEquity), amount(held.imr)), 2)} USD`],
            ] as const
          ).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Dialog>
  );
}

function ReasonDialog() {
  const shown = reason.value;
  if (shown === undefined) return null;
  return (
    <Dialog
      title={shown.title}
      onClose={() => {
        reason.value = undefined;
      }}
    >
      <p class="note">{shown.text}</p>
    </Dialog>
  );
}
