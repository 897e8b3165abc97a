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
    <div class="panel lists">
      <div class="panel-head">
        <h2>{title}</h2>
        <div class="tools">{tools}</div>
      </div>
      {children}
    </div>
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

interface SearchBoxProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function SearchBox({ label, hint, value, onChange }: SearchBoxProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={hint}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** UTC, to the second. */
export function when(time: number | null): string {
  return time === null || time === 0 ? '–' : new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}
