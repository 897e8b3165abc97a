/** Colours that a person has chosen, for every page, and how such choices are kept in this browser. Never a key or a secret. */
import { effect, type Signal, signal } from '@preact/signals';

export type Theme = 'system' | 'dark' | 'light';
export type Palette = 'green-red' | 'blue-orange';

const PREFIX = 'bourse.';

export function kept<Value>(name: string, first: Value): Signal<Value> {
  const stored = localStorage.getItem(PREFIX + name);
  const value = signal<Value>(first);
  try {
    if (stored !== null) value.value = JSON.parse(stored) as Value;
  } catch {
    localStorage.removeItem(PREFIX + name);
  }
  effect(() => localStorage.setItem(PREFIX + name, JSON.stringify(value.value)));
  return value;
}

export const theme = kept<Theme>('theme', 'system');
export const palette = kept<Palette>('palette', 'green-red');

/** Dark for the chart, too, which cannot ask the style sheet. */
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
export const dark = signal(prefersDark.matches);

effect(() => {
  const chosen = theme.value;
  const root = document.documentElement;
  root.dataset.theme = chosen;
  root.dataset.palette = palette.value;
  dark.value = chosen === 'dark' || (chosen === 'system' && prefersDark.matches);
});
prefersDark.addEventListener('change', () => {
  if (theme.value === 'system') dark.value = prefersDark.matches;
});
