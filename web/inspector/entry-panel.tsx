/** One request with its answer: why it was refused, the bytes, and the program that would send it. */
import { useSignal } from '@preact/signals';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.ts';
import { type Keys, PLACEHOLDERS, PROGRAMS, type Program, programOf } from '../wire/code.ts';
import { dateTime } from '../wire/format.ts';
import { callOf, FRAME_PROGRAMS, frameProgramOf, tradeFrameIn } from '../wire/frame-code.ts';
import { type RequestDetail, type Written, writtenOf } from '../wire/inspect.ts';
import { account, client, closeEntry, detail, explained, ORIGIN } from './records.ts';
import { StepTimesView } from './step-times.tsx';
import { WhyPanel } from './why-panel.tsx';

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

const grouped = (seq: number) => seq.toLocaleString('en-US');

const copy = (text: string, what: string) =>
  void navigator.clipboard.writeText(text).then(
    () => notify('good', `${what} copied`),
    () => notify('bad', 'The browser does not let this page copy'),
  );

export function EntryPanel() {
  const entry = detail.value;
  if (entry === undefined) return <p class="empty">Asking for it</p>;
  if (entry === null) return <p class="empty">It made room for newer requests.</p>;
  return <Entry key={entry.id} entry={entry} />;
}

function Entry({ entry }: { readonly entry: RequestDetail }) {
  const { kind, method, path, status, code, ms, ts, agent, peer, apiKey, left, connection, times } = entry;
  const repeatable = repeatableOf(entry);
  const facts: readonly (readonly [string, string])[] = [
    ['Time', `${dateTime(ts)} UTC`],
    ...(ms > 0 ? ([['Took', `${ms.toFixed(1)} ms in the exchange`]] as const) : []),
    ...(entry.commands.length > 0 ? ([['Command', entry.commands.map(grouped).join(', ')]] as const) : []),
    ['Key', apiKey],
    ['Client', `${agent || 'unnamed'}, from ${peer}`],
    ...(left === null ? [] : ([['Limit', `${left} more of this call in that second`]] as const)),
    ...(connection === '' ? [] : ([['Connection', connection]] as const)),
  ];
  return (
    <div class="entry">
      <div class="entry-head">
        <h2>
          {kind === 'ws' ? `WS ${method}` : method} {path}
        </h2>
        <button type="button" class="icon-button" aria-label="Close the request" onClick={closeEntry}>
          <Icon name="close" />
        </button>
      </div>
      <p class={entry.refused ? 'refusal' : 'soft'}>
        {status > 0 && <b>{status}</b>} <b>{code}</b> {entry.msg}
      </p>
      <WhyPanel why={entry.why} code={code} explained={explained.value} />
      {times !== null && <StepTimesView times={times} />}
      {repeatable !== undefined && <Programs entry={entry} repeatable={repeatable} />}
      <Texts entry={entry} />
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** A request that programs can send, and the call that sends it again. */
interface Repeatable {
  readonly programs: readonly Program[];
  readonly textOf: (program: Program, keys: Keys) => string;
  readonly written: Written;
}

function repeatableOf(entry: RequestDetail): Repeatable | undefined {
  const frame = entry.kind === 'ws' ? tradeFrameIn(entry.body) : undefined;
  if (frame !== undefined)
    return {
      programs: FRAME_PROGRAMS,
      textOf: (program, keys) => frameProgramOf(program, frame, ORIGIN, keys),
      written: callOf(frame),
    };
  const written = writtenOf(entry);
  if (written === undefined) return undefined;
  const textOf = (program: Program, keys: Keys) => programOf(program, written, ORIGIN, keys);
  return { programs: PROGRAMS, textOf, written };
}

interface ProgramsProps {
  readonly entry: RequestDetail;
  readonly repeatable: Repeatable;
}

function Programs({ entry, repeatable: { programs, textOf, written } }: ProgramsProps) {
  const keys = account.value?.id === entry.apiKey ? account.value.written : PLACEHOLDERS;
  const program = useSignal<Program>(programs[0]!);
  const asking = useSignal(false);
  const text = textOf(program.value, keys);
  const again = entry.kind === 'ws' ? 'Again over HTTP' : 'Again';
  const send = async () => {
    asking.value = false;
    const sender = client.value;
    if (sender === undefined) return;
    const path = written.path.replace('/api/v3/', '');
    const answer =
      written.method === 'GET'
        ? await sender.get(path, written.query)
        : await sender.post(path, written.body ?? {});
    if (answer.ok) notify('good', 'Sent again', '00000');
    else notify('bad', `Sent again: ${answer.code}`, answer.msg);
  };
  return (
    <section class="programs" aria-label="As a program">
      <div class="row">
        <Choice
          label="Program"
          kind="tabs"
          options={programs.map((name) => [name, name])}
          value={program.value}
          onChange={(next) => {
            program.value = next;
          }}
        />
        <button type="button" onClick={() => copy(text, program.value)}>
          Copy {program.value}
        </button>
        <button
          type="button"
          onClick={() => {
            if (written.method === 'GET') void send();
            else asking.value = true;
          }}
        >
          {again}
        </button>
      </div>
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
      {asking.value && (
        <Dialog
          title="Send it again?"
          onClose={() => {
            asking.value = false;
          }}
        >
          <p>
            {written.method} {written.path} may change something: it is signed anew for {account.value?.name}{' '}
            and carried out once more.
          </p>
          <pre class="code">{JSON.stringify(written.body, undefined, 2)}</pre>
          <button type="button" class="danger" onClick={() => void send()}>
            Send it again
          </button>
        </Dialog>
      )}
    </section>
  );
}

type Text = 'Request' | 'Answer' | 'Signed';

function Texts({ entry }: { readonly entry: RequestDetail }) {
  const { kind, method, target, body, answer, base, timestamp } = entry;
  const texts: readonly (readonly [Text, string])[] = [
    ...(kind === 'ws' && body === ''
      ? []
      : [['Request', kind === 'ws' ? pretty(body) : `${method} ${target}\n${pretty(body)}`.trim()] as const]),
    ...(answer === '' ? [] : [['Answer', pretty(answer)] as const]),
    ...(timestamp === '' || base === '' ? [] : [['Signed', base] as const]),
  ];
  const chosen = useSignal<Text>(texts[0]?.[0] ?? 'Request');
  const text = texts.find(([name]) => name === chosen.value)?.[1] ?? '';
  return (
    <section aria-label="Texts">
      <div class="row">
        <Choice
          label="Text"
          kind="tabs"
          options={texts.map(([name]) => [name, name])}
          value={chosen.value}
          onChange={(next) => {
            chosen.value = next;
          }}
        />
        <button type="button" onClick={() => copy(text, chosen.value)}>
          Copy {chosen.value.toLowerCase()}
        </button>
      </div>
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
