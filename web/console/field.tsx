/** One field of an action. */
import type { Field } from './actions.ts';

interface FieldInputProps {
  readonly field: Field;
  readonly id: string;
  /** Known from where the button stands: shown, not asked. */
  readonly fixed?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function FieldInput({ field, id, fixed = false, value, onChange }: FieldInputProps) {
  const { options, json, hint } = field;
  if (json === true)
    return (
      <textarea
        id={id}
        rows={14}
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  if (options !== undefined && !fixed)
    return (
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map((each) => (
          <option key={each} value={each}>
            {each || 'as its owner has chosen'}
          </option>
        ))}
      </select>
    );
  return (
    <input
      id={id}
      autocomplete="off"
      readOnly={fixed}
      value={value}
      placeholder={hint}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
