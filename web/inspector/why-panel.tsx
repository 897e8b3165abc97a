/** Why a request was refused: the steps that it passed, and of the one that stopped it value, bound and what would be right. */
import type { Why } from '../wire/inspect.ts';

const SIGNS = { ok: '✓', no: '✗', 'not reached': '·' } as const;

export function WhyPanel({ why, code }: { readonly why: Why; readonly code: string }) {
  if (why.means === '') return null;
  const { means, value, bound, right, again } = why;
  const facts: readonly (readonly [string, string])[] = [
    ['Means', `${code}: ${means}`],
    [why.core ? 'The exchange says' : 'It was', value],
    ['Allowed is', bound],
    ['Right would be', right],
    ['Sending it again', again],
  ];
  return (
    <section class="why" aria-label="Why">
      <h3>Why</h3>
      <ol class="steps">
        {why.steps.map(({ name, verdict }) => (
          <li key={name} data-verdict={verdict}>
            <span aria-hidden="true">{SIGNS[verdict]}</span> {name}
            <span class="sr">: {verdict}</span>
          </li>
        ))}
      </ol>
      <dl class="facts">
        {facts
          .filter(([, text]) => text !== '')
          .map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class={name === 'Right would be' ? 'right' : undefined}>{text}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
