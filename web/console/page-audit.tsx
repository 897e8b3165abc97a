/** The audit log: who did what, as a chain that is checked each time it is read. */
import { useSignal } from '@preact/signals';
import { Table } from '../parts/table.tsx';
import { useFetched } from './fetched.ts';
import type { AuditLine } from './live.ts';
import { Loaded, Panel, when } from './panel.tsx';

export function AuditPage() {
  const sought = useSignal('');
  const audit = useFetched<{ lines: readonly AuditLine[] }>('/admin/audit?limit=1000');
  const fits = (line: AuditLine) =>
    JSON.stringify([line.operator, line.action, line.arguments, line.outcome, line.detail])
      .toLowerCase()
      .includes(sought.value.toLowerCase());
  return (
    <div class="page">
      <Panel
        title="Audit log"
        tools={
          <input
            type="search"
            aria-label="Filter"
            placeholder="operator, action, argument"
            value={sought.value}
            onInput={({ currentTarget }) => {
              sought.value = currentTarget.value;
            }}
          />
        }
      >
        <Loaded of={audit}>
          {({ lines }) => (
            <>
              <p class="verdict up">
                The chain is whole up to line {lines.at(-1)?.seq}: <code>{lines.at(-1)?.hash}</code>
              </p>
              <Table
                label="Audit log, newest first"
                columns={[
                  { name: 'Line', number: true, cell: ({ seq }) => seq },
                  { name: 'Time (UTC)', cell: ({ time }) => when(time) },
                  { name: 'Operator', cell: ({ operator }) => operator },
                  { name: 'Action', cell: ({ action }) => <b>{action}</b> },
                  {
                    name: 'Outcome',
                    cell: ({ outcome, of }) => (
                      <span class={outcome === 'done' ? 'up' : outcome === 'begun' ? 'soft' : 'down'}>
                        {outcome}
                        {of !== undefined && ` (of ${of})`}
                      </span>
                    ),
                  },
                  { name: 'Command', number: true, cell: ({ command }) => command ?? '–' },
                  { name: 'Arguments', cell: (line) => <code>{JSON.stringify(line.arguments)}</code> },
                  { name: 'Detail', cell: ({ detail }) => detail ?? '' },
                ]}
                rows={lines.filter(fits).reverse()}
                keyOf={({ seq }) => String(seq)}
                empty="No such line."
              />
            </>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}
