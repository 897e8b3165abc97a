/** A report as a page that stands alone: no script, nothing from elsewhere. */
import { escaped } from './junit.ts';
import type { Referee } from './report.ts';

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}' +
  'table{border-collapse:collapse;margin:.5rem 0 1.5rem}td,th{padding:.2rem 1rem .2rem 0;text-align:left;vertical-align:top}' +
  'td:nth-child(n+2){font-variant-numeric:tabular-nums}.bad{color:#c62828;font-weight:600}svg{max-width:100%}';
const PARTS = ['trading', 'conduct', 'faults', 'rules'] as const;
const WIDTH = 640;
const HEIGHT = 120;

export function pageOf(report: Referee): string {
  const { account, uid, from, to, findings } = report;
  const time = (ms: number) => new Date(ms).toISOString();
  const happened = findings.map(({ name, count, text }) => [name, String(count), text]);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Referee: ${escaped(account)}</title><style>${STYLE}</style>
<h1>${escaped(account)} (${uid})</h1>
<p>Commands ${from.seq + 1} to ${to.seq}, ${time(from.time)} to ${time(to.time)}${report.complete ? '' : '; not all of what was asked for is known'}.</p>
<h2>Findings</h2>
${table(happened, ([, count]) => count !== '0')}
<h2>Exposure in dollars</h2>
${curve(report.trading.exposure.series)}
${PARTS.map((part) => `<h2>${part}</h2>\n${table(rowsOf(report[part]))}`).join('\n')}
</html>
`;
}

/** Every value with the path that leads to it. */
function rowsOf(value: unknown, path = ''): string[][] {
  if (value === null) return [[path, 'not known']];
  if (typeof value !== 'object') return [[path, `${value as string | number | boolean}`]];
  // The curve shows it.
  if (path === 'exposure.series') return [];
  const rows = Object.entries(value).flatMap(([name, each]) =>
    rowsOf(each, path === '' ? name : `${path}.${name}`),
  );
  return rows.length === 0 ? [[path, 'none']] : rows;
}

function table(
  rows: readonly (readonly string[])[],
  isBad: (row: readonly string[]) => boolean = () => false,
): string {
  const cells = (row: readonly string[]) => row.map((cell) => `<td>${escaped(cell)}</td>`).join('');
  return `<table>${rows.map((row) => `<tr${isBad(row) ? ' class="bad"' : ''}>${cells(row)}</tr>`).join('\n')}</table>`;
}

/** Steps between the samples; a picture, so its numbers may be rounded. */
function curve(series: Referee['trading']['exposure']['series']): string {
  if (series.length < 2) return '<p>none</p>';
  const [begin, end] = [series[0]!.time, series.at(-1)!.time];
  const most = Math.max(...series.map(({ usd }) => Number(usd)), 1);
  const points = series.map(({ time, usd }) => {
    const x = (WIDTH * (time - begin)) / Math.max(1, end - begin);
    return `${x.toFixed(1)},${(HEIGHT - (HEIGHT * Number(usd)) / most).toFixed(1)}`;
  });
  const line = `<polyline fill="none" stroke="currentColor" points="${points.join(' ')}"/>`;
  return `<svg viewBox="0 -2 ${WIDTH} ${HEIGHT + 4}" role="img" aria-label="exposure over time">${line}</svg>`;
}
