/** What a person has chosen, kept in this browser. Never a key or a secret. */
import { type Signal, signal } from '@preact/signals';
import { kept } from '../parts/theme.ts';

export { dark, type Palette, palette, type Theme, theme } from '../parts/theme.ts';

/** Category and symbol of the instrument that was open last. */
export const lastInstrument = kept('instrument', 'USDT-FUTURES/BTCUSDT');
export const favourites = kept<readonly string[]>('favourites', [
  'USDT-FUTURES/BTCUSDT',
  'USDT-FUTURES/ETHUSDT',
  'SPOT/BTCUSDT',
]);
export const lastAccount = kept('account', '');
export const interval = kept('interval', '15m');
export const secondInterval = kept('interval-2', '1m');
export const bookGroup = kept('book-group', 1);
export const bookSides = kept<'both' | 'bids' | 'asks'>('book-sides', 'both');
export const confirmOrders = kept('confirm', true);
export const keysOn = kept('keys', true);
/** Pixels; zero for the size that the layout gives. */
export const tabsHeight = kept('tabs-height', 0);
export const bookWidth = kept('book-width', 0);

/** Which of the layouts the style sheet shows; components differ only between a phone and the rest. */
const watched = (query: string): Signal<boolean> => {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener('change', () => {
    matches.value = list.matches;
  });
  return matches;
};
export const isPhone = watched('(max-width: 719.98px)');
export const isWide = watched('(min-width: 2560px)');

/** Keys that a person has changed, by the name of the action. */
export const keyChoices = kept<Readonly<Record<string, string>>>('key-choices', {});
