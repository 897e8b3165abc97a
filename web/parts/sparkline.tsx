/** A line of the last values, from zero to their largest. The figure beside it says the newest. */

interface SparklineProps {
  readonly values: readonly number[];
  /** As many as fill the width. */
  readonly room: number;
}

const WIDTH = 120;
const HEIGHT = 28;

export function Sparkline({ values, room }: SparklineProps) {
  const most = Math.max(1e-9, ...values);
  const step = WIDTH / Math.max(1, room - 1);
  const from = WIDTH - (values.length - 1) * step;
  const points = values.map(
    (value, index) =>
      `${(from + index * step).toFixed(1)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 2)).toFixed(1)}`,
  );
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}
