/** The laboratory: time, snapshots and forks, faults, scenarios, explanations, the referee. */
import { useSignal } from '@preact/signals';
import { Table } from '../parts/table.tsx';
import { grouped } from '../wire/format.ts';
import { ActionButton } from './action-dialog.tsx';
import { useFetched } from './fetched.ts';
import { Lever } from './lever.tsx';
import { type Answer, call } from './operator.ts';
import { Facts, Loaded, Panel, SearchBox, when } from './panel.tsx';

interface Clock {
  readonly clock: string;
  readonly time: number;
  readonly next: Readonly<Record<string, number | null>>;
}
interface Snapshot {
  readonly name: string;
  readonly note: string;
  readonly seq: number;
  readonly time: number;
  readonly bytes: number;
  readonly parent: string | null;
}
interface Fork {
  readonly id: string;
  readonly from: string;
  readonly url: string;
  readonly seq: number;
}
interface Fault {
  readonly id: string;
  readonly when: object;
  readonly do: object;
  readonly seen: number;
  readonly hits: number;
  readonly active: boolean;
  readonly over: boolean;
  readonly problem: string | null;
}

const KIB = 1024;
const CLOCK_AGAIN_MS = 1_000;

export function LabPage() {
  return (
    <div class="page">
      <ClockPanel />
      <SnapshotsPanel />
      <ForksPanel />
      <FaultsPanel />
      <ScenarioPanel />
      <ExplainPanel />
      <RefereePanel />
    </div>
  );
}

function ClockPanel() {
  const clock = useFetched<Clock>('/lab/clock', CLOCK_AGAIN_MS);
  return (
    <Panel title="Time">
      <Loaded of={clock}>
        {({ clock: kind, time, next }) => (
          <Facts
            of={[
              ['Clock', kind],
              ['Time (UTC)', when(time)],
              ...Object.entries(next).map(([what, due]) => [`Next ${what}`, when(due)] as const),
            ]}
          />
        )}
      </Loaded>
      <div class="lever-grid">
        <Lever name="advanceLabClock" verb="Move" />
        <Lever name="advanceToNext" verb="Move" />
        <Lever name="setClock" verb="Change" />
      </div>
    </Panel>
  );
}

function SnapshotsPanel() {
  const answer = useFetched<{ snapshots: readonly Snapshot[] }>('/lab/snapshots');
  return (
    <Panel title="Snapshots" tools={<ActionButton name="saveSnapshot">Take one…</ActionButton>}>
      <Loaded of={answer}>
        {({ snapshots }) => (
          <Table
            label="Snapshots, newest first"
            columns={[
              { name: 'Snapshot', cell: ({ name }) => <b>{name}</b> },
              { name: 'Note', cell: ({ note }) => note },
              { name: 'Time (UTC)', cell: ({ time }) => when(time) },
              { name: 'Command', number: true, cell: ({ seq }) => grouped(String(seq)) },
              { name: 'From', cell: ({ parent }) => parent ?? '–' },
              {
                name: 'KiB',
                number: true,
                cell: ({ bytes }) => grouped(String(Math.ceil(bytes / KIB))),
              },
              {
                name: 'Actions',
                cell: ({ name }) => (
                  <span class="actions">
                    <ActionButton name="revert" given={{ name }}>
                      Go back…
                    </ActionButton>
                    <ActionButton name="fork" given={{ name }}>
                      Fork…
                    </ActionButton>
                    <ActionButton name="deleteSnapshot" given={{ name }}>
                      Delete…
                    </ActionButton>
                  </span>
                ),
              },
            ]}
            rows={snapshots}
            keyOf={({ name }) => name}
            empty="No snapshots."
          />
        )}
      </Loaded>
    </Panel>
  );
}

function ForksPanel() {
  const answer = useFetched<{ forks: readonly Fork[] }>('/lab/forks');
  return (
    <Panel title="Forks" tools={<ActionButton name="fork">Fork from now…</ActionButton>}>
      <Loaded of={answer}>
        {({ forks }) => (
          <Table
            label="Forks that run"
            columns={[
              { name: 'Fork', cell: ({ id }) => <b>{id}</b> },
              { name: 'From', cell: ({ from }) => from },
              { name: 'Address', cell: ({ url }) => <a href={url}>{url}</a> },
              { name: 'Began with command', number: true, cell: ({ seq }) => grouped(String(seq)) },
              {
                name: 'Actions',
                cell: ({ id }) => (
                  <span class="actions">
                    <ActionButton name="endFork" given={{ id }}>
                      End…
                    </ActionButton>
                  </span>
                ),
              },
            ]}
            rows={forks}
            keyOf={({ id }) => id}
            empty="No forks."
          />
        )}
      </Loaded>
    </Panel>
  );
}

