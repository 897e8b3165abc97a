/** The streams: their addresses, and one message with its fields, a program, and a way to try it live. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ask } from '../parts/question.ts';
import { PLACEHOLDERS } from '../wire/code.ts';
import { clockTime } from '../wire/format.ts';
import { MESSAGE_GROUPS } from './contents.tsx';
import type { Message } from './documents.ts';
import { FieldsTable } from './fields-table.tsx';
import { LiveSocket } from './live-socket.ts';
import { Markdown } from './markdown.tsx';
import { sampleOf } from './schema.ts';
import { account, hrefOf, ORIGIN, opened, SOCKETS, streams } from './state.ts';
import { STREAM_PROGRAMS, type Subscription, streamProgram } from './stream-code.ts';
import { pretty, TextView } from './text-view.tsx';
import { ToTry } from './try-call.tsx';

const ROLES: Readonly<Record<string, string>> = {
  public: 'market data; needs no login',
  private: 'account, orders and trading; a login comes first',
  both: 'both, for clients that know only one address',
};

export function StreamsPage() {
  const { introduction, addresses, messages } = streams.value!;
  return (
    <article>
      <h1 tabIndex={-1}>Streams</h1>
      <Markdown text={introduction} />
      <dl class="facts column">
        {addresses.map(([role, address]) => (
          <div key={role}>
            <dt>
              <code>{SOCKETS + address}</code>
            </dt>
            <dd>{ROLES[role]}</dd>
          </div>
        ))}
      </dl>
      {MESSAGE_GROUPS.map(([title, fits]) => (
        <section key={title}>
          <h2>{title}</h2>
          <table class="fields" aria-label={title}>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Meaning</th>
              </tr>
            </thead>
            <tbody>
              {messages.filter(fits).map(({ slug, summary }) => (
                <tr key={slug}>
                  <th scope="row">
                    <a href={hrefOf(`streams/${slug}`)}>{slug}</a>
                  </th>
                  <td>{summary}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </article>
  );
}

export function MessagePage({ message }: { readonly message: Message }) {
  const { slug, name, summary, payload, direction, addresses } = message;
  const isTopic = name.startsWith('push-');
  const isOrder = name.startsWith('trade-') && direction === 'receive';
  const canTry = isTopic || isOrder;
  return (
    <>
      <article>
        <header class="head">
          <h1 tabIndex={-1}>{isTopic ? `Topic ${slug}` : slug}</h1>
          <p>{summary}</p>
          <dl class="facts">
            <div>
              <dt>{direction === 'receive' ? 'The client sends it to' : 'The exchange sends it at'}</dt>
              <dd>
                <span class="words">
                  {addresses.map((address) => (
                    <code key={address}>{address}</code>
                  ))}
                </span>
              </dd>
            </div>
          </dl>
          {canTry && <ToTry />}
        </header>
        <section>
          <h2>Message</h2>
          <FieldsTable label="Message" schema={payload} request={direction === 'receive'} />
        </section>
        <section>
          <h2>Example</h2>
          <pre class="code" tabIndex={0}>
            {JSON.stringify(sampleOf('', payload, Date.now()), undefined, 2)}
          </pre>
        </section>
      </article>
      {isTopic && <TryTopic topic={slug} isPrivate={!addresses.includes('/v3/ws/public')} />}
      {isOrder && <TryTrade message={message} />}
    </>
  );
}

/** A connection that ends with the page that shows it. */
function useSocket(): LiveSocket {
  const live = useMemo(() => new LiveSocket(), []);
  useEffect(() => () => live.stop(), []);
  return live;
}

const TYPES = ['spot', 'usdt-futures', 'coin-futures', 'usdc-futures'] as const;
const INTERVALS = ['1m', '3m', '5m', '15m', '30m', '1H', '4H', '6H', '12H', '1D'] as const;

