/** Which window is open over the terminal, if any. */
import { signal } from '@preact/signals';
import type { Position } from '../wire/types.ts';

export type WindowName =
  | 'account'
  | 'search'
  | 'help'
  | 'code'
  | 'leverage'
  | 'ratio'
  | 'sheet'
  | 'transfer'
  | 'borrow'
  | 'repay';

export const opened = signal<WindowName | undefined>(undefined);
export const open = (name: WindowName): void => {
  opened.value = name;
};
export const close = (): void => {
  opened.value = undefined;
};

/** A position and what is to be done with it. */
export const positionWindow = signal<
  { readonly position: Position; readonly what: 'close' | 'protect' | 'margin' } | undefined
>(undefined);

/** A short text that says why something is as it is. */
export const reason = signal<{ readonly title: string; readonly text: string } | undefined>(undefined);

/** Panel of a phone, and list at the bottom of the others. */
export type PhonePanel = 'chart' | 'book' | 'trades' | 'lists';
export const phonePanel = signal<PhonePanel>('chart');

export const LISTS = [
  ['positions', 'Positions', 'P'],
  ['open', 'Open', 'O'],
  ['triggers', 'Triggers', 'T'],
  ['orders', 'Orders', 'H'],
  ['fills', 'Fills', 'F'],
  ['ledger', 'Ledger', 'L'],
  ['assets', 'Assets', 'A'],
  ['loans', 'Loans', 'N'],
  ['events', 'Events', 'E'],
] as const;
export type ListName = (typeof LISTS)[number][0];
export const list = signal<ListName>('positions');
