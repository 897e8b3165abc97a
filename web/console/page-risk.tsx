/** Who is near liquidation, what stands behind the accounts, and what was closed by force. */
import { Table } from '../parts/table.tsx';
import { fixed, grouped, percent } from '../wire/format.ts';
import { ActionButton } from './action-dialog.tsx';
import { useFetched } from './fetched.ts';
import { Loaded, Panel, when } from './panel.tsx';
import { addressOf } from './places.ts';
import type { Levels, Risk } from './risk.ts';

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
      <Panel title="Accounts with positions or debts">
        <Loaded of={risk}>{({ levels }) => <Distribution {...levels} />}</Loaded>
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
                {
                  name: 'Margin',
                  cell: ({ isolated }) => (isolated === '' ? 'crossed' : `isolated ${isolated}`),
                },
                { name: 'Ratio', number: true, cell: ({ ratio }) => <b>{percent(ratio, 2)}</b> },
                {
                  name: 'Bears a move of',
                  number: true,
                  cell: ({ move }) => (move === '' ? 'any' : percent(move, 2)),
                },
                { name: 'Maintenance, USD', number: true, cell: ({ maintenance }) => fixed(maintenance, 2) },
                { name: 'Collateral, USD', number: true, cell: ({ effective }) => fixed(effective, 2) },
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
      <Panel title="Open contracts">
        <Loaded of={risk}>
          {({ contracts }) => (
            <Table
              label="Positions that a deleveraging could close"
              columns={[
                { name: 'Symbol', cell: ({ symbol }) => <b>{symbol}</b> },
                { name: 'Category', cell: ({ category }) => category },
                { name: 'Accounts', number: true, cell: ({ holders }) => grouped(String(holders)) },
                { name: 'Open interest', number: true, cell: ({ openInterest }) => grouped(openInterest) },
                {
                  name: 'Actions',
                  cell: ({ category, symbol }) => (
                    <span class="actions">
                      <ActionButton name="deleverage" given={{ category, symbol }}>
                        Deleverage…
                      </ActionButton>
                      <ActionButton name="forceFunding" given={{ category, symbol }}>
                        Funding now…
                      </ActionButton>
                    </span>
                  ),
                },
              ]}
              rows={contracts}
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

/** How many there are of each level; calm ones by how far all prices may move before one of them can be warned. */
function Distribution(levels: Levels) {
  const rows = [
    ['At liquidation', levels.due, 'down'],
    ['Warned', levels.warned, 'warn'],
    ['Calm within 1 %', levels.within1, 'warn'],
    ['Within 5 %', levels.within5, ''],
    ['Within 20 %', levels.within20, ''],
    ['Beyond 20 %', levels.beyond20, 'up'],
  ] as const;
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return (
    <div class="rates levels">
      {rows.map(([name, count, tone]) => (
        <div key={name} class="rate">
          <span class="soft">{name}</span>
          <b class={count === 0 ? '' : tone}>{grouped(String(count))}</b>
          <meter aria-label={name} max={most} value={count} />
        </div>
      ))}
    </div>
  );
}
