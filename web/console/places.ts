/** Which page is open; the address names it, so that it can be opened again: `#accounts/alice`. */
import { signal } from '@preact/signals';

export const PLACES = [
  ['overview', 'Overview'],
  ['markets', 'Markets'],
  ['accounts', 'Accounts'],
  ['money', 'Money'],
  ['risk', 'Risk'],
  ['lab', 'Lab'],
  ['requests', 'Requests'],
  ['audit', 'Audit'],
  ['settings', 'Settings'],
] as const;
export type PlaceName = (typeof PLACES)[number][0];

export const place = signal<PlaceName>('overview');
/** What of the page is open, such as an account. */
export const subject = signal('');

export function openFromAddress(): void {
  const [name = '', ...rest] = location.hash.slice(1).split('/');
  place.value = PLACES.find(([each]) => each === name)?.[0] ?? 'overview';
  subject.value = decodeURIComponent(rest.join('/'));
}

export function addressOf(name: PlaceName, of = ''): string {
  return `#${name}${of === '' ? '' : `/${encodeURIComponent(of)}`}`;
}
