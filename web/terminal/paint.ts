/** Data is folded as it comes and painted at most once a frame; a hidden page folds and paints nothing. */
import { batch } from '@preact/signals';

const pending = new Map<string, () => void>();
let asked = false;

/** The newest of a key wins. */
export function paint(key: string, draw: () => void): void {
  pending.set(key, draw);
  if (asked) return;
  asked = true;
  requestAnimationFrame(flush);
}

function flush(): void {
  asked = false;
  const draws = [...pending.values()];
  pending.clear();
  batch(() => {
    for (const draw of draws) draw();
  });
}
