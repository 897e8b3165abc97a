/** The requests that are looked for, the newest first. */
import { clockTime } from '../wire/format.ts';
import type { RequestRow } from '../wire/inspect.ts';
import { foundCount, openEntry, openedId, rows, SHOWN_MAX, shown } from './records.ts';

const time = (ms: number) => `${clockTime(ms)}.${String(ms % 1_000).padStart(3, '0')}`;
const ARROWS: Readonly<Record<string, string>> = { in: 'WS →', out: 'WS ←', close: 'WS ×' };
const SPOKEN: Readonly<Record<string, string>> = { in: 'sent', out: 'received', close: 'closed' };

export function RequestList() {
  if (shown.value.length === 0)
    return (
      <p class="empty panel">
        {rows.value.length === 0
          ? 'No requests of this account yet. Whatever it sends is shown here as it comes.'
          : 'None of the requests is like that.'}
      </p>
    );
  return (
    <section class="panel scroll" aria-label="Requests" tabIndex={0}>
      <table class="requests">
        <thead>
          <tr>
            {['Time', 'Request', 'Answer', 'ms', 'Client', 'About'].map((name) => (
              <th key={name} scope="col" class={`of-${name.toLowerCase()}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.value.map((row) => (
            <Row key={row.id} row={row} opened={row.id === openedId.value} />
          ))}
        </tbody>
      </table>
      {foundCount.value > SHOWN_MAX && (
        <p class="empty">
          The newest {SHOWN_MAX} of {foundCount.value}: look for less to see older ones.
        </p>
      )}
    </section>
  );
}

function Row({ row, opened }: { readonly row: RequestRow; readonly opened: boolean }) {
  const { id, ts, kind, method, path, status, code, ms, agent, about, msg, refused } = row;
  const name = path.replace(/^\/api\/v3\//, '');
  // The button in it is for the keyboard.
  return (
    <tr data-refused={refused} data-opened={opened} onClick={() => openEntry(id)}>
      <td class="of-time">{time(ts)}</td>
      <td class="of-request">
        <button
          type="button"
          class="link"
          aria-pressed={opened}
          aria-label={kind === 'ws' ? `${SPOKEN[method]} over ${name}` : `${method} ${name}`}
          onClick={() => openEntry(id)}
        >
          <span class="method">{kind === 'ws' ? ARROWS[method] : method}</span> {name}
        </button>
      </td>
      <td class="of-answer">
        {kind === 'http' && <span class="soft">{status}</span>} {code}
      </td>
      <td class="of-ms">{ms > 0 && ms.toFixed(1)}</td>
      <td class="of-client">{agent.split(' ')[0]}</td>
      <td class="of-about">{refused && msg !== '' ? msg : about}</td>
    </tr>
  );
}
