/** An action at hand, with its fields in a row. A dangerous one opens its dialog, where its object is typed. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { openAction } from './action-dialog.tsx';
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
import { sendAction } from './send-action.ts';

interface LeverProps {
  readonly name: ActionName;
  /** On its button. */
  readonly verb: string;
  readonly first?: Values;
}

export function Lever({ name, verb, first = {} }: LeverProps) {
  const action: Action = ACTIONS[name];
  const id = useId();
  const values = useSignal<Values>(firstValues(action, first));
  const refusal = useSignal('');
  const sending = useSignal(false);
  const complete = isComplete(action, values.value);
  const isDangerous = action.typed?.(values.value) !== undefined;
  const send = async (event: Event) => {
    event.preventDefault();
    if (isDangerous) {
      openAction(name, {}, values.value);
      return;
    }
    sending.value = true;
    refusal.value = (await sendAction(action, values.value)) ?? '';
    sending.value = false;
  };
  return (
    <form class="lever" aria-label={action.title} onSubmit={(event) => void send(event)}>
      <h3>{action.title}</h3>
      <div class="lever-fields">
        {action.fields.map((field) => (
          <label key={field.name} for={`${id}-${field.name}`}>
            <span>{field.label}</span>
            <FieldInput
              id={`${id}-${field.name}`}
              field={field}
              value={values.value[field.name]!}
              onChange={(value) => {
                values.value = { ...values.value, [field.name]: value };
              }}
            />
          </label>
        ))}
        <button type="submit" class={isDangerous ? 'risky' : undefined} disabled={!complete || sending.value}>
          {isDangerous ? `${verb}…` : verb}
        </button>
      </div>
      <code>{complete ? commandLine(action.command(values.value)) : action.note}</code>
      {refusal.value !== '' && (
        <p class="refusal" role="alert">
          {refusal.value}
        </p>
      )}
    </form>
  );
}
