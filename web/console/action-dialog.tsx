/** The form of one action: its fields, the equal command, and the typed name of what a dangerous one is done to. */
import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Dialog } from '../parts/dialog.tsx';
import { notify } from '../parts/notices.ts';
import {
  ACTIONS,
  type Action,
  type ActionName,
  commandLine,
  type Field,
  firstValues,
  isComplete,
  type Values,
} from './actions.ts';
import { call } from './operator.ts';

interface Opened {
  readonly action: Action;
  /** Known from where the button stands: shown, not asked. */
  readonly given: Values;
}

const opened = signal<Opened | undefined>(undefined);
/** Answers that are shown once, such as a new key with its secret. */
const shown = signal<{ readonly title: string; readonly text: string } | undefined>(undefined);

interface ButtonProps {
  readonly name: ActionName;
  readonly given?: Values;
  readonly children: ComponentChildren;
}

export function ActionButton({ name, given = {}, children }: ButtonProps) {
  const open = () => {
    opened.value = { action: ACTIONS[name], given };
  };
  return (
    <button type="button" onClick={open}>
      {children}
    </button>
  );
}

export function ActionDialogs() {
  const open = opened.value;
  const once = shown.value;
  return (
    <>
      {open !== undefined && <ActionForm key={open.action.title} {...open} />}
      {once !== undefined && (
        <Dialog
          title={once.title}
          onClose={() => {
            shown.value = undefined;
          }}
        >
          <p class="note">This is shown once. Keep it where it is safe.</p>
          <pre class="once">{once.text}</pre>
        </Dialog>
      )}
    </>
  );
}

function ActionForm({ action, given }: Opened) {
  const values = useSignal<Values>(firstValues(action, given));
  const typed = useSignal('');
  const refusal = useSignal('');
  const sending = useSignal(false);
  const close = () => {
    opened.value = undefined;
  };
  const complete = isComplete(action, values.value);
  const needed = action.typed?.(values.value);
  const ready = complete && (needed === undefined || typed.value === needed) && !sending.value;
  const send = async (event: Event) => {
    event.preventDefault();
    if (!ready) return;
    sending.value = true;
    const { method, path, body } = action.request(values.value);
    const answer = await call<Record<string, unknown>>(method, path, body);
    sending.value = false;
    if (!answer.ok) {
      refusal.value = answer.message;
      return;
    }
    close();
    notify('good', action.title, 'done, and in the audit log');
    if (answer.data.secretKey !== undefined) shown.value = onceOf(answer.data);
  };
  return (
    <Dialog title={action.title} onClose={close}>
      {action.note !== undefined && <p class="note">{action.note}</p>}
      <form class="action" onSubmit={(event) => void send(event)}>
        {action.fields.map((field) => (
          <FieldRow
            key={field.name}
            field={field}
            fixed={given[field.name] !== undefined}
            value={values.value[field.name]!}
            onChange={(value) => {
              values.value = { ...values.value, [field.name]: value };
            }}
          />
        ))}
        {complete && <code class="command">{commandLine(action.command(values.value))}</code>}
        {needed !== undefined && needed !== '' && (
          <label class="row typed">
            <span>
              Type <b>{needed}</b> to confirm
            </span>
            <input
              autocomplete="off"
              value={typed.value}
              onInput={({ currentTarget }) => {
                typed.value = currentTarget.value;
              }}
            />
          </label>
        )}
        {refusal.value !== '' && (
          <p class="down" role="alert">
            {refusal.value}
          </p>
        )}
        <div class="answers">
          <button type="button" onClick={close}>
            Back
          </button>
          <button type="submit" class={action.typed === undefined ? 'primary' : 'danger'} disabled={!ready}>
            {action.title}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function onceOf({ key, secretKey, passphrase }: Record<string, unknown>) {
  const { apiKey } = key as { apiKey: string };
  return {
    title: 'New key',
    text: `apiKey      ${apiKey}\nsecretKey   ${String(secretKey)}\npassphrase  ${String(passphrase)}`,
  };
}

interface RowProps {
  readonly field: Field;
  readonly fixed: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function FieldRow({ field, fixed, value, onChange }: RowProps) {
  const { name, label, options, optional, hint } = field;
  const id = `field-${name}`;
  return (
    <label class="row" for={id}>
      <span>
        {label} {optional === true && <small>optional</small>}
      </span>
      {options !== undefined && !fixed ? (
        <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {options.map((each) => (
            <option key={each} value={each}>
              {each || 'as its owner has chosen'}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          autocomplete="off"
          readOnly={fixed}
          value={value}
          placeholder={hint}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </label>
  );
}
