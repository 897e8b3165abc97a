/** The last calls of the page as programs, with request, answer and what was signed. */
import { useSignal } from '@preact/signals';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { PLACEHOLDERS, PROGRAMS, type Program, programOf } from '../wire/code.ts';
import { account } from './account.ts';
import { notify } from './notices.ts';
import { calls, ORIGIN, session } from './venue.ts';
import { close } from './windows.ts';

type View = Program | 'Request' | 'Answer' | 'Signed';
const VIEWS: readonly View[] = [...PROGRAMS, 'Request', 'Answer', 'Signed'];

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

export function CodeDrawer() {
  const view = useSignal<View>('ccxt JS');
  // A call of a person is what they look for, not the page's own questions.
  const written = calls.value.findIndex(({ method }) => method === 'POST');
  const chosen = useSignal(Math.max(0, written));
  const call = calls.value[chosen.value];
  if (call === undefined)
    return (
      <Dialog title="Code" kind="drawer" onClose={close}>
        <p class="empty">No calls yet.</p>
      </Dialog>
    );
  const text = ((): string => {
    switch (view.value) {
      case 'Request':
        return `${call.method} ${call.path}\n${JSON.stringify(call.body ?? call.query, undefined, 2)}`;
      case 'Answer':
        return `${call.status}, ${call.ms.toFixed(1)} ms\n${pretty(call.answer)}`;
      case 'Signed':
        return call.signed === '' ? 'This call needs no signature.' : call.signed;
      default:
        return programOf(view.value, call, ORIGIN, account.value?.written ?? PLACEHOLDERS);
    }
  })();
  return (
    <Dialog title="Code" kind="drawer" onClose={close}>
      <label class="stacked">
        Call
        <select
          value={String(chosen.value)}
          onChange={({ currentTarget }) => {
            chosen.value = Number(currentTarget.value);
          }}
        >
          {calls.value.map(({ method, path, code, ms }, index) => (
            <option key={index} value={String(index)}>
              {`${method} ${path.replace('/api/v3/', '')} · ${code} · ${ms.toFixed(0)} ms`}
            </option>
          ))}
        </select>
      </label>
      {call.code !== '00000' && (
        <p class="refusal">
          <b>{call.code}</b> {call.msg}
        </p>
      )}
      <Choice
        label="Show as"
        kind="tabs"
        options={VIEWS.map((name) => [name, name])}
        value={view.value}
        onChange={(next) => {
          view.value = next;
        }}
      />
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
      {session.value?.inspect === true && (
        <p class="note">
          Calls of every program of this account, and why one was refused: <a href="/inspector">inspector</a>.
        </p>
      )}
      <button
        type="button"
        class="primary"
        onClick={() => void navigator.clipboard.writeText(text).then(() => notify('good', 'Copied'))}
      >
        Copy
      </button>
    </Dialog>
  );
}
