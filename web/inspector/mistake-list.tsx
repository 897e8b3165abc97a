/** What programs of the account do wrong again and again. */
import { mistakes, openEntry } from './records.ts';

const KINDS: Readonly<Record<string, string>> = {
  signature: 'Wrong signature',
  clock: 'Clock off',
  retry: 'Unknown outcome tried again without clientOid',
  closed: 'Change of an order that is not open',
  polling: 'Polling what a stream tells',
  limit: 'More than half of a limit used',
  parameters: 'Unknown parameter',
  'old-path': 'Path of an older version',
  unread: 'Answer not waited for',
  silent: 'Socket without pings',
};

export function MistakeList() {
  if (mistakes.value.length === 0)
    return <p class="empty panel">No mistakes in what is recorded of this account.</p>;
  return (
    <section class="panel scroll" aria-label="Mistakes" tabIndex={0}>
      <ul class="mistakes">
        {mistakes.value.map(({ kind, subject, advice, count, first, last }) => (
          <li key={`${kind} ${subject}`}>
            <h2>
              {KINDS[kind] ?? kind} <span class="count">{count} ×</span>
            </h2>
            <p class="subject">{subject}</p>
            <p class="soft">{advice}</p>
            <p class="actions">
              <button type="button" onClick={() => openEntry(first)}>
                Show the first
              </button>
              {last !== first && (
                <button type="button" onClick={() => openEntry(last)}>
                  Show the last
                </button>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
