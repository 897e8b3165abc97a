/** Is the exchange well, how busy is it, and the levers. */
import { Sparkline } from '../parts/sparkline.tsx';
import { Table } from '../parts/table.tsx';
import { grouped } from '../wire/format.ts';
import { ActionButton } from './action-dialog.tsx';
import { useFetched } from './fetched.ts';
import { type Figures, figures, past } from './live.ts';
import { Facts, Loaded, Panel } from './panel.tsx';
import { addressOf } from './places.ts';

interface Books {
  readonly balanced: boolean;
  readonly coins: readonly CoinSums[];
}
interface CoinSums {
  readonly coin: string;
  readonly users: string;
  readonly house: string;
  readonly external: string;
  readonly total: string;
  readonly insurance: string;
  readonly badDebt: string;
}
interface Health {
  readonly version: string;
  readonly url: string;
  readonly uptimeSeconds: number;
  readonly openOrders: number;
}

const RATES: readonly (readonly [string, (figures: Figures) => number, string])[] = [
  ['orders', ({ ordersPerSecond }) => ordersPerSecond, '/s'],
  ['trades', ({ tradesPerSecond }) => tradesPerSecond, '/s'],
  ['commands', ({ commandsPerSecond }) => commandsPerSecond, '/s'],
  ['sockets', ({ sockets }) => sockets, ''],
  ['answers, p99', ({ p99Ms }) => Math.round(p99Ms * 10) / 10, ' ms'],
];
const FIVE_MINUTES = 300;

export function OverviewPage() {
  const now = figures.value;
  const health = useFetched<Health>('/admin/health');
  const books = useFetched<Books>('/admin/books');
  return (
    <div class="page overview">
      <Panel title="Health">
        {now === undefined ? (
          <p class="empty">…</p>
        ) : (
          <ul class="checks">
            {now.checks.map(({ name, ok, detail }) => (
              <li key={name}>
                <b class={ok ? (detail === undefined ? 'up' : 'warn') : 'down'}>
                  {ok ? (detail === undefined ? 'ok' : 'look') : 'wrong'}
                </b>
                <span>
                  {name} {detail !== undefined && <small>{detail}</small>}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Load of the last five minutes">
        <div class="rates">
          {RATES.map(([name, value, unit]) => (
            <div key={name} class="rate">
              <span class="soft">{name}</span>
              <b>{now === undefined ? '–' : `${grouped(String(value(now)))}${unit}`}</b>
              <Sparkline values={past.value.map(value)} room={FIVE_MINUTES} />
            </div>
          ))}
        </div>
        <Loaded of={health}>
          {({ version, url, uptimeSeconds, openOrders }) => (
            <Facts
              of={[
                ['Version', version],
                ['Public port', url],
                ['Up', `${grouped(String(uptimeSeconds))} s`],
                ['Commands', grouped(String(now?.applied ?? 0))],
                ['Rows behind', grouped(String(now?.historyLag ?? 0))],
                ['Accounts', grouped(String(now?.accounts ?? 0))],
                ['Open orders', grouped(String(openOrders))],
                [
                  'Waiting withdrawals',
                  <a key="open" href={addressOf('money')}>
                    {now?.pendingWithdrawals ?? 0}
                  </a>,
                ],
              ]}
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Levers">
        <div class="levers">
          <ActionButton name="shock">Shock a price…</ActionButton>
          <ActionButton name="widen">Widen spreads…</ActionButton>
          <ActionButton name="price">Set a price…</ActionButton>
          <ActionButton name="stopAgents">Stop agents…</ActionButton>
          <ActionButton name="startAgents">Start agents…</ActionButton>
          <ActionButton name="liquidate">Force a liquidation…</ActionButton>
          <ActionButton name="deleverage">Force a deleveraging…</ActionButton>
          <ActionButton name="snapshot">Write a snapshot…</ActionButton>
          {now?.halted ? (
            <ActionButton name="resume">Resume trading…</ActionButton>
          ) : (
            <ActionButton name="halt">Halt the venue…</ActionButton>
          )}
        </div>
      </Panel>
      <Panel title="Books">
        <Loaded of={books}>
          {({ balanced, coins }) => (
            <>
              <p class={balanced ? 'verdict up' : 'verdict down'}>
                {balanced ? 'The books agree.' : 'THE BOOKS DO NOT AGREE.'}
              </p>
              <Table
                label="Sums of the ledger by coin"
                columns={[
                  { name: 'Coin', cell: ({ coin }) => coin },
                  { name: 'Users', number: true, cell: ({ users }) => grouped(users) },
                  { name: 'House', number: true, cell: ({ house }) => grouped(house) },
                  { name: 'Outside', number: true, cell: ({ external }) => grouped(external) },
                  { name: 'Total', number: true, cell: ({ total }) => grouped(total) },
                  { name: 'Insurance', number: true, cell: ({ insurance }) => grouped(insurance) },
                  { name: 'Bad debt', number: true, cell: ({ badDebt }) => grouped(badDebt) },
                ]}
                rows={coins.filter(({ external }) => external !== '0')}
                keyOf={({ coin }) => coin}
                empty="No money yet."
              />
            </>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}
