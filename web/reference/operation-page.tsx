/** One call: what it takes and answers, its codes, the same call in client libraries, and a form that sends it. */
import { useSignal } from '@preact/signals';
import { ccxtMethod, keyOf, sdkClient, sdkMethod } from '../wire/client-names.ts';
import { PLACEHOLDERS, PROGRAMS, programOf } from '../wire/code.ts';
import { UNIFIED } from './ccxt-methods.ts';
import type { Operation } from './documents.ts';
import { ErrorTable } from './errors-page.tsx';
import { FieldsTable } from './fields-table.tsx';
import { type Draft, draftOf } from './form.ts';
import { type Schema, sampleOf } from './schema.ts';
import { account, ORIGIN } from './state.ts';

import { TextView } from './text-view.tsx';
import { ToTry, TryCall, writtenOf } from './try-call.tsx';

/** Codes that nearly every call can answer with, which would hide its own. */
const COMMON = /^(?:429|400\d\d|25000|40404)$/;

export function OperationPage({ operation }: { readonly operation: Operation }) {
  const schema = operation.body ?? operation.query;
  const draft = useSignal<Draft>(
    schema === undefined ? { values: {}, items: [] } : draftOf(operation.slug, schema, Date.now()),
  );
  const json = useSignal<string | undefined>(undefined);
  const { method, path, summary, permission, limit, changes, codes } = operation;
  const own = codes.filter((code) => !COMMON.test(code));
  const written = writtenOf(operation, draft.value, json.value) ?? { query: {}, body: undefined };
  return (
    <>
      <article>
        <header class="head">
          <h1 tabIndex={-1}>{summary}</h1>
          <p class="path">
            <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
          </p>
          <dl class="facts">
            <Fact name="Permission" value={permission} />
            <Fact
              name="Limit"
              value={`${limit.perSecond} a second per ${limit.per}${limit.quota === true ? ', or its quota' : ''}`}
            />
            <Fact name="Changes something" value={changes ? 'yes' : 'no'} />
          </dl>
          <ToTry />
        </header>
        <section>
          <h2>{operation.body === undefined ? 'Parameters' : 'Body'}</h2>
          {schema === undefined ? (
            <p class="note">None.</p>
          ) : (
            <FieldsTable label="Parameters" schema={schema} request />
          )}
        </section>
        <Answer schema={operation.answer} />
        <section>
          <h2>Errors</h2>
          {own.length > 0 && <ErrorTable label="Errors of this call" codes={own} />}
          <details open={own.length === 0}>
            <summary>
              {own.length === 0 ? 'Those of every such call' : 'And those of every such call'}
            </summary>
            <ErrorTable label="Common errors" codes={codes.filter((code) => COMMON.test(code))} />
          </details>
        </section>
      </article>
      <aside aria-label="Try and program">
        <TryCall operation={operation} draft={draft} json={json} />
        <section>
          <h2>The same call in a program</h2>
          <Names operation={operation} />
          <TextView
            label="Program"
            names={PROGRAMS}
            text={(program) =>
              programOf(
                program,
                { method, path, ...written, signed: operation.isPrivate ? 'signed' : '' },
                ORIGIN,
                account.value?.written ?? PLACEHOLDERS,
              )
            }
          />
        </section>
      </aside>
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Answer({ schema }: { readonly schema: Schema }) {
  const data = schema.properties?.data ?? schema;
  return (
    <section>
      <h2>Answer</h2>
      <p class="note">
        <code>data</code> of the envelope:
      </p>
      <FieldsTable label="Answer" schema={data} />
      <details>
        <summary>Example</summary>
        <pre class="code" tabIndex={0}>
          {JSON.stringify(sampleOf('', schema, Date.now()), undefined, 2)}
        </pre>
      </details>
    </section>
  );
}

/** What the libraries call it; where one has no method of its own, the program asks for the path. */
function Names({ operation: { method, path, isPrivate } }: { readonly operation: Operation }) {
  const ccxt = ccxtMethod(method, path, isPrivate);
  const sdk = sdkMethod(method, path);
  const unified = UNIFIED[keyOf(method, path)]?.split(' ') ?? [];
  return (
    <dl class="facts column">
      <div>
        <dt>ccxt</dt>
        <dd>
          {unified.length > 0 && (
            <span class="words">
              {unified.map((name) => (
                <code key={name}>{name}</code>
              ))}
            </span>
          )}
          {ccxt === undefined ? 'has no method of its own for this path' : <code>{ccxt}</code>}
        </dd>
      </div>
      <div>
        <dt>SDK</dt>
        <dd>
          {sdk === undefined ? (
            'has no method of its own for this path'
          ) : (
            <code>{`${sdkClient(path)}.${sdk}`}</code>
          )}
        </dd>
      </div>
    </dl>
  );
}
