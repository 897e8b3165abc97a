/** Is the exchange well, how busy is it, who is near liquidation, and the levers. */
import { Sparkline } from '../parts/sparkline.tsx';
import { Table } from '../parts/table.tsx';
import { countdown, grouped, percent } from '../wire/format.ts';
import { ActionButton } from './action-dialog.tsx';
import { alertsOf } from './alerts.ts';
import { useFetched } from './fetched.ts';
import { Lever } from './lever.tsx';
import { type Figures, figures, past } from './live.ts';
import type { Answer } from './operator.ts';
import { Facts, Loaded, Panel } from './panel.tsx';
import { addressOf } from './places.ts';
import type { Risk } from './risk.ts';

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
  ['Orders', ({ ordersPerSecond }) => ordersPerSecond, '/s'],
  ['Trades', ({ tradesPerSecond }) => tradesPerSecond, '/s'],
  ['Commands', ({ commandsPerSecond }) => commandsPerSecond, '/s'],
  ['Requests', ({ requests }) => requests, '/s'],
  ['Answers, p99', ({ p99Ms }) => Math.round(p99Ms * 10) / 10, ' ms'],
  ['Sockets', ({ sockets }) => sockets, ''],
];
const FIVE_MINUTES = 300;
/** The sums look at every account. */
const BOOKS_AGAIN_MS = 20_000;

export function OverviewPage() {
  const risk = useFetched<Risk>('/admin/risk?limit=3');
  const books = useFetched<Books>('/admin/books', BOOKS_AGAIN_MS);
  const now = figures.value;
  if (now === undefined) return <p class="empty">…</p>;
  return (
    <div class="page overview">
      <Alerts now={now} risk={risk.value} books={books.value} />
      <Load now={now} />
      <Health now={now} />
      <Panel title="Risk" tools={<a href={addressOf('risk')}>All of it</a>}>
        <Loaded of={risk}>{(data) => <RiskStrip {...data} />}</Loaded>
      </Panel>
      <Levers now={now} />
      <Panel title="Books">
        <Loaded of={books}>{BooksTable}</Loaded>
      </Panel>
    </div>
  );
}

interface AlertsProps {
  readonly now: Figures;
  readonly risk: Answer<Risk> | undefined;
  readonly books: Answer<Books> | undefined;
}

function Alerts({ now, risk, books }: AlertsProps) {
  const alerts = alertsOf(
    now,
    risk?.ok === true ? risk.data.levels : undefined,
    books?.ok === true ? books.data.balanced : undefined,
  );
  return (
    <section class="alerts" aria-label="Alerts">
      {alerts.length === 0 && <p class="alert calm">Nothing asks for attention.</p>}
      {alerts.map(({ tone, text, place }) => (
        <p key={text} class={`alert ${tone}`}>
          {text}
          {place !== undefined && <a href={addressOf(place)}>open</a>}
        </p>
      ))}
    </section>
  );
}

function Load({ now }: { readonly now: Figures }) {
  return (
    <section class="panel strip" aria-label="Load of the last five minutes">
      {RATES.map(([name, value, unit]) => (
        <div key={name} class="rate">
          <span class="soft">{name}</span>
          <b>
            {grouped(String(value(now)))}
            <small>{unit}</small>
          </b>
          <Sparkline values={past.value.map(value)} room={FIVE_MINUTES} />
        </div>
      ))}
    </section>
  );
}

