/** The inspector over all accounts: what programs sent, without bodies and answers. */
import { useSignal } from '@preact/signals';
import { Table } from '../parts/table.tsx';
import type { RequestRow, StepTimes } from '../wire/inspect.ts';
import { useFetched } from './fetched.ts';
import { Loaded, Panel, SearchBox, when } from './panel.tsx';
import { addressOf } from './places.ts';

interface Request extends RequestRow {
  readonly peer: string;
  readonly times: StepTimes | null;
}

const AGAIN_MS = 2_000;
const SHOWN = 200;
/** The command that shows the same. */
const equalOf = (query: Readonly<Record<string, string>>) =>
  ['bourse requests', ...Object.entries(query).map(([name, value]) => `--${name} ${value}`)].join(' ');

export function RequestsPage() {
  const account = useSignal('');
  const path = useSignal('');
  const code = useSignal('');
  const fields = { account: account.value.trim(), path: path.value.trim(), code: code.value.trim() };
  const sought = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
  const query = new URLSearchParams({ ...sought, limit: String(SHOWN) });
  const answer = useFetched<{ requests: readonly Request[] }>(`/admin/requests?${query}`, AGAIN_MS);
  return (
    <div class="page">
      <Panel
        title="Requests"
        tools={
          <>
            <SearchBox
              label="Account"
              hint="account"
              value={account.value}
              onChange={(text) => {
                account.value = text;
              }}
            />
            <SearchBox
              label="Path"
              hint="part of the path"
              value={path.value}
              onChange={(text) => {
                path.value = text;
              }}
            />
            <SearchBox
              label="Code"
              hint="code, such as 25202"
              value={code.value}
              onChange={(text) => {
                code.value = text;
              }}
            />
          </>
        }
      >
        <p class="verdict">
          The newest {SHOWN} of what is still known, every two seconds; <code>{equalOf(sought)}</code> shows
          the same.
        </p>
        <Loaded of={answer}>
          {({ requests }) => (
            <Table
              label="Requests, newest first"
              columns={[
                { name: 'Time (UTC)', cell: ({ ts }) => when(ts) },
                {
                  name: 'Account',
                  cell: ({ uid }) => <a href={addressOf('accounts', uid)}>{uid}</a>,
                },
                {
                  name: 'Request',
                  cell: ({ kind, method, path: of }) => `${kind === 'ws' ? `WS ${method}` : method} ${of}`,
                },
                {
                  name: 'Answer',
                  cell: ({ status, code: given, refused }) => (
                    <span class={refused ? 'down' : undefined}>
                      {status > 0 && `${status} `}
                      {given}
                    </span>
                  ),
                },
                {
                  name: 'ms',
                  number: true,
                  cell: ({ ms, times }) => <span title={stepsOf(times)}>{ms > 0 ? ms.toFixed(1) : '–'}</span>,
                },
                { name: 'Command', number: true, cell: ({ commands }) => commands.join(', ') || '–' },
                { name: 'Client', cell: ({ agent, peer }) => `${agent.split(' ')[0]} ${peer}` },
                { name: 'About', cell: ({ refused, msg, about }) => (refused && msg !== '' ? msg : about) },
              ]}
              rows={[...requests].reverse()}
              keyOf={({ id }) => String(id)}
              empty="No such request."
            />
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

function stepsOf(times: StepTimes | null): string {
  return Object.entries(times ?? {})
    .filter(([, ms]) => ms !== null)
    .map(([step, ms]) => `${step} ${(ms as number).toFixed(2)}`)
    .join(', ');
}
