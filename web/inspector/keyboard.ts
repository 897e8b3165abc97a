/** The inspector without a mouse. Letters do nothing while somebody types. */
import { signal } from '@preact/signals';
import { clear, closeEntry, filter, openedId, pause, paused, step, view } from './records.ts';

export const choosing = signal(false);

const focus = (id: string) => document.getElementById(id)?.focus();

const KEYS: Readonly<Record<string, () => void>> = {
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  '/': () => focus('path'),
  e: () => {
    filter.value = { ...filter.value, refusedOnly: !filter.value.refusedOnly };
  },
  m: () => {
    view.value = view.value === 'mistakes' ? 'requests' : 'mistakes';
  },
  p: () => pause(!paused.value),
  x: clear,
  a: () => {
    choosing.value = true;
  },
};
export const HINTS =
  '↑ ↓ requests · / path · E errors · M mistakes · P pause · X clear · A account · Esc close';

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof HTMLElement && target.closest('dialog') !== null) return;
    if (key === 'Escape') {
      if (target instanceof HTMLElement) target.blur();
      if (openedId.value !== undefined) closeEntry();
      return;
    }
    const inside = 'input, select, textarea, pre, [contenteditable]';
    if (target instanceof HTMLElement && target.closest(inside) !== null) return;
    const name = key.length === 1 ? key.toLowerCase() : key;
    const action = Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}
