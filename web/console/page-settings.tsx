/** Each setting and where its value came from; sessions of consoles; care of the key store. */
import { Table } from '../parts/table.tsx';
import { ActionButton } from './action-dialog.tsx';
import { useFetched } from './fetched.ts';
import { session } from './operator.ts';
import { Loaded, Panel, when } from './panel.tsx';

interface Setting {
  readonly name: string;
  readonly value: string;
  readonly from: string;
  readonly flag: string;
  readonly environment: string;
}
interface OpenSession {
  readonly id: number;
  readonly operator: string;
  readonly began: number;
  readonly expires: number;
}

/** They are those of the start. */
const CONFIG_AGAIN_MS = 600_000;

export function SettingsPage() {
  const config = useFetched<{ settings: readonly Setting[] }>('/admin/config', CONFIG_AGAIN_MS);
  const sessions = useFetched<{ sessions: readonly OpenSession[] }>('/admin/sessions');
  return (
    <div class="page">
      <Panel title="Settings">
        <Loaded of={config}>
          {({ settings }) => (
            <Table
              label="Settings"
              columns={[
                { name: 'Setting', cell: ({ name }) => <b>{name}</b> },
                { name: 'Value', cell: ({ value }) => <code>{value}</code> },
                {
                  name: 'From',
                  cell: ({ from }) => <span class={from === 'default' ? 'soft' : ''}>{from}</span>,
                },
                { name: 'Flag', cell: ({ flag }) => <code>{flag}</code> },
                { name: 'Environment', cell: ({ environment }) => <code>{environment}</code> },
              ]}
              rows={settings}
              keyOf={({ name }) => name}
              empty="No settings."
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Consoles that are signed in">
        <Loaded of={sessions}>
          {(answer) => (
            <Table
              label="Consoles that are signed in"
              columns={[
                { name: 'Session', cell: ({ id }) => (id === session.value?.id ? `${id}, this one` : id) },
                { name: 'Operator', cell: ({ operator }) => operator },
                { name: 'Began (UTC)', cell: ({ began }) => when(began) },
                { name: 'Ends (UTC)', cell: ({ expires }) => when(expires) },
                {
                  name: 'Actions',
                  cell: ({ id }) => (
                    <span class="actions">
                      <ActionButton name="endSession" given={{ id: String(id) }}>
                        End…
                      </ActionButton>
                    </span>
                  ),
                },
              ]}
              rows={answer.sessions}
              keyOf={({ id }) => String(id)}
              empty="None."
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Key store">
        <div class="levers">
          <ActionButton name="rotate">Rotate its key…</ActionButton>
        </div>
      </Panel>
    </div>
  );
}
