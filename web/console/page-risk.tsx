/** Who is near liquidation, what stands behind the accounts, and what was closed by force. */
import { Table } from '../parts/table.tsx';
import { grouped, percent } from '../wire/format.ts';
import { ActionButton } from './action-dialog.tsx';
import { useFetched } from './fetched.ts';
import { Loaded, Panel, when } from './panel.tsx';
import { addressOf } from './places.ts';

interface Risk {
  readonly levels: {
    readonly over100: number;
    readonly from80: number;
    readonly from50: number;
    readonly below50: number;
  };
  readonly nearest: readonly {
    readonly uid: number;
    readonly name: string;
    readonly ratio: string;
    readonly effective: string;
    readonly maintenance: string;
    readonly positions: number;
  }[];
  readonly queues: readonly {
    readonly category: string;
    readonly symbol: string;
    readonly long: number;
    readonly short: number;
  }[];
  readonly forced: readonly {
    readonly id: string;
    readonly time: number;
    readonly uid: number;
    readonly kind: string;
    readonly category: string;
    readonly symbol: string;
    readonly side: string;
    readonly size: string;
    readonly price: string;
    readonly pnl: string;
  }[];
}
interface Fund {
  readonly coin: string;
  readonly fund: string;
  readonly balance: string;
  readonly floor: string;
  readonly paid: string;
  readonly left: string;
}

export function RiskPage() {
  const risk = useFetched<Risk>('/admin/risk?limit=50');
  const funds = useFetched<{ funds: readonly Fund[] }>('/admin/insurance');
  return (
    <div class="page">
      <Panel title="Margin ratios">
        <Loaded of={risk}>
          {({ levels }) => (
            <div class="rates">
              {(
                [
                  ['100 % and more', levels.over100, 'down'],
                  ['80 to 100 %', levels.from80, 'warn'],
                  ['50 to 80 %', levels.from50, ''],
                  ['below 50 %', levels.below50, 'up'],
                ] as const
              ).map(([name, count, tone]) => (
                <div key={name} class="rate">
                  <span class="soft">{name}</span>
                  <b class={count === 0 ? '' : tone}>{grouped(String(count))}</b>
                </div>
              ))}
            </div>
          )}
        </Loaded>
      </Panel>
      <Panel title="Nearest to liquidation" tools={<ActionButton name="liquidate">Force…</ActionButton>}>
        <Loaded of={risk}>
          {({ nearest }) => (
            <Table
              label="Nearest to liquidation"
              columns={[
                {
                  name: 'Account',
                  cell: ({ uid, name }) => <a href={addressOf('accounts', String(uid))}>{name || uid}</a>,
                },
                { name: 'Ratio', number: true, cell: ({ ratio }) => <b>{percent(ratio, 2)}</b> },
                { name: 'Maintenance, USD', number: true, cell: ({ maintenance }) => grouped(maintenance) },
                { name: 'Collateral, USD', number: true, cell: ({ effective }) => grouped(effective) },
                { name: 'Positions', number: true, cell: ({ positions }) => positions },
              ]}
              rows={nearest}
              keyOf={({ uid }) => String(uid)}
              empty="Nobody has a position or a debt."
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Insurance funds" tools={<ActionButton name="fundInsurance">Pay in…</ActionButton>}>
        <Loaded of={funds}>
          {(answer) => (
            <Table
              label="Insurance funds"
              columns={[
                { name: 'Coin', cell: ({ coin }) => <b>{coin}</b> },
                { name: 'Fund', cell: ({ fund }) => fund },
                { name: 'Balance', number: true, cell: ({ balance }) => grouped(balance) },
                { name: 'Floor', number: true, cell: ({ floor }) => grouped(floor) },
                { name: 'Paid this hour', number: true, cell: ({ paid }) => grouped(paid) },
                { name: 'Left of it', number: true, cell: ({ left }) => grouped(left) },
                {
                  name: 'Actions',
                  cell: ({ coin, fund }) => (
                    <span class="actions">
                      <ActionButton name="fundInsurance" given={{ coin, fund }}>
                        Pay in…
                      </ActionButton>
                      <ActionButton name="drainInsurance" given={{ coin, fund }}>
                        Drain…
                      </ActionButton>
                    </span>
                  ),
                },
              ]}
              rows={answer.funds}
              keyOf={({ coin, fund }) => `${coin} ${fund}`}
              empty="The funds are empty."
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Deleveraging queues">
        <Loaded of={risk}>
          {({ queues }) => (
            <Table
              label="Positions that a deleveraging could close"
              columns={[
                { name: 'Symbol', cell: ({ symbol }) => <b>{symbol}</b> },
                { name: 'Category', cell: ({ category }) => category },
                { name: 'Long', number: true, cell: ({ long }) => long },
                { name: 'Short', number: true, cell: ({ short }) => short },
              ]}
              rows={queues}
              keyOf={({ category, symbol }) => `${category} ${symbol}`}
              empty="No positions."
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Closed by force since the start">
        <Loaded of={risk}>
          {({ forced }) => (
            <Table
              label="Closed by force, newest first"
              columns={[
                { name: 'Time (UTC)', cell: ({ time }) => when(time) },
                {
                  name: 'Account',
                  cell: ({ uid }) => <a href={addressOf('accounts', String(uid))}>{uid}</a>,
                },
                { name: 'Step', cell: ({ kind }) => kind },
                { name: 'Symbol', cell: ({ symbol }) => <b>{symbol}</b> },
                { name: 'Side', cell: ({ side }) => side },
                { name: 'Size', number: true, cell: ({ size }) => size },
                { name: 'Price', number: true, cell: ({ price }) => grouped(price) },
                { name: 'Profit', number: true, cell: ({ pnl }) => grouped(pnl) },
              ]}
              rows={forced}
              keyOf={({ id }) => id}
              empty="Nothing was closed by force."
            />
          )}
        </Loaded>
      </Panel>
    </div>
  );
}