function Health({ now }: { readonly now: Figures }) {
  const health = useFetched<Health>('/admin/health');
  return (
    <Panel title="Health">
      <ul class="checks">
        {now.checks.map(({ name, ok, detail }) => (
          <li key={name}>
            <b class={ok ? (detail === undefined ? 'up' : 'warn') : 'down'}>
              {ok ? (detail === undefined ? 'ok' : 'look') : 'wrong'}
            </b>
            <span>{name}</span>
          </li>
        ))}
      </ul>
      <Loaded of={health}>
        {({ version, url, uptimeSeconds, openOrders }) => (
          <Facts
            of={[
              ['Version', version],
              ['Public port', url],
              ['Up', countdown(uptimeSeconds * 1000)],
              ['Commands', grouped(String(now.applied))],
              ['Not yet on disk', grouped(String(now.undurable))],
              ['Rows behind', grouped(String(now.historyLag))],
              ['Accounts', grouped(String(now.accounts))],
              ['Open orders', grouped(String(openOrders))],
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function RiskStrip({ levels, nearest, contracts }: Risk) {
  const { due, warned, within1, within5, within20, beyond20 } = levels;
  const rows = [
    ['At liquidation', due, 'down'],
    ['Warned', warned, 'warn'],
    ['Calm within 5 %', within1 + within5, ''],
    ['Calm beyond 5 %', within20 + beyond20, 'up'],
  ] as const;
  return (
    <>
      <div class="rates">
        {rows.map(([name, count, tone]) => (
          <div key={name} class="rate">
            <span class="soft">{name}</span>
            <b class={count === 0 ? '' : tone}>{grouped(String(count))}</b>
          </div>
        ))}
      </div>
      <Facts
        of={[
          [
            'Nearest to liquidation',
            nearest.length === 0
              ? 'nobody'
              : nearest.map(({ uid, name, ratio, move }) => (
                  <div key={uid}>
                    <a href={addressOf('accounts', String(uid))}>{name || uid}</a> {percent(ratio, 1)}
                    {move !== '' && <small> bears {percent(move, 1)}</small>}
                  </div>
                )),
          ],
          [
            'Most held',
            contracts.length === 0
              ? 'no positions'
              : [...contracts]
                  .sort((a, b) => b.holders - a.holders)
                  .slice(0, 3)
                  .map(({ category, symbol, holders }) => (
                    <div key={`${category} ${symbol}`}>
                      {symbol} <small>{holders} accounts</small>
                    </div>
                  )),
          ],
        ]}
      />
    </>
  );
}

function Levers({ now }: { readonly now: Figures }) {
  const { market, demo, halted } = now;
  return (
    <Panel
      title="Levers"
      tools={
        <>
          <ActionButton name="snapshot">Write a snapshot…</ActionButton>
          {halted ? (
            <ActionButton name="resume">Resume trading…</ActionButton>
          ) : (
            <ActionButton name="halt">Halt the venue…</ActionButton>
          )}
        </>
      }
    >
      <div class="lever-grid">
        {market !== null && (
          <>
            <Lever name="shock" verb="Shock" first={{ coin: 'BTC', percent: '-10', seconds: '60' }} />
            <Lever
              name="widen"
              verb="Widen"
              first={{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', seconds: '30' }}
            />
            <Lever name="stopAgents" verb="Stop" first={{ agent: 'maker' }} />
            <Lever name="startAgents" verb="Start" first={{ agent: 'maker' }} />
          </>
        )}
        <Lever name="price" verb="Set" first={{ index: 'BTCUSDT' }} />
        <ClockLever now={now} />
        {demo && (
          <>
            <Lever name="liquidate" verb="Liquidate" first={{ account: 'bob' }} />
            <Lever
              name="forceFunding"
              verb="Settle"
              first={{ category: 'USDT-FUTURES', symbol: 'BTCUSDT' }}
            />
          </>
        )}
      </div>
    </Panel>
  );
}

/** A clock that runs by itself is not moved. */
function ClockLever({ now: { clock, factor, nextFunding } }: { readonly now: Figures }) {
  if (clock !== 'manual')
    return (
      <div class="lever">
        <h3>Move the clock</h3>
        <p class="note">
          The clock is {clock === 'wall' ? "the machine's" : `${factor} times as fast as the machine's`} and
          moves by itself. An exchange that was started with <code>--clock manual</code> can be moved here.
        </p>
      </div>
    );
  return (
    <div class="lever-pair">
      <Lever name="advanceClock" verb="Move" />
      <div class="tools">
        <ActionButton name="advanceClock" first={{ span: '1h' }}>
          +1 h…
        </ActionButton>
        <ActionButton name="advanceClock" first={{ span: '8h' }}>
          +8 h…
        </ActionButton>
        {nextFunding !== null && (
          <ActionButton name="advanceClock" first={{ span: new Date(nextFunding).toISOString() }}>
            To the next funding…
          </ActionButton>
        )}
      </div>
    </div>
  );
}

function BooksTable({ balanced, coins }: Books) {
  return (
    <>
      <p class={balanced ? 'verdict up' : 'verdict down'}>
        {balanced ? 'The books agree.' : 'THE BOOKS DO NOT AGREE.'}
      </p>
      <Table
        label="Sums of the ledger by coin"
        columns={[
          { name: 'Coin', cell: ({ coin }) => <b>{coin}</b> },
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
  );
}
