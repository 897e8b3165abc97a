/** The terminal without a mouse. Letters do nothing while somebody types, and each can be changed. */
import { signal } from '@preact/signals';
import { ask } from '../parts/question.ts';
import { clockTime } from '../wire/format.ts';
import { cancelAll } from './actions.ts';
import { WIDTHS } from './candles.ts';
import * as draft from './draft.ts';
import { notify } from './notices.ts';
import { submit, wordsOf } from './order-form.tsx';
import { interval, isPhone, keyChoices, keysOn } from './settings.ts';
import { venueNow } from './venue.ts';
import { LISTS, list, open, opened, phonePanel, positionWindow } from './windows.ts';

export interface KeyAction {
  readonly name: string;
  readonly key: string;
  readonly words: string;
  readonly run: () => void;
}

const focus = (id: string) => document.getElementById(`field-${id}`)?.focus();

function step(by: number): void {
  const at = WIDTHS.findIndex(([name]) => name === interval.value);
  interval.value = WIDTHS[Math.max(0, Math.min(WIDTHS.length - 1, at + by))]![0];
}

function choose(side: 'buy' | 'sell'): void {
  draft.side.value = side;
  if (isPhone.value) open('sheet');
  focus('size');
}

async function review(): Promise<void> {
  const order = draft.draftFor(draft.side.value);
  if (order === undefined || (order.type !== 'tpsl' && draft.missing.value !== '')) return;
  if (
    await ask({
      title: wordsOf(order),
      text: 'Enter sends the order, Escape goes back.',
      action: 'Send order',
    })
  )
    await submit(draft.side.value);
}

/** Set while the letter of a list is awaited. */
export const waitsForList = signal(false);

export const ACTIONS: readonly KeyAction[] = [
  { name: 'buy', key: 'b', words: 'Buy: choose the side, go to the size', run: () => choose('buy') },
  { name: 'sell', key: 's', words: 'Sell: choose the side, go to the size', run: () => choose('sell') },
  ...(
    [
      ['limit', 'l', 'Limit order'],
      ['market', 'm', 'Market order'],
      ['trigger', 't', 'Trigger order'],
      ['trailing', 'r', 'Trailing order'],
      ['tpsl', 'o', 'Take-profit and stop-loss'],
    ] as const
  ).map(([name, key, words]) => ({
    name,
    key,
    words,
    run: () => {
      draft.type.value = name;
    },
  })),
  ...([25, 50, 75, 100] as const).map((percent, index) => ({
    name: `share-${percent}`,
    key: String(index + 1),
    words: `Size: ${percent} % of the most`,
    run: () => draft.takeShare(percent),
  })),
  { name: 'price', key: 'p', words: 'Go to the price', run: () => focus('price') },
  { name: 'send', key: 'Enter', words: 'Review the order, then send it', run: () => void review() },
  {
    name: 'cancel-all',
    key: 'x',
    words: 'Cancel all orders of this symbol (asks)',
    run: () => void cancelAll(false),
  },
  {
    name: 'lines',
    key: 'd',
    words: 'Go to the lines on the chart: arrows move, Enter sends, Delete cancels',
    run: () => document.querySelector<HTMLElement>('.line [role="slider"]')?.focus(),
  },
  { name: 'search', key: '/', words: 'Search for a market', run: () => open('search') },
  { name: 'narrower', key: '[', words: 'Narrower candles', run: () => step(-1) },
  { name: 'wider', key: ']', words: 'Wider candles', run: () => step(1) },
  {
    name: 'list',
    key: 'g',
    words: `Go to a list: then ${LISTS.map(([, title, key]) => `${key} ${title}`).join(', ')}`,
    run: () => {
      waitsForList.value = true;
    },
  },
  { name: 'account', key: 'a', words: 'Change the account', run: () => open('account') },
  { name: 'code', key: 'c', words: 'The last call as a program', run: () => open('code') },
  {
    name: 'clock',
    key: ' ',
    words: 'Time of the exchange',
    run: () => notify('plain', `It is ${clockTime(venueNow())} UTC at the exchange`),
  },
  { name: 'help', key: '?', words: 'This help', run: () => open('help') },
];

export const keyOf = ({ name, key }: KeyAction): string => keyChoices.value[name] ?? key;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, select, textarea, dialog, [role="slider"], [contenteditable]') !== null;

/** Enter and Space press a button that has the focus. */
const isPressed = (target: EventTarget | null, key: string): boolean =>
  (key === 'Enter' || key === ' ') &&
  target instanceof HTMLElement &&
  target.closest('button, a, [role="tab"], [role="separator"]') !== null;

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (key === 'Escape' && target instanceof HTMLElement && target.closest('dialog') === null) {
      target.blur();
      waitsForList.value = false;
      return;
    }
    if (!keysOn.value || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(target) || isPressed(target, key)) return;
    if (opened.value !== undefined || positionWindow.value !== undefined) return;
    if (waitsForList.value) {
      waitsForList.value = false;
      const found = LISTS.find(([, , letter]) => letter === key.toUpperCase());
      if (found === undefined) return;
      list.value = found[0];
      phonePanel.value = 'lists';
      document.getElementById(`tab-${found[0]}`)?.focus();
      event.preventDefault();
      return;
    }
    const action = ACTIONS.find((each) => keyOf(each) === (key.length === 1 ? key.toLowerCase() : key));
    if (action === undefined) return;
    event.preventDefault();
    action.run();
  });
}
