/** The report of a scenario as JUnit XML, which test runners and build servers read. */
import type { ScenarioReport } from '../../../lab/scenarios/runner.ts';

export function junit({ scenario, steps, failed, from, to, balanced }: ScenarioReport): string {
  const books = { step: 'books', action: 'balanced', ok: balanced, message: 'the books are not balanced' };
  const cases = [...steps, books].map(({ step, action, ok, message }) => {
    const name = `name="${escaped(`${step} ${action}`)}" classname="${escaped(scenario)}"`;
    return ok
      ? `    <testcase ${name}/>`
      : `    <testcase ${name}><failure message="${escaped(message)}"/></testcase>`;
  });
  const failures = failed + (balanced ? 0 : 1);
  const suite = `name="${escaped(scenario)}" tests="${cases.length}" failures="${failures}" time="${(to - from) / 1000}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite ${suite}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (found) => ENTITIES[found]!)
    .replaceAll(/[^\x20-\x7E\u00A0-\uD7FF]/g, ' ');
}
