/** Where the time of a request went, step by step. */
import type { StepTimes } from '../wire/inspect.ts';

const STEPS: readonly (readonly [keyof StepTimes, string])[] = [
  ['parse', 'until its bytes were read'],
  ['authenticate', 'signature, permission, limit, parameters'],
  ['apply', 'until the exchange had applied it'],
  ['durable', 'until it was on disk'],
  ['answer', 'until the answer was sent'],
];

export function StepTimesView({ times }: { readonly times: StepTimes }) {
  const taken = STEPS.flatMap(([name, means]) => {
    const ms = times[name];
    return ms === null ? [] : [{ name, means, ms }];
  });
  return (
    <section aria-label="Time by step">
      <div class="times-bar" aria-hidden="true">
        {taken.map(({ name, ms }) => (
          <span key={name} data-step={name} style={{ flexGrow: ms }} />
        ))}
      </div>
      <ol class="times">
        {taken.map(({ name, means, ms }) => (
          <li key={name} title={means} data-step={name}>
            {name} <b>{ms.toFixed(2)} ms</b>
          </li>
        ))}
      </ol>
    </section>
  );
}
