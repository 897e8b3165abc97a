/**
 * Why a request was refused: the steps that it passed, and of the one that stopped it value, bound and what would be right. Of
 * what the exchange itself refused, its checks follow.
 */
import type { Explained, Why } from '../wire/inspect.ts';

const SIGNS = { ok: '✓', no: '✗', 'not reached': '·' } as const;

interface WhyProps {
  readonly why: Why;
  readonly code: string;
  /** A text says why it is not known; undefined until it came. */
  readonly explained: Explained | string | undefined;
}

export function WhyPanel({ why, code, explained }: WhyProps) {
  if (why.means === '') return null;
  const { means, value, bound, again } = why;
  const explanation = typeof explained === 'object' ? explained : undefined;
  const right = explanation?.rightWouldBe || why.right;
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
      {explanation !== undefined && <Checks explained={explanation} />}
      {typeof explained === 'string' && explained !== '' && <p class="soft">{explained}</p>}
    </section>
  );
}

const VERDICTS = { passed: 'ok', refused: 'no', 'not reached': 'not reached' } as const;

type Check = Explained['checks'][number];

/** The check that refused it, and behind it those that it had passed. */
function Checks({ explained: { checks } }: { readonly explained: Explained }) {
  const refused = checks.filter(({ verdict }) => verdict === 'refused');
  const passed = checks.filter(({ verdict }) => verdict === 'passed');
  return (
    <>
      {refused.length > 0 && <CheckTable caption="What the exchange weighed" checks={refused} />}
      {passed.length > 0 && (
        <details>
          <summary>{passed.length} checks passed before it</summary>
          <CheckTable caption="Passed" checks={passed} />
        </details>
      )}
    </>
  );
}

function CheckTable({ caption, checks }: { readonly caption: string; readonly checks: readonly Check[] }) {
  return (
    <table class="checks">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col">Values</th>
          <th scope="col">Bound</th>
          <th scope="col">Rule</th>
        </tr>
      </thead>
      <tbody>
        {checks.map(({ check, rule, inputs, bound, verdict }) => (
          <tr key={check} data-verdict={VERDICTS[verdict]}>
            <th scope="row">
              <span aria-hidden="true">{SIGNS[VERDICTS[verdict]]}</span> {check}
              <span class="sr">: {VERDICTS[verdict]}</span>
            </th>
            <td>
              {Object.entries(inputs).map(([name, value]) => (
                <div key={name}>
                  {name} <b>{value}</b>
                </div>
              ))}
            </td>
            <td>{bound}</td>
            <td class="soft">{rule}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
