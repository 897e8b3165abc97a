/** The error catalogue: what each code means, whether trying again is safe, which calls answer with it. */
import { useSignal } from '@preact/signals';
import { AGAIN, type ErrorEntry, type SocketError } from './documents.ts';
import { calls, errorCode, hrefOf, streams } from './state.ts';

/** Codes that a call can answer with, each with its meaning; those of every call apart. */
export function ErrorTable({ label, codes }: { readonly label: string; readonly codes: readonly string[] }) {
  const all = calls.value?.errors ?? [];
  const rows = codes
    .map((code) => all.find((error) => error.code === code))
    .filter((each) => each !== undefined);
  return (
    <table class="fields errors" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Meaning</th>
          <th scope="col">Send again?</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ code, means, again }) => (
          <tr key={code}>
            <th scope="row">
              <a href={hrefOf(`errors/${code}`)}>{code}</a>
            </th>
            <td>{means}</td>
            <td class={`again ${again}`}>{AGAIN[again][0]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function ErrorsPage() {
  const wanted = useSignal('');
  const code = errorCode.value ?? '';
  const known = calls.value?.errors ?? [];
  const sockets = streams.value?.errors ?? [];
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ code: of, means, classic = '' }: { code: string; means: string; classic?: string }) =>
    words.every((word) => `${of} ${means} ${classic}`.toLowerCase().includes(word));
  const found = known.filter(fits);
  return (
    <>
      {code !== '' && <OneCode code={code} known={known} sockets={sockets} />}
      <section>
        {code === '' ? <h1 tabIndex={-1}>Error codes</h1> : <h2>All codes</h2>}
        <p>
          The code says what kind of failure it is and never changes its meaning. The message names the wrong
          value and what would be right, and may change.
        </p>
        <label class="filter">
          <span class="sr">Words or a code</span>
          <input
            type="search"
            placeholder="margin, 25203, tick …"
            value={wanted.value}
            onInput={({ currentTarget }) => {
              wanted.value = currentTarget.value;
            }}
          />
        </label>
        <p class="sr" role="status">{`${found.length} codes`}</p>
        <ErrorTable label="Codes of calls" codes={found.map((error) => error.code)} />
        <h2>Codes of sockets</h2>
        <p>
          Sockets refuse orders with the codes above, and everything else with these. Where the connection is
          not closed it goes on as if the message had not been sent.
        </p>
        <table class="fields errors" aria-label="Codes of sockets">
          <thead>
            <tr>
              <th scope="col">Code</th>
              <th scope="col">Meaning</th>
              <th scope="col">Connection</th>
            </tr>
          </thead>
          <tbody>
            {sockets.filter(fits).map(({ code: of, means, closes }) => (
              <tr key={of}>
                <th scope="row">
                  <a href={hrefOf(`errors/${of}`)}>{of}</a>
                </th>
                <td>{means}</td>
                <td>{closes ? 'is closed' : 'goes on'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

interface OneCodeProps {
  readonly code: string;
  readonly known: readonly ErrorEntry[];
  readonly sockets: readonly SocketError[];
}

function OneCode({ code, known, sockets }: OneCodeProps) {
  const error = known.find((each) => each.code === code || each.classic === code);
  const socket = sockets.find((each) => each.code === code);
  if (error === undefined)
    return (
      <section class="one-code">
        <h1 tabIndex={-1}>{code}</h1>
        <p>
          {socket === undefined
            ? 'No answer of this exchange has this code.'
            : `${socket.means}; the connection ${socket.closes ? 'is closed' : 'goes on'}.`}
        </p>
      </section>
    );
  const answered = calls.value!.operations.filter(({ codes }) => codes.includes(error.code));
  return (
    <section class="one-code">
      <h1 tabIndex={-1}>
        {error.code} <small>HTTP {error.status}</small>
      </h1>
      <p class="means">{error.means}</p>
      <p>{AGAIN[error.again][1]}</p>
      {error.classic !== undefined && (
        <p class="note">
          With <code>--error-dialect classic</code> the code is {error.classic}.
        </p>
      )}
      <details open={answered.length <= 12}>
        <summary>
          {answered.length === calls.value!.operations.length
            ? 'Every call can be answered with it'
            : `Calls that can be answered with it: ${answered.length}`}
        </summary>
        <p class="links">
          {answered.map(({ slug }) => (
            <a key={slug} href={hrefOf(slug)}>
              {slug}
            </a>
          ))}
        </p>
      </details>
    </section>
  );
}
