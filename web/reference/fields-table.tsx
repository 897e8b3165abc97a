/** Fields of a schema as a table; those of inner objects below the field that holds them. */
import {
  boundsText,
  type Field,
  fieldsOf,
  type Schema,
  sampleText,
  typeOf,
  typeText,
  wordsOf,
} from './schema.ts';

interface Row {
  readonly path: string;
  readonly depth: number;
  readonly field: Field;
}

function rowsOf(schema: Schema, prefix: string, depth: number): Row[] {
  if (schema.items !== undefined) return rowsOf(schema.items, `${prefix}[].`, depth);
  return fieldsOf(schema).flatMap((field) => {
    const { name, schema: own } = field;
    const inner = own.items ?? own;
    const row = { path: `${prefix}${name}`, depth, field };
    if (typeOf(inner) !== 'object') return [row];
    return [row, ...rowsOf(inner, `${prefix}${name}${own.items === undefined ? '.' : '[].'}`, depth + 1)];
  });
}

interface FieldsTableProps {
  readonly label: string;
  readonly schema: Schema;
  /** Requests say what is required and give an example; answers have all their fields. */
  readonly request?: boolean;
}

export function FieldsTable({ label, schema, request = false }: FieldsTableProps) {
  const rows = rowsOf(schema, '', 0);
  if (rows.length === 0) return <p class="note">{request ? 'No parameters.' : typeText(schema)}</p>;
  const now = Date.now();
  return (
    <table class="fields" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
          {request && <th scope="col">Example</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ path, depth, field: { name, required, schema: own } }) => (
          <tr key={path}>
            <th scope="row" style={depth > 0 ? `padding-left:${0.6 + depth}rem` : undefined}>
              <code title={path}>{name}</code>
              {required === request && (
                <small class={request ? 'required' : undefined}>{request ? 'required' : 'optional'}</small>
              )}
            </th>
            <td>
              <Type schema={own} />
            </td>
            <td>{own.description}</td>
            {request && (
              <td>
                {typeOf(own.items ?? own) !== 'object' && (
                  <code>{sampleText(name, own.items ?? own, now)}</code>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Type({ schema }: { readonly schema: Schema }) {
  const words = wordsOf(schema);
  const bounds = boundsText(schema);
  return (
    <>
      {typeText(schema)}
      {words.length > 0 && (
        <span class="words">
          {words.map((word) => (
            <code key={word}>{word}</code>
          ))}
        </span>
      )}
      {bounds !== '' && <small>{bounds}</small>}
    </>
  );
}
