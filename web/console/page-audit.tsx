/** The audit log: who did what, as a chain. The whole of it is read and checked, in slices. */
import { useSignal } from '@preact/signals';
import { Table } from '../parts/table.tsx';
import { grouped } from '../wire/format.ts';
import { useFetched } from './fetched.ts';
import type { AuditLine } from './live.ts';
import { revision } from './operator.ts';
import { Loaded, Panel, SearchBox, when } from './panel.tsx';

interface Audit {
  readonly lines: readonly AuditLine[];
  readonly checked: number;
  readonly head: string;
}

/** New lines are pushed; the whole file is read each time. */
const AGAIN_MS = 600_000;
const SHOWN = 500;
const HASH_SHOWN = 12;

export function AuditPage() {
  const sought = useSignal('');
  const query = new URLSearchParams({ limit: String(SHOWN), search: sought.value.trim(), verify: 'yes' });
  const audit = useFetched<Audit>(`/admin/audit?${query}`, AGAIN_MS);
  return (
    <div class="page">
      <Panel
        title="Audit log"
        tools={
          <>
            <SearchBox
              label="Filter"
              hint="operator, action, argument"
              value={sought.value}
              onChange={(text) => {
                sought.value = text;
              }}
            />
            <button
              type="button"
              onClick={() => {
                revision.value += 1;
              }}
            >
              Verify
            </button>
          </>
        }
      >
        <Loaded of={audit}>
          {({ lines, checked, head }) => (
            <>
              <p class="verdict">
                <b class="up">The chain is whole.</b> {grouped(String(checked))} lines were checked just now,
                each with the hash of the one before; the last is <code>{head}</code>. Keep it elsewhere: a
                log that was rewritten cannot have it. <code>bourse audit verify</code> compares the commands
                of the journal as well.
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
                  { name: 'Hash', cell: ({ hash }) => <code title={hash}>{hash.slice(0, HASH_SHOWN)}</code> },
                  {
                    name: 'Arguments',
                    cell: (line) => <code class="long">{JSON.stringify(line.arguments)}</code>,
                  },
                  { name: 'Detail', cell: ({ detail }) => detail ?? '' },
                ]}
                rows={[...lines].reverse()}
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