function TryTopic({ topic, isPrivate }: { readonly topic: string; readonly isPrivate: boolean }) {
  const live = useSocket();
  const instType = useSignal<string>(topic === 'liquidation' ? 'usdt-futures' : 'spot');
  const symbol = useSignal('BTCUSDT');
  const interval = useSignal<string>('1m');
  const argument: Subscription = isPrivate
    ? { instType: 'UTA', topic }
    : {
        instType: instType.value,
        topic,
        symbol: symbol.value.trim(),
        ...(topic === 'kline' && { interval: interval.value }),
      };
  const begin = (event: SubmitEvent) => {
    event.preventDefault();
    if (live.state.value !== 'closed') live.stop();
    else if (isPrivate && account.value === undefined) opened.value = 'account';
    else
      live.start(
        `${SOCKETS}/v3/ws/${isPrivate ? 'private' : 'public'}`,
        isPrivate ? account.value?.signer : undefined,
        JSON.stringify({ op: 'subscribe', args: [argument] }),
      );
  };
  return (
    <aside aria-label="Try and program">
      <section class="try" aria-labelledby="try">
        <h2 id="try" tabIndex={-1}>
          Subscribe live
        </h2>
        <form class="stacked" onSubmit={begin}>
          {!isPrivate && (
            <div class="inputs">
              <div class="labelled">
                <label for="try-instType">instType</label>
                <select
                  id="try-instType"
                  value={instType.value}
                  onChange={({ currentTarget }) => {
                    instType.value = currentTarget.value;
                  }}
                >
                  {TYPES.map((type) => (
                    <option key={type}>{type}</option>
                  ))}
                </select>
              </div>
              <div class="labelled">
                <label for="try-symbol">symbol</label>
                <input
                  id="try-symbol"
                  value={symbol.value}
                  autocomplete="off"
                  spellcheck={false}
                  onInput={({ currentTarget }) => {
                    symbol.value = currentTarget.value;
                  }}
                />
              </div>
              {topic === 'kline' && (
                <div class="labelled">
                  <label for="try-interval">interval</label>
                  <select
                    id="try-interval"
                    value={interval.value}
                    onChange={({ currentTarget }) => {
                      interval.value = currentTarget.value;
                    }}
                  >
                    {INTERVALS.map((each) => (
                      <option key={each}>{each}</option>
                    ))}
                  </select>
                </div>
              )}
            </div>
          )}
          <SendRow live={live} action="Subscribe" isPrivate={isPrivate} />
        </form>
        <Frames live={live} />
      </section>
      <section>
        <h2>The same topic in a program</h2>
        <TextView
          label="Program"
          names={STREAM_PROGRAMS}
          text={(program) => streamProgram(program, argument, ORIGIN, account.value?.written ?? PLACEHOLDERS)}
        />
      </section>
    </aside>
  );
}

/** An order over the socket: the message as JSON, sent after a login and a question. */
function TryTrade({ message }: { readonly message: Message }) {
  const live = useSocket();
  const text = useSignal(JSON.stringify(exampleOf(message), undefined, 2));
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (live.state.value !== 'closed') {
      live.stop();
      return;
    }
    if (account.value === undefined) {
      opened.value = 'account';
      return;
    }
    const agreed = await ask({
      title: message.slug,
      text: `This changes something: it is sent as ${account.value.name}, and the exchange acts on it.`,
      action: 'Send it',
    });
    if (agreed) live.start(`${SOCKETS}/v3/ws/private`, account.value.signer, text.value);
  };
  return (
    <aside aria-label="Try">
      <section class="try" aria-labelledby="try">
        <h2 id="try" tabIndex={-1}>
          Send it
        </h2>
        <form class="stacked" onSubmit={(event) => void send(event)}>
          <label>
            Message
            <textarea
              rows={14}
              spellcheck={false}
              value={text.value}
              onInput={({ currentTarget }) => {
                text.value = currentTarget.value;
              }}
            />
          </label>
          <SendRow live={live} action="Log in and send" isPrivate />
        </form>
        <Frames live={live} />
      </section>
    </aside>
  );
}

/** Only what an order needs: each further field would ask for something. */
function exampleOf({ payload }: Message): object {
  const whole = sampleOf('', payload, Date.now()) as {
    args: Record<string, unknown>[];
    requestTime?: unknown;
  };
  const { requestTime: _, ...frame } = whole;
  const args = payload.properties?.args?.items;
  const required = new Set([...(args?.required ?? []), 'price']);
  const kept = Object.entries(whole.args[0]!).filter(([name]) => required.has(name));
  return { ...frame, id: '1', category: 'spot', args: [Object.fromEntries(kept)] };
}

function SendRow({
  live,
  action,
  isPrivate,
}: {
  readonly live: LiveSocket;
  readonly action: string;
  readonly isPrivate: boolean;
}) {
  const running = live.state.value !== 'closed';
  const needsAccount = isPrivate && account.value === undefined;
  return (
    <div class="send">
      <button type="submit" class={running ? 'danger' : 'primary'}>
        {running ? 'Stop' : needsAccount ? 'Choose an account' : action}
      </button>
      <span class="note">
        {running
          ? `${live.received.value} received`
          : isPrivate && account.value && `as ${account.value.name}`}
      </span>
    </div>
  );
}

function Frames({ live }: { readonly live: LiveSocket }) {
  if (live.frames.value.length === 0) return null;
  return (
    <ol class="frames" aria-label="Messages, newest first" tabIndex={0}>
      {live.frames.value.map(({ id, out, at, text }, index) => (
        <li key={id} class={out ? 'out' : 'in'}>
          <details open={index === 0}>
            <summary>
              <span>{out ? 'sent' : 'received'}</span> <time>{clockTime(at)}</time>{' '}
              <code>{text.slice(0, 120)}</code>
            </summary>
            <pre>{pretty(text)}</pre>
          </details>
        </li>
      ))}
    </ol>
  );
}
