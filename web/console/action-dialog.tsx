/** The form of one action: its fields, the equal command, and the typed name of what a dangerous one is done to. */
import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Dialog } from '../parts/dialog.tsx';
import {
  ACTIONS,
  type Action,
  type ActionName,
  commandLine,
  firstValues,
  isComplete,
  type Values,
} from './actions.ts';
import { FieldInput } from './field.tsx';
import { sendAction, shownOnce } from './send-action.ts';

interface Opened {
  readonly action: Action;
  /** Known from where the button stands: shown, not asked. */
  readonly given: Values;
  /** What other fields begin with. */
  readonly first: Values;
}

const opened = signal<Opened | undefined>(undefined);

export function openAction(name: ActionName, given: Values = {}, first: Values = {}): void {
  opened.value = { action: ACTIONS[name], given, first };
}

interface ButtonProps {
  readonly name: ActionName;
  readonly given?: Values;
  readonly first?: Values;
  readonly children: ComponentChildren;
}

export function ActionButton({ name, given, first, children }: ButtonProps) {
  return (
    <button type="button" onClick={() => openAction(name, given, first)}>
      {children}
    </button>
  );
}

export function ActionDialogs() {
  const open = opened.value;
  const once = shownOnce.value;
  return (
    <>
      {open !== undefined && <ActionForm key={open.action.title} {...open} />}
      {once !== undefined && (
        <Dialog
          title={once.title}
          onClose={() => {
            shownOnce.value = undefined;
          }}
        >
          <p class="note">This is shown once. Keep it where it is safe.</p>
          <pre class="once">{once.text}</pre>
        </Dialog>
      )}
    </>
  );
}

function ActionForm({ action, given, first }: Opened) {
  const values = useSignal<Values>(firstValues(action, { ...first, ...given }));
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
    const refused = await sendAction(action, values.value);
    sending.value = false;
    refusal.value = refused ?? '';
    if (refused === undefined) close();
  };
  return (
    <Dialog title={action.title} onClose={close}>
      {action.note !== undefined && <p class="note">{action.note}</p>}
      <form class="action" onSubmit={(event) => void send(event)}>
        {action.fields.map((field) => (
          <label
            key={field.name}
            class={field.json === true ? 'row wide' : 'row'}
            for={`field-${field.name}`}
          >
            <span>
              {field.label} {field.optional === true && <small>optional</small>}
            </span>
            <FieldInput
              id={`field-${field.name}`}
              field={field}
              fixed={given[field.name] !== undefined}
              value={values.value[field.name]!}
              onChange={(value) => {
                values.value = { ...values.value, [field.name]: value };
              }}
            />
          </label>
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
          <p class="refusal" role="alert">
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
