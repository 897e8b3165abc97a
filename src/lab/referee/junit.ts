/** A report as JUnit has tests: one for each thing that must not happen. */
import type { Referee } from './report.ts';

/** Findings that `failOn` names fail when they occurred; others are only reported. */
export function junitOf({ account, findings }: Referee, failOn: ReadonlySet<string>): string {
  const cases = findings.map(({ name, count, text }) => {
    const head = `    <testcase classname="referee.${escaped(account)}" name="${name}"`;
    if (count === 0) return `${head}/>`;
    const message = escaped(`${text}: ${count} times`);
    const within = failOn.has(name)
      ? `<failure message="${message}"/>`
      : `<system-out>${message}</system-out>`;
    return `${head}>${within}</testcase>`;
  });
  const failures = findings.filter(({ name, count }) => count > 0 && failOn.has(name)).length;
  const suite = `name="bourse referee: ${escaped(account)}" tests="${findings.length}" failures="${failures}"`;
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite ${suite}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')}\n`;
}

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Also without characters that XML has no form for. */
export function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (mark) => MARKS[mark]!)
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/gu, '?');
}
