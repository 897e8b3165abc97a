/** One of a few: a row of buttons of which one is pressed. */

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: Value, name: string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly kind?: 'tabs' | 'segment';
}

export function Choice<Value extends string>({
  label,
  options,
  value,
  onChange,
  kind = 'segment',
}: ChoiceProps<Value>) {
  return (
    <fieldset class={kind} aria-label={label}>
      {options.map(([each, name]) => (
        <button key={each} type="button" aria-pressed={each === value} onClick={() => onChange(each)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}

interface SelectProps<Value extends string> extends Omit<ChoiceProps<Value>, 'kind'> {
  readonly id?: string;
}

export function Select<Value extends string>({ id, label, options, value, onChange }: SelectProps<Value>) {
  return (
    <select
      id={id}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
    >
      {options.map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </select>
  );
}
