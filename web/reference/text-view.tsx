/** Text in several forms, one shown at a time, with a button that copies it. */
import { useSignal } from '@preact/signals';
import { Choice } from '../parts/choice.tsx';
import { notify } from '../parts/notices.ts';

interface TextViewProps<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly text: (name: Name) => string;
}

export function TextView<Name extends string>({ label, names, text }: TextViewProps<Name>) {
  const chosen = useSignal(names[0]!);
  const shown = names.includes(chosen.value) ? chosen.value : names[0]!;
  const copy = () =>
    void navigator.clipboard?.writeText(text(shown)).then(
      () => notify('good', 'Copied'),
      () => notify('bad', 'This browser lets the page copy nothing'),
    );
  return (
    <div class="text-view">
      <div class="text-bar">
        <Choice
          label={label}
          kind="tabs"
          options={names.map((name) => [name, name])}
          value={shown}
          onChange={(next) => {
            chosen.value = next;
          }}
        />
        <button type="button" onClick={copy}>
          Copy
        </button>
      </div>
      <pre class="code" tabIndex={0}>
        {text(shown)}
      </pre>
    </div>
  );
}

export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
