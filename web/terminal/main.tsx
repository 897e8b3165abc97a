/** The page starts: it learns who serves it, opens the last market and the last account, and draws. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import '../parts/tokens.css';
import './terminal.css';
import { addDemoAccounts, addStoredKeys } from '../parts/keyring.ts';
import { fixed } from '../wire/format.ts';
import type { Category } from '../wire/types.ts';
import { openFirstAccount } from './account.ts';
import { listenToKeys } from './keyboard.ts';
import { instrument, openInstrument, priceDigits, ticker } from './market.ts';
import { lastInstrument } from './settings.ts';
import { Terminal } from './terminal.tsx';
import { instruments, loadInstruments, loadSession, session } from './venue.ts';

const RETRY_MS = 1_000;

/** `#USDT-FUTURES/BTCUSDT` opens that market; otherwise the last one. */
function openFromAddress(): void {
  const [category, symbol] = (location.hash.slice(1) || lastInstrument.value).split('/');
  if (category !== undefined && symbol !== undefined) openInstrument(category as Category, symbol);
  const first = instruments.value.values().next().value;
  if (instrument.value === undefined && first !== undefined) openInstrument(first.category, first.symbol);
}

async function begin(): Promise<void> {
  try {
    await Promise.all([loadSession(), loadInstruments()]);
  } catch {
    setTimeout(() => void begin(), RETRY_MS);
    return;
  }
  openFromAddress();
  await addDemoAccounts(session.value?.accounts ?? []);
  await addStoredKeys().catch(() => undefined);
  openFirstAccount();
}

effect(() => {
  const open = instrument.value;
  const price = ticker.value?.lastPrice;
  document.title =
    open === undefined || price === undefined
      ? 'Bourse'
      : `${fixed(price, priceDigits.value)} ${open.symbol} · Bourse`;
});

window.addEventListener('hashchange', openFromAddress);
listenToKeys();
render(<Terminal />, document.getElementById('root')!);
void begin();
