/** Sends the call that is shown: signed in this page with the chosen account, after a question when it changes something. */
import { type Signal, useSignal } from '@preact/signals';
import { Choice } from '../parts/choice.tsx';
import { canSign } from '../parts/keyring.ts';
import { ask } from '../parts/question.ts';
import { ApiClient, type Call, UNREACHABLE } from '../wire/client.ts';
import { AGAIN, type Operation } from './documents.ts';
import { bodyOf, type Draft, missingOf, queryOf } from './form.ts';
import { FormView } from './form-view.tsx';
import { account, calls, goToTry, hrefOf, ORIGIN, opened } from './state.ts';
import { pretty, TextView } from './text-view.tsx';

export interface Written {
  readonly query: Readonly<Record<string, string>>;
  readonly body: object | undefined;
}

/** What the form asks for; undefined when the JSON that was typed is none. */
export function writtenOf(operation: Operation, draft: Draft, json: string | undefined): Written | undefined {
  const { query, body } = operation;
  try {
    const parsed = json === undefined ? undefined : (JSON.parse(json) as object);
    return {
      query: query === undefined ? {} : queryOf(query, draft),
      // A call that changes something has a body, if only an empty one.
      body:
        operation.method === 'GET' ? undefined : (parsed ?? (body === undefined ? {} : bodyOf(body, draft))),
    };
  } catch {
    return undefined;
  }
}

interface TryCallProps {
  readonly operation: Operation;
  readonly draft: Signal<Draft>;
  /** Set while the body is written by hand. */
  readonly json: Signal<string | undefined>;
}

export function TryCall({ operation, draft, json }: TryCallProps) {
  const result = useSignal<Call | undefined>(undefined);
  const busy = useSignal(false);
  const { method, path, isPrivate, changes } = operation;
  const schema = operation.body ?? operation.query;
  const signer = isPrivate ? account.value?.signer : undefined;
  const missing = schema === undefined || json.value !== undefined ? [] : missingOf(schema, draft.value);
  const written = writtenOf(operation, draft.value, json.value);
  const needsAccount = isPrivate && signer === undefined;

  const send = async () => {
    if (written === undefined || busy.value || missing.length > 0) return;
    if (needsAccount) {
      opened.value = 'account';
      return;
    }
    if (changes) {
      const agreed = await ask({
        title: `${method} ${path}`,
        text: `This changes something: it is sent as ${account.value!.name}, and the exchange acts on it.`,
        action: 'Send it',
      });
      if (!agreed) return;
    }
    busy.value = true;
    const client = new ApiClient(ORIGIN, signer, (call) => {
      result.value = call;
    });
    await client.send(method, path, written.query, written.body);
    busy.value = false;
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void send();
  };
  return (
    <section class="try" aria-labelledby="try">
      <h2 id="try" tabIndex={-1}>
        Try it
      </h2>
      <form class="stacked" onSubmit={submit}>
        {operation.body !== undefined && (
          <Choice
            label="Write the body as"
            options={[
              ['form', 'Form'],
              ['json', 'JSON'],
            ]}
            value={json.value === undefined ? 'form' : 'json'}
            onChange={(next) => {
              json.value =
                next === 'json'
                  ? JSON.stringify(bodyOf(operation.body!, draft.value), undefined, 2)
                  : undefined;
            }}
          />
        )}
        {json.value !== undefined ? (
          <label>
            Body
            <textarea
              rows={10}
              spellcheck={false}
              value={json.value}
              onInput={({ currentTarget }) => {
                json.value = currentTarget.value;
              }}
            />
          </label>
        ) : (
          schema !== undefined && <FormView id="try" schema={schema} draft={draft} />
        )}
        {written === undefined && <p class="refusal">This is no JSON.</p>}
        {missing.length > 0 && <p class="note">{`Required: ${missing.join(', ')}`}</p>}
        {isPrivate && !canSign && (
          <p class="note">
            This page cannot sign here, because the browser gives it no cryptography over plain http. Open it
            on localhost, or put TLS in front.
          </p>
        )}
        <div class="send">
          <button
            type="submit"
            class="primary"
            disabled={busy.value || written === undefined || missing.length > 0 || (isPrivate && !canSign)}
          >
            {needsAccount ? 'Choose an account' : `Send ${method}`}
          </button>
          <span class="note">
            {isPrivate
              ? account.value !== undefined && `signed as ${account.value.name}`
              : 'needs no key and is sent without'}
          </span>
        </div>
      </form>
      <div role="status">{result.value !== undefined && <Result call={result.value} />}</div>
    </section>
  );
}

/** Where the form is below the text, a way down to it. */
export function ToTry() {
  return (
    <button type="button" class="to-try" aria-keyshortcuts="t" onClick={goToTry}>
      Try it
    </button>
  );
}

const VIEWS = ['Answer', 'Request', 'Signed text'] as const;

function Result({ call }: { readonly call: Call }) {
  const { method, path, query, body, headers, signed, status, code, msg, answer, ms } = call;
  const search = new URLSearchParams(query).toString();
  const request = [
    `${method} ${path}${search === '' ? '' : `?${search}`}`,
    ...Object.entries(headers).map(
      ([name, value]) => `${name}: ${name === 'access-passphrase' ? '…' : value}`,
    ),
    ...(body === undefined ? [] : ['', JSON.stringify(body, undefined, 2)]),
  ].join('\n');
  const good = code === '00000';
  return (
    <div class="result">
      <p class={good ? 'success' : 'refusal'}>
        <b>{code}</b> {msg} <small>{`HTTP ${status}, ${ms.toFixed(1)} ms`}</small>
      </p>
      {!good && code !== UNREACHABLE && <Explained code={code} />}
      <TextView
        label="Show"
        names={VIEWS}
        text={(name) => {
          if (name === 'Answer') return pretty(answer);
          if (name === 'Request') return request;
          return signed === '' ? 'This call needs no signature.' : signed;
        }}
      />
    </div>
  );
}

/** What the code means, from the catalogue. */
export function Explained({ code }: { readonly code: string }) {
  const error = calls.value?.errors.find((each) => each.code === code || each.classic === code);
  if (error === undefined) return null;
  return (
    <p class="explained">
      <a href={hrefOf(`errors/${error.code}`)}>{error.code}</a>: {error.means}. {AGAIN[error.again][1]}
    </p>
  );
}
