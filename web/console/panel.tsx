/** A titled box of a page, with what it shows or why it cannot. */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Answer } from './operator.ts';

interface PanelProps {
  readonly title: string;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Panel({ title, tools, children }: PanelProps) {
  return (
    <section class="panel lists" aria-label={title}>
      <div class="panel-head">
        <h2>{title}</h2>
        <div class="tools">{tools}</div>
      </div>
      {children}
    </section>
  );
}

interface LoadedProps<Data> {
  readonly of: ReadonlySignal<Answer<Data> | undefined>;
  readonly children: (data: Data) => ComponentChildren;
}

export function Loaded<Data>({ of, children }: LoadedProps<Data>) {
  const answer = of.value;
  if (answer === undefined) return <p class="empty">…</p>;
  return <>{answer.ok ? children(answer.data) : <p class="empty">{answer.message}</p>}</>;
}

export function Facts({ of }: { readonly of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="fact-list">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** UTC, to the second. */
export function when(time: number | null): string {
  return time === null || time === 0 ? '–' : new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}
