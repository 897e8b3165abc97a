/** Looks for calls, topics and codes: arrows choose, Enter opens. */
import { useComputed, useSignal } from '@preact/signals';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { type Entry, entriesOf, find } from './search.ts';
import { calls, close, hrefOf, streams } from './state.ts';

function go({ slug }: Entry): void {
  close();
  location.hash = hrefOf(slug);
}

export function SearchDialog() {
  const text = useSignal('');
  const chosen = useSignal(0);
  const entries = useComputed(() =>
    calls.value === undefined || streams.value === undefined ? [] : entriesOf(calls.value, streams.value),
  );
  const found = find(entries.value, text.value);
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      chosen.value = Math.max(0, Math.min(found.length - 1, chosen.value + step));
      document.getElementById(`found-${chosen.value}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const entry = found[chosen.value];
      if (entry !== undefined) go(entry);
    }
  };
  return (
    <Dialog title="Search" onClose={close}>
      <label class="search">
        <Icon name="search" />
        <span class="sr">Calls, fields, topics, codes</span>
        <input
          autoFocus
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls="found"
          aria-activedescendant={found.length > 0 ? `found-${chosen.value}` : undefined}
          placeholder="place-order, leverage, 25203, ticker"
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
            chosen.value = 0;
          }}
          onKeyDown={keys}
        />
      </label>
      <div class="found" id="found" role="listbox" aria-label="Found" tabIndex={-1}>
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input
          <div
            key={entry.slug}
            id={`found-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen.value}
            onClick={() => go(entry)}
          >
            <span class={`method ${entry.kind === 'POST' ? 'post' : 'other'}`}>{entry.kind}</span>
            <b>{entry.title}</b>
            <small>{entry.text}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="empty">Nothing has these words.</p>}
    </Dialog>
  );
}
