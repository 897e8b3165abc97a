/** Instruments and their status, index prices, and the agents of the market. */
import { useSignal } from '@preact/signals';
import { Select } from '../parts/choice.tsx';
import { Table } from '../parts/table.tsx';
import { grouped } from '../wire/format.ts';
import { ActionButton } from './action-dialog.tsx';
import { CATEGORIES } from './actions.ts';
import { useFetched } from './fetched.ts';
import { Loaded, Panel, when } from './panel.tsx';

interface Instrument {
  readonly category: string;
  readonly symbol: string;
  readonly status: string;
  readonly closeOnly: boolean;
  readonly paused: boolean;
  readonly fundInterval: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  readonly openOrders: number;
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
  const category = useSignal('USDT-FUTURES');
  const listed = useFetched<{ instruments: readonly Instrument[] }>(
    `/admin/instruments?category=${category.value}`,
  );
  const prices = useFetched<{ indices: readonly IndexPrice[] }>('/admin/prices');
  const market = useFetched<Market>('/admin/market');
  return (
    <div class="page">
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
            <ActionButton name="coinLimits">Limits of a coin…</ActionButton>
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
                { name: 'Maker', number: true, cell: ({ makerFeeRate }) => makerFeeRate },
                { name: 'Taker', number: true, cell: ({ takerFeeRate }) => takerFeeRate },
                {
                  name: 'Funding',
                  number: true,
                  cell: ({ fundInterval }) => (fundInterval === '' ? '–' : `${fundInterval} h`),
                },
                { name: 'Open orders', number: true, cell: ({ openOrders }) => grouped(String(openOrders)) },
                {
                  name: 'Actions',
                  cell: (row) => {
                    const given = { category: row.category, symbol: row.symbol };
                    return (
                      <span class="actions">
                        <ActionButton name="status" given={given}>
                          Status…
                        </ActionButton>
                        <ActionButton name="widen" given={given}>
                          Widen…
                        </ActionButton>
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
      <Panel title="Index prices">
        <Loaded of={prices}>
          {({ indices }) => (
            <Table
              label="Index prices"
              columns={[
                { name: 'Index', cell: ({ index }) => <b>{index}</b> },
                { name: 'Price', number: true, cell: ({ price }) => grouped(price) },
                { name: 'State', cell: ({ stale, thin }) => (stale ? 'stale' : thin ? 'thin' : 'live') },
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
      <Panel
        title="Agents"
        tools={
          <>
            <ActionButton name="shock">Shock…</ActionButton>
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
                  { name: 'Runs', cell: ({ running }) => (running ? 'yes' : 'no') },
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
    </div>
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
