/** Instruments with their books and calendars, coins, index prices, and the agents of the market. */
import { useSignal } from '@preact/signals';
import { Select } from '../parts/choice.tsx';
import { Table } from '../parts/table.tsx';
import { grouped, percent } from '../wire/format.ts';
import { ActionButton, openAction } from './action-dialog.tsx';
import { CATEGORIES } from './actions.ts';
import { useFetched } from './fetched.ts';
import { calendarOf, type Instrument, spreadOf } from './instrument.ts';
import { figures } from './live.ts';
import { call } from './operator.ts';
import { Loaded, Panel, when } from './panel.tsx';

interface Coin {
  readonly coin: string;
  readonly houseShortUsd: string;
  readonly lendShare: string;
  readonly insuranceFloor: string;
}
interface IndexPrice {
  readonly index: string;
  readonly price: string;
  readonly stale: boolean;
  readonly thin: boolean;
  readonly reported: number | null;
  readonly components: readonly { readonly live: boolean }[];
}
interface Market {
  readonly level: string;
  readonly seed: number;
  readonly feed: string;
  readonly agents: readonly Agent[];
}
interface Agent {
  readonly name: string;
  readonly kind: string;
  readonly running: boolean;
  readonly openOrders: number;
}

const EVERY = CATEGORIES.map((name) => [name, name] as const);

export function MarketsPage() {
  const hasAgents = figures.value !== undefined && figures.value.market !== null;
  return (
    <div class="page">
      <Instruments hasAgents={hasAgents} />
      <IndexPrices />
      <Coins />
      {hasAgents && <Agents />}
    </div>
  );
}

/** A new entry begins as a copy of one that is there. */
async function listAnother(name: 'addInstrument' | 'addCoin', path: string): Promise<void> {
  const answer = await call<{ spec: object }>('GET', path);
  if (answer.ok) openAction(name, {}, { entry: JSON.stringify(answer.data.spec, undefined, 2) });
}

function Instruments({ hasAgents }: { readonly hasAgents: boolean }) {
  const category = useSignal('USDT-FUTURES');
  const listed = useFetched<{ instruments: readonly Instrument[] }>(
    `/admin/instruments?category=${category.value}`,
  );
  return (
    <Panel
      title="Instruments"
      tools={
        <>
          <Select
            label="Category"
            options={EVERY}
            value={category.value}
            onChange={(next) => {
              category.value = next;
            }}
          />
          <ActionButton name="fees" given={{ category: category.value }}>
            Set fees…
          </ActionButton>
          <ActionButton name="addInstrument">List an instrument…</ActionButton>
        </>
      }
    >
      <Loaded of={listed}>
        {({ instruments }) => (
          <Table
            label="Instruments"
            columns={[
              { name: 'Symbol', cell: ({ symbol }) => <b>{symbol}</b> },
              { name: 'Status', cell: statusOf },
              {
                name: 'Bid / ask',
                number: true,
                cell: ({ bid, ask }) => `${grouped(bid) || '–'} / ${grouped(ask) || '–'}`,
              },
              { name: 'Spread', number: true, cell: spreadOf },
              {
                name: 'Depth',
                number: true,
                cell: ({ bidDepth, askDepth }) => `${grouped(bidDepth)} / ${grouped(askDepth)}`,
              },
              { name: 'Mark', number: true, cell: ({ mark, last }) => grouped(mark || last) || '–' },
              { name: 'Fees', number: true, cell: feesOf },
              { name: 'Funding', number: true, cell: fundingOf },
              { name: 'Next (UTC)', cell: (row) => calendarOf(row, figures.value?.time) },
              { name: 'Orders', number: true, cell: ({ openOrders }) => grouped(String(openOrders)) },
              {
                name: 'Actions',
                cell: (row) => {
                  const given = { category: row.category, symbol: row.symbol };
                  const path = `/admin/instruments/${row.category}/${encodeURIComponent(row.symbol)}`;
                  return (
                    <span class="actions">
                      <ActionButton name="status" given={given}>
                        Status…
                      </ActionButton>
                      {hasAgents && (
                        <ActionButton name="widen" given={given}>
                          Widen…
                        </ActionButton>
                      )}
                      <button type="button" onClick={() => void listAnother('addInstrument', path)}>
                        Another…
                      </button>
                    </span>
                  );
                },
              },
            ]}
            rows={instruments}
            keyOf={({ symbol }) => symbol}
            empty="Nothing is listed here."
          />
        )}
      </Loaded>
    </Panel>
  );
}

