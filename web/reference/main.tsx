/** The reference starts: it reads the two documents of the interface and shows what the address names. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import '../parts/tokens.css';
import '../parts/bar.css';
import '../parts/code.css';
import '../parts/notices.css';
import './reference.css';
import { Page } from './page.tsx';
import { errorCode, goToTry, load, message, opened, operation, place, type WindowName } from './state.ts';

const KEYS: Readonly<Record<string, WindowName>> = { '/': 'search', a: 'account' };

addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || opened.value !== undefined) return;
  if (target instanceof HTMLElement && target.closest('input, select, textarea, dialog') !== null) return;
  const name = KEYS[key];
  if (name !== undefined) {
    event.preventDefault();
    opened.value = name;
  } else if (key === 't') goToTry();
});

effect(() => {
  const code = errorCode.value;
  const shown =
    operation.value?.slug ?? message.value?.slug ?? (code === undefined ? place.value : code || 'errors');
  document.title = `${shown === '' ? 'Reference' : shown} · Bourse`;
});

let first = true;
effect(() => {
  void place.value;
  if (first) {
    first = false;
    return;
  }
  // What is new begins at its title, for the eye and for a screen reader.
  requestAnimationFrame(() => {
    scrollTo(0, 0);
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  });
});

render(<Page />, document.getElementById('root')!);
void load();
