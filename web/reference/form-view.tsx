/** The fields of a request to type into; calls with a body can be written as JSON too. */
import type { Signal } from '@preact/signals';
import { type Draft, kindOf, modelOf, type Values } from './form.ts';
import { type Field, type Schema, sampleText, typeOf, wordsOf } from './schema.ts';

interface FormViewProps {
  readonly id: string;
  readonly schema: Schema;
  readonly draft: Signal<Draft>;
}

export function FormView({ id, schema, draft }: FormViewProps) {
  const { fields, list } = modelOf(schema);
  const { values, items } = draft.value;
  const put = (index: number, next: Values) => {
    draft.value = { values, items: items.map((item, at) => (at === index ? next : item)) };
  };
  return (
    <>
      <Inputs
        id={id}
        fields={fields}
        values={values}
        onChange={(next) => {
          draft.value = { values: next, items };
        }}
      />
      {list !== undefined &&
        items.map((item, index) => (
          <fieldset key={index} class="item">
            <legend>{`${list.name} ${index + 1}`.trim()}</legend>
            <Inputs
              id={`${id}-${index}`}
              fields={list.fields}
              values={item}
              onChange={(next) => put(index, next)}
            />
            {items.length > 1 && (
              <button
                type="button"
                class="link"
                onClick={() => {
                  draft.value = { values, items: items.filter((_, at) => at !== index) };
                }}
              >
                Take this one out
              </button>
            )}
          </fieldset>
        ))}
      {list !== undefined && (
        <button
          type="button"
          onClick={() => {
            draft.value = { values, items: [...items, items.at(-1) ?? {}] };
          }}
        >
          Add one more
        </button>
      )}
    </>
  );
}

interface InputsProps {
  readonly id: string;
  readonly fields: readonly Field[];
  readonly values: Values;
  readonly onChange: (next: Values) => void;
}

/** Fields that are required or filled come first; the others are behind one line, so that a form is as long as it must be. */
function Inputs({ id, fields, values, onChange }: InputsProps) {
  const isFirst = ({ name, required }: Field) => required || values[name] !== undefined;
  const few = fields.length <= 6;
  const first = few ? fields : fields.filter(isFirst);
  const rest = few ? [] : fields.filter((field) => !isFirst(field));
  const input = (field: Field) => (
    <Input
      key={field.name}
      id={`${id}-${field.name}`}
      field={field}
      value={values[field.name] ?? ''}
      onChange={(next) => onChange({ ...values, [field.name]: next })}
    />
  );
  return (
    <>
      <div class="inputs">{first.map(input)}</div>
      {rest.length > 0 && (
        <details>
          <summary>{`${rest.length} more fields, all optional`}</summary>
          <div class="inputs">{rest.map(input)}</div>
        </details>
      )}
    </>
  );
}

interface InputProps {
  readonly id: string;
  readonly field: Field;
  readonly value: string;
  readonly onChange: (next: string) => void;
}

function Input({ id, field: { name, required, schema }, value, onChange }: InputProps) {
  const words = wordsOf(schema);
  return (
    <div class="labelled">
      <label for={id}>
        {name} {required && <span class="required">required</span>}
      </label>
      {kindOf(schema) === 'choice' ? (
        <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="">{required ? '' : 'left out'}</option>
          {words.map((word) => (
            <option key={word} value={word}>
              {word}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...(name === 'passphrase' ? { type: 'password' as const } : { type: 'text' as const })}
          id={id}
          value={value}
          placeholder={placeholder(name, schema)}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </div>
  );
}

const placeholder = (name: string, schema: Schema): string =>
  typeOf(schema) === 'array' ? 'one, another' : sampleText(name, schema, Date.now());