function statusOf({ status, closeOnly, paused }: Instrument) {
  const more = closeOnly ? 'close only' : paused ? 'paused' : '';
  return (
    <>
      <span class={status === 'online' ? 'up' : 'warn'}>{status}</span> {more !== '' && <small>{more}</small>}
    </>
  );
}

function feesOf({ makerFeeRate, takerFeeRate }: Instrument): string {
  return `${percent(makerFeeRate, 3)} / ${percent(takerFeeRate, 3)}`;
}

function fundingOf({ fundInterval, fundingRate }: Instrument) {
  if (fundInterval === '') return '–';
  return (
    <>
      {percent(fundingRate, 4)} <small>{fundInterval} h</small>
    </>
  );
}

function IndexPrices() {
  const prices = useFetched<{ indices: readonly IndexPrice[] }>('/admin/prices');
  return (
    <Panel title="Index prices">
      <Loaded of={prices}>
        {({ indices }) => (
          <Table
            label="Index prices"
            columns={[
              { name: 'Index', cell: ({ index }) => <b>{index}</b> },
              { name: 'Price', number: true, cell: ({ price }) => grouped(price) },
              {
                name: 'State',
                cell: ({ stale, thin }) =>
                  stale ? <b class="down">stale</b> : thin ? <b class="warn">thin</b> : 'live',
              },
              {
                name: 'Components',
                number: true,
                cell: ({ components }) =>
                  `${components.filter(({ live }) => live).length} of ${components.length}`,
              },
              { name: 'Reported (UTC)', cell: ({ reported }) => when(reported) },
              {
                name: 'Actions',
                cell: ({ index }) => (
                  <span class="actions">
                    <ActionButton name="price" given={{ index }}>
                      Set…
                    </ActionButton>
                  </span>
                ),
              },
            ]}
            rows={indices}
            keyOf={({ index }) => index}
            empty="No index."
          />
        )}
      </Loaded>
    </Panel>
  );
}

function Coins() {
  const listed = useFetched<{ coins: readonly Coin[] }>('/admin/coins');
  return (
    <Panel title="Coins" tools={<ActionButton name="addCoin">List a coin…</ActionButton>}>
      <Loaded of={listed}>
        {({ coins }) => (
          <Table
            label="Coins"
            columns={[
              { name: 'Coin', cell: ({ coin }) => <b>{coin}</b> },
              {
                name: 'House may lack, USD',
                number: true,
                cell: ({ houseShortUsd }) => grouped(houseShortUsd),
              },
              {
                name: 'May be lent',
                number: true,
                cell: ({ lendShare }) => (lendShare === '' ? 'no' : percent(lendShare, 0)),
              },
              {
                name: 'Floor of the funds',
                number: true,
                cell: ({ insuranceFloor }) => grouped(insuranceFloor),
              },
              {
                name: 'Actions',
                cell: ({ coin }) => (
                  <span class="actions">
                    <ActionButton name="coinLimits" given={{ coin }}>
                      Limits…
                    </ActionButton>
                    <button
                      type="button"
                      onClick={() => void listAnother('addCoin', `/admin/coins/${encodeURIComponent(coin)}`)}
                    >
                      Another…
                    </button>
                  </span>
                ),
              },
            ]}
            rows={coins}
            keyOf={({ coin }) => coin}
            empty="No coins."
          />
        )}
      </Loaded>
    </Panel>
  );
}

function Agents() {
  const market = useFetched<Market>('/admin/market');
  return (
    <Panel
      title="Agents"
      tools={
        <>
          <ActionButton name="shock">Shock a price…</ActionButton>
          <ActionButton name="stopAgents">Stop a kind…</ActionButton>
          <ActionButton name="startAgents">Start a kind…</ActionButton>
        </>
      }
    >
      <Loaded of={market}>
        {({ level, seed, feed, agents }) => (
          <>
            <p class="verdict soft">
              {level} · seed {seed} · {feed} · {agents.filter(({ running }) => running).length} of{' '}
              {agents.length} running
            </p>
            <Table
              label="Agents"
              columns={[
                { name: 'Agent', cell: ({ name }) => name },
                { name: 'Kind', cell: ({ kind }) => kind },
                { name: 'Runs', cell: ({ running }) => (running ? 'yes' : <b class="warn">no</b>) },
                { name: 'Open orders', number: true, cell: ({ openOrders }) => String(openOrders) },
                {
                  name: 'Actions',
                  cell: ({ name, running }) => (
                    <span class="actions">
                      <ActionButton name={running ? 'stopAgents' : 'startAgents'} given={{ agent: name }}>
                        {running ? 'Stop…' : 'Start…'}
                      </ActionButton>
                    </span>
                  ),
                },
              ]}
              rows={agents}
              keyOf={({ name }) => name}
              empty="No agents."
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}
