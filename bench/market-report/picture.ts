/** Draws a day as an SVG: the price of each minute, and the volume of each quarter of an hour below it. */
export interface Series {
  readonly name: string;
  /** Of each minute. */
  readonly closes: number[];
  /** Running sums. */
  readonly volumes: number[];
  readonly spreads: number[];
}

const WIDTH = 880;
const PANEL = 220;
const LEFT = 70;
const RIGHT = 20;
const PRICE_HEIGHT = 140;
const VOLUME_HEIGHT = 40;
const QUARTER = 15;

export function drawDay(series: readonly Series[], startMs: number): string {
  const height = PANEL * series.length + 20;
  const panels = series.map((each, n) => panel(each, n * PANEL, startMs)).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
${panels}
</svg>
`;
}

function panel({ name, closes, volumes }: Series, top: number, startMs: number): string {
  const low = Math.min(...closes);
  const high = Math.max(...closes);
  const x = (minute: number) => LEFT + (minute / closes.length) * (WIDTH - LEFT - RIGHT);
  const y = (price: number) => top + 30 + (1 - (price - low) / (high - low)) * PRICE_HEIGHT;
  const line = closes
    .map((close, n) => `${n === 0 ? 'M' : 'L'}${x(n).toFixed(1)} ${y(close).toFixed(1)}`)
    .join('');
  const grid = [0, 0.5, 1].map((share) => {
    const price = low + share * (high - low);
    const at = y(price).toFixed(1);
    return (
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="#dddddd"/>` +
      `<text x="${LEFT - 6}" y="${Number(at) + 4}" text-anchor="end" fill="#555555">${price.toPrecision(6)}</text>`
    );
  });
  const hours = Array.from({ length: 9 }, (_, n) => {
    const label = new Date(startMs + n * 3 * 3_600_000).toISOString().slice(11, 16);
    const at = Math.min(WIDTH - RIGHT - 14, x((n * closes.length) / 8));
    return `<text x="${at.toFixed(0)}" y="${top + 30 + PRICE_HEIGHT + VOLUME_HEIGHT + 14}" fill="#555555">${label}</text>`;
  });
  return [
    `<text x="${LEFT}" y="${top + 20}" font-weight="bold" fill="#222222">${name}</text>`,
    ...grid,
    `<path d="${line}" fill="none" stroke="#1f6fb2" stroke-width="1"/>`,
    ...bars(volumes, top + 30 + PRICE_HEIGHT, x),
    ...hours,
  ].join('\n');
}

function bars(volumes: readonly number[], top: number, x: (minute: number) => number): string[] {
  const quarters: number[] = [];
  for (let n = QUARTER; n < volumes.length; n += QUARTER) quarters.push(volumes[n]! - volumes[n - QUARTER]!);
  const most = Math.max(...quarters);
  const width = (x(QUARTER) - x(0)) * 0.8;
  return quarters.map((volume, n) => {
    const height = (volume / most) * (VOLUME_HEIGHT - 4);
    const left = x(n * QUARTER).toFixed(1);
    return `<rect x="${left}" y="${(top + VOLUME_HEIGHT - height).toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" fill="#9db8cc"/>`;
  });
}
