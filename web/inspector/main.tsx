/** The inspector starts: it learns who serves it, opens the last account and draws. */
import { render } from 'preact';
import '../parts/tokens.css';
import '../parts/notices.css';
import '../parts/bar.css';
import '../parts/code.css';
import './inspector.css';
import { accounts, addDemoAccounts, addStoredKeys } from '../parts/keyring.ts';
import type { Session } from '../wire/types.ts';
import { Inspector } from './inspector.tsx';
import { listenToKeys } from './keyboard.ts';
import { lastAccount, openAccount, session } from './records.ts';

const RETRY_MS = 1_000;

async function begin(): Promise<void> {
  try {
    session.value = (await (await fetch('/web/session')).json()) as Session;
  } catch {
    setTimeout(() => void begin(), RETRY_MS);
    return;
  }
  await addDemoAccounts(session.value.accounts);
  await addStoredKeys().catch(() => undefined);
  const known = accounts.value;
  openAccount(known.find(({ id }) => id === lastAccount.value) ?? known[0]);
}

listenToKeys();
render(<Inspector />, document.getElementById('root')!);
void begin();