function FaultsPanel() {
  const answer = useFetched<{ faults: readonly Fault[] }>('/lab/faults');
  return (
    <Panel title="Faults" tools={<ActionButton name="addFault">Add one…</ActionButton>}>
      <Loaded of={answer}>
        {({ faults }) => (
          <Table
            label="Faults"
            columns={[
              { name: 'Fault', cell: ({ id }) => <b>{id}</b> },
              { name: 'Do', cell: ({ do: deed }) => <code>{JSON.stringify(deed)}</code> },
              { name: 'When', cell: ({ when: which }) => <code>{JSON.stringify(which)}</code> },
              { name: 'Seen', number: true, cell: ({ seen }) => grouped(String(seen)) },
              { name: 'Hits', number: true, cell: ({ hits }) => grouped(String(hits)) },
              {
                name: 'State',
                cell: ({ problem, active, over }) =>
                  problem ?? (active ? 'in force' : over ? 'over' : 'waits'),
              },
              {
                name: 'Actions',
                cell: ({ id }) => (
                  <span class="actions">
                    <ActionButton name="removeFault" given={{ id }}>
                      Remove…
                    </ActionButton>
                  </span>
                ),
              },
            ]}
            rows={faults}
            keyOf={({ id }) => id}
            empty="Nothing goes wrong."
          />
        )}
      </Loaded>
    </Panel>
  );
}

interface ScenarioReport {
  readonly scenario: string;
  readonly ok: boolean;
  readonly failed: number;
  readonly commands: number;
  readonly steps: readonly {
    readonly step: string;
    readonly at: string;
    readonly action: string;
    readonly ok: boolean;
    readonly message: string;
  }[];
}

const SCENARIO = `scenario: a halt
steps:
  - { at: 10s, fault: { do: { halt: true, seconds: 60 } } }
  - { at: 20s, expect: { halted: true } }
  - { at: 2m, expect: { halted: false } }
`;

function ScenarioPanel() {
  const document = useSignal(SCENARIO);
  const report = useSignal<Answer<ScenarioReport> | undefined>(undefined);
  const running = useSignal(false);
  const run = async (event: Event) => {
    event.preventDefault();
    running.value = true;
    report.value = undefined;
    report.value = await call<ScenarioReport>('POST', '/lab/scenarios', { document: document.value });
    running.value = false;
  };
  return (
    <Panel title="Scenario">
      <form class="lever document" aria-label="Run a scenario" onSubmit={(event) => void run(event)}>
        <p class="verdict">
          YAML or JSON, on a manual clock; <code>bourse lab run FILE</code> does the same with a file.
        </p>
        <textarea
          aria-label="Scenario"
          rows={8}
          spellcheck={false}
          value={document.value}
          onInput={({ currentTarget }) => {
            document.value = currentTarget.value;
          }}
        />
        <button type="submit" disabled={running.value}>
          {running.value ? 'Running…' : 'Run'}
        </button>
      </form>
      {report.value !== undefined && (
        <Loaded of={report}>
          {({ scenario, ok, failed, commands, steps }) => (
            <>
              <p class="verdict" role="status">
                {scenario}: {ok ? 'as expected' : `${failed} not as expected`}, {grouped(String(commands))}{' '}
                commands
              </p>
              <Table
                label="Steps of the scenario"
                columns={[
                  { name: 'Step', cell: ({ step }) => step },
                  { name: 'At', cell: ({ at }) => at },
                  { name: 'Action', cell: ({ action }) => action },
                  {
                    name: 'Result',
                    cell: (row) => <span class={row.ok ? 'up' : 'down'}>{row.ok ? 'ok' : 'failed'}</span>,
                  },
                  { name: 'Message', cell: ({ message }) => message },
                ]}
                rows={steps}
                keyOf={({ step }) => step}
                empty="No steps."
              />
            </>
          )}
        </Loaded>
      )}
    </Panel>
  );
}

