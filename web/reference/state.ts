/** What the page knows and shows: the two documents, the place in the address, the account that signs. */
import { computed, signal } from '@preact/signals';
import { type AccountKey, accounts, addDemoAccounts, addStoredKeys } from '../parts/keyring.ts';
import { kept } from '../parts/theme.ts';
import type { Session } from '../wire/types.ts';
import { type Interface, readAsyncApi, readOpenApi, type Streams } from './documents.ts';

export const ORIGIN = location.origin;
export const SOCKETS = ORIGIN.replace(/^http/, 'ws');

export const calls = signal<Interface | undefined>(undefined);
export const streams = signal<Streams | undefined>(undefined);
export const unreachable = signal(false);
export const account = signal<AccountKey | undefined>(undefined);

/** The terminal keeps the same choice. */
const lastAccount = kept('account', '');

export function chooseAccount(next: AccountKey | undefined): void {
  account.value = next;
  lastAccount.value = next?.id ?? '';
}

export type WindowName = 'search' | 'account' | 'contents';
export const opened = signal<WindowName | undefined>(undefined);
export const close = (): void => {
  opened.value = undefined;
};

/** `#/trade/place-order` is `trade/place-order`. */
const placeOf = (hash: string): string => decodeURIComponent(hash.replace(/^#\/?/, ''));
export const place = signal(placeOf(location.hash));
addEventListener('hashchange', () => {
  place.value = placeOf(location.hash);
});

export const hrefOf = (slug: string): string => `#/${slug}`;

/** The call that is shown; addresses that end with the name of an operation find it too. */
export const operation = computed(() => {
  const at = place.value;
  const list = calls.value?.operations ?? [];
  return list.find(({ slug }) => slug === at) ?? list.find(({ id }) => id === at.split('/').at(-1));
});
export const message = computed(() => {
  const [first, ...rest] = place.value.split('/');
  return first === 'streams'
    ? streams.value?.messages.find(({ slug }) => slug === rest.join('/'))
    : undefined;
});
export const errorCode = computed(() => {
  const [first, code = ''] = place.value.split('/');
  return first === 'errors' ? code : undefined;
});

const RETRY_MS = 1_000;

async function fetched<Body>(path: string): Promise<Body> {
  return (await (await fetch(path)).json()) as Body;
}

/** A refused or lost request is tried again: the exchange may be starting. */
export async function load(): Promise<void> {
  try {
    const [openApi, asyncApi, session] = await Promise.all([
      fetched<Parameters<typeof readOpenApi>[0]>('/openapi.json'),
      fetched<Parameters<typeof readAsyncApi>[0]>('/asyncapi.json'),
      fetched<Session>('/web/session'),
    ]);
    calls.value = readOpenApi(openApi);
    streams.value = readAsyncApi(asyncApi);
    unreachable.value = false;
    await addDemoAccounts(session.accounts);
    await addStoredKeys().catch(() => undefined);
    const list = accounts.value;
    account.value = list.find(({ id }) => id === lastAccount.value) ?? list[0];
  } catch {
    unreachable.value = true;
    setTimeout(() => void load(), RETRY_MS);
  }
}

/** To the form that sends what is shown. */
export function goToTry(): void {
  const title = document.getElementById('try');
  title?.scrollIntoView({ block: 'start' });
  title?.focus({ preventScroll: true });
}
