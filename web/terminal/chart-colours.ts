/** Colours of the style sheet for a canvas, which cannot read it. */
import { effect } from '@preact/signals';
import { dark, palette } from './settings.ts';

export interface ChartColours {
  readonly up: string;
  readonly down: string;
  readonly upFaint: string;
  readonly downFaint: string;
  readonly grid: string;
  readonly ink: string;
  readonly paper: string;
}

const NAMES: Readonly<Record<keyof ChartColours, string>> = {
  up: '--up',
  down: '--down',
  upFaint: '--up-faint',
  downFaint: '--down-faint',
  grid: '--grid',
  ink: '--soft',
  paper: '--panel',
};

let probe: HTMLElement | undefined;
let read: ChartColours | undefined;

function resolved(name: string): string {
  if (probe === undefined) {
    probe = document.createElement('i');
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

export function chartColours(): ChartColours {
  read ??= Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [key, resolved(name)]),
  ) as unknown as ChartColours;
  return read;
}

/** Calls back now and whenever the theme has changed. */
export function watchColours(changed: () => void): () => void {
  return effect(() => {
    void dark.value;
    void palette.value;
    read = undefined;
    changed();
  });
}
