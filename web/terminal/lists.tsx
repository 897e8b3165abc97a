/** The lists of the account below the chart. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icon.tsx';
import { account, orders, positions, strategies } from './account.ts';
import { cancelAll } from './actions.ts';
import { AssetsList } from './list-assets.tsx';
import { EventsList } from './list-events.tsx';
import { FillsList, LedgerList, OrdersList } from './list-history.tsx';
import { LoansList } from './list-loans.tsx';
import { OpenOrders, Triggers } from './list-orders.tsx';
import { PositionsList } from './list-positions.tsx';
import { LISTS, type ListName, list, open } from './windows.ts';

export interface ListProps {
  /** Only of the symbol that is open. */
  readonly here: boolean;
}

const CONTENTS: Readonly<Record<ListName, (props: ListProps) => ComponentChildren>> = {
  positions: PositionsList,
  open: OpenOrders,
  triggers: Triggers,
  orders: OrdersList,
  fills: FillsList,
  ledger: LedgerList,
  assets: AssetsList,
  loans: LoansList,
  events: EventsList,
};

const COUNTS: Partial<Record<ListName, () => number>> = {
  positions: () => positions.value.length,
  open: () => orders.value.length,
  triggers: () => strategies.value.length,
};

export function Lists() {
  const here = useSignal(false);
  const shown = list.value;
  const Contents = CONTENTS[shown];
  const step = (by: number) => {
    const at = LISTS.findIndex(([name]) => name === shown);
    const next = LISTS[(at + by + LISTS.length) % LISTS.length]![0];
    list.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <section class="panel lists" aria-label="Lists of the account">
      <header class="panel-bar">
        <div
          class="tabs list-tabs"
          role="tablist"
          aria-label="List"
          onKeyDown={({ key }) => {
            if (key === 'ArrowRight') step(1);
            else if (key === 'ArrowLeft') step(-1);
          }}
        >
          {LISTS.map(([name, title]) => (
            <button
              key={name}
              id={`tab-${name}`}
              type="button"
              role="tab"
              aria-selected={name === shown}
              aria-controls="list-contents"
              tabIndex={name === shown ? 0 : -1}
              onClick={() => {
                list.value = name;
              }}
            >
              {title} {(COUNTS[name]?.() ?? 0) > 0 && <span class="count">{COUNTS[name]!()}</span>}
            </button>
          ))}
        </div>
        <div class="list-tools">
          <label class="check">
            <input
              type="checkbox"
              checked={here.value}
              onChange={({ currentTarget }) => {
                here.value = currentTarget.checked;
              }}
            />
            This symbol
          </label>
          <button type="button" onClick={() => void cancelAll(!here.value)}>
            Cancel all
          </button>
          <button type="button" onClick={() => open('code')}>
            <Icon name="code" /> Code
          </button>
        </div>
      </header>
      <div class="list-box" id="list-contents" role="tabpanel" aria-labelledby={`tab-${shown}`}>
        {account.value === undefined ? (
          <p class="empty">Choose an account to see its {shown}.</p>
        ) : (
          <Contents key={`${shown} ${account.value.id}`} here={here.value} />
        )}
      </div>
    </section>
  );
}
