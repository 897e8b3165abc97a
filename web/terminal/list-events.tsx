/** What the exchange did to the account by itself: funding, interest, triggers, liquidation, deleveraging. */
import { useEffect } from 'preact/hooks';
import { type Column, Table } from '../parts/table.tsx';
import { dateTime } from '../wire/format.ts';
import { CATEGORIES, isFutures } from '../wire/types.ts';
import { client } from './account.ts';
import { words } from './list-cells.tsx';
import type { LedgerRow } from './list-history.tsx';
import type { ListProps } from './lists.tsx';
import { instrument } from './market.ts';
import { addEvents, events, type VenueEvent } from './notices.ts';
import { reason } from './windows.ts';

/** Types of ledger lines that no order of the account made, and what they are. */
const KINDS: readonly (readonly [types: RegExp, name: string, why: string])[] = [
  [
    /SETTLE_FEE/,
    'funding',
    'Funding keeps a perpetual near its index. At each funding time every position pays or receives its worth at the mark price times the funding rate; a positive rate is paid by longs to shorts.',
  ],
  [
    /INTEREST/,
    'interest',
    'What is owed bears interest at every full hour: the debt times the hourly rate of the coin. Repaying before the hour ends saves that hour.',
  ],
  [
    /RISK_LIQ/,
    'liquidation',
    'The margin ratio reached 100 %: what the account is worth as collateral no longer covered the maintenance margin of its positions and debts. Open orders were cancelled first, then positions were closed step by step down to the bankruptcy price.',
  ],
  [
    /LIQ_CONVERT/,
    'forced conversion',
    'Coins were sold at index prices to pay a debt that the account could no longer carry. This happens before positions are closed.',
  ],
  [
    /FORCED_TRANSFER/i,
    'forced transfer',
    'The account owed more than its unified wallet could pay: what it lacked was taken from its funding wallet.',
  ],
  [
    /liq|burst/i,
    'liquidation',
    'The exchange closed a part of the position because the margin ratio reached 100 %.',
  ],
  [
    /delever|adl/i,
    'deleveraging',
    'A bankrupt position could not be closed in the book, nor by the insurance fund. The position with the best return and the highest leverage on the other side was reduced at its bankruptcy price.',
  ],
  [/deliver/i, 'delivery', 'The contract ended and was settled at its delivery price.'],
  [
    /success|submitting/,
    'trigger fired',
    'The last or the mark price, whichever the order watched, reached its trigger. The order that it sent is in Orders.',
  ],
  [
    /failed/,
    'trigger failed',
    'The price was reached, but the order that the trigger sent was refused: usually there was no position left to reduce, or not enough margin.',
  ],
];

const kindOf = (kind: string) => KINDS.find(([types]) => types.test(kind));

const COLUMNS: readonly Column<VenueEvent>[] = [
  { name: 'Time UTC', cell: ({ ts }) => dateTime(ts) },
  { name: 'What', cell: ({ kind }) => kindOf(kind)?.[1] ?? words(kind) },
  { name: 'Symbol', cell: ({ symbol }) => symbol || '–' },
  { name: 'Details', cell: ({ text }) => text },
  {
    name: 'Actions',
    cell: ({ kind }) => {
      const found = kindOf(kind);
      return (
        found !== undefined && (
          <span class="actions">
            <button
              type="button"
              onClick={() => {
                reason.value = { title: `Why: ${found[1]}`, text: found[2] };
              }}
            >
              Why
            </button>
          </span>
        )
      );
    },
  },
];

export function EventsList({ here }: ListProps) {
  const asked = client.value;
  useEffect(() => {
    for (const category of CATEGORIES.filter((each) => isFutures(each) || each === 'MARGIN'))
      void asked
        ?.get<{ list: readonly LedgerRow[] }>('account/financial-records', { category, limit: '100' })
        .then((answer) => {
          if (!answer.ok || asked !== client.peek()) return;
          const own = answer.data.list.filter(({ type }) => /SETTLE_FEE|INTEREST|LIQ/.test(type));
          addEvents(
            own.map(({ id, ts, type, symbol, amount, coin }) => ({
              id,
              ts: Number(ts),
              kind: type,
              symbol,
              text: `${amount} ${coin}`,
            })),
          );
        });
  }, [asked]);
  const rows = here ? events.value.filter(({ symbol }) => symbol === instrument.value?.symbol) : events.value;
  return (
    <Table
      label="Events"
      columns={COLUMNS}
      rows={rows}
      keyOf={({ id }) => id}
      empty="Nothing happened to this account by itself yet: no funding, interest, triggers or liquidations."
    />
  );
}