interface Explanation {
  readonly what: string;
  readonly verdict: string;
  readonly rightWouldBe?: string | null;
  readonly checks: readonly {
    readonly check: string;
    readonly rule: string;
    readonly inputs: Readonly<Record<string, string>>;
    readonly bound: string;
    readonly verdict: string;
  }[];
}

function ExplainPanel() {
  const command = useSignal('');
  const wanted = command.value.trim();
  const answer = useFetched<Explanation>(
    /^[0-9]+$/.test(wanted) ? `/lab/explain?command=${wanted}&others=shown` : undefined,
    600_000,
  );
  return (
    <Panel
      title="Explain"
      tools={
        <SearchBox
          label="Command"
          hint="number of a command"
          value={command.value}
          onChange={(text) => {
            command.value = text;
          }}
        />
      }
    >
      {wanted === '' ? (
        <p class="empty">The page Requests names the commands of each request.</p>
      ) : (
        <Loaded of={answer}>
          {({ what, verdict, rightWouldBe, checks }) => (
            <>
              <p class="verdict">
                {what}: <b>{verdict}</b>
                {rightWouldBe ? `; right would be: ${rightWouldBe}` : ''}
              </p>
              <Table
                label="Checks"
                columns={[
                  { name: 'Check', cell: ({ check }) => check },
                  { name: 'Rule', cell: ({ rule }) => rule },
                  {
                    name: 'Values',
                    cell: ({ inputs }) =>
                      Object.entries(inputs)
                        .map(([of, value]) => `${of} ${value}`)
                        .join(', '),
                  },
                  { name: 'Bound', cell: ({ bound }) => bound },
                  {
                    name: 'Verdict',
                    cell: (row) => (
                      <span class={row.verdict === 'refused' ? 'down' : undefined}>{row.verdict}</span>
                    ),
                  },
                ]}
                rows={checks}
                keyOf={({ check }) => check}
                empty="It has no checks."
              />
            </>
          )}
        </Loaded>
      )}
    </Panel>
  );
}

interface Referee {
  readonly trading: {
    readonly orders: Readonly<Record<'placed' | 'filled' | 'cancelled' | 'rejected' | 'open', number>>;
    readonly fills: number;
    readonly profit: { readonly total: string };
    readonly drawdown: { readonly usd: string; readonly percent: string };
  };
  readonly findings: readonly { readonly name: string; readonly count: number; readonly text: string }[];
}

function RefereePanel() {
  const account = useSignal('');
  const wanted = account.value.trim();
  const answer = useFetched<Referee>(
    wanted === '' ? undefined : `/lab/referee?account=${encodeURIComponent(wanted)}`,
    600_000,
  );
  return (
    <Panel
      title="Referee"
      tools={
        <SearchBox
          label="Account to judge"
          hint="account"
          value={account.value}
          onChange={(text) => {
            account.value = text;
          }}
        />
      }
    >
      {wanted === '' ? (
        <p class="empty">What a program did with an account, and what could be better.</p>
      ) : (
        <Loaded of={answer}>
          {({ trading: { orders, fills, profit, drawdown }, findings }) => (
            <>
              <Facts
                of={[
                  ['Orders', grouped(String(orders.placed))],
                  ['Filled', grouped(String(orders.filled))],
                  ['Rejected', grouped(String(orders.rejected))],
                  ['Open', grouped(String(orders.open))],
                  ['Fills', grouped(String(fills))],
                  ['Profit, USD', grouped(profit.total)],
                  ['Drawdown', `${grouped(drawdown.usd)} USD, ${drawdown.percent} %`],
                ]}
              />
              <Table
                label="Findings"
                columns={[
                  { name: 'Finding', cell: ({ name }) => <b>{name}</b> },
                  { name: 'Count', number: true, cell: ({ count }) => grouped(String(count)) },
                  { name: 'About', cell: ({ text }) => text },
                ]}
                rows={findings.filter(({ count }) => count > 0)}
                keyOf={({ name }) => name}
                empty="Nothing to find fault with."
              />
            </>
          )}
        </Loaded>
      )}
    </Panel>
  );
}
