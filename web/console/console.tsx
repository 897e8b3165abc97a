/** The console: bar with the state of the exchange, the open page, and the sign-in where there is no session. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icon.tsx';
import { Notices } from '../parts/notice-list.tsx';
import { dark, theme } from '../parts/theme.ts';
import { ActionDialogs } from './action-dialog.tsx';
import { connected, type Figures, figures } from './live.ts';
import { session, signedOut, signInWithToken, signOut } from './operator.ts';
import { AccountsPage } from './page-accounts.tsx';
import { AuditPage } from './page-audit.tsx';
import { LabPage } from './page-lab.tsx';
import { MarketsPage } from './page-markets.tsx';
import { MoneyPage } from './page-money.tsx';
import { OverviewPage } from './page-overview.tsx';
import { RequestsPage } from './page-requests.tsx';
import { RiskPage } from './page-risk.tsx';
import { SettingsPage } from './page-settings.tsx';
import { addressOf, PLACES, type PlaceName, place } from './places.ts';

const PAGES: Readonly<Record<PlaceName, () => ComponentChildren>> = {
  overview: OverviewPage,
  markets: MarketsPage,
  accounts: AccountsPage,
  money: MoneyPage,
  risk: RiskPage,
  lab: LabPage,
  requests: RequestsPage,
  audit: AuditPage,
  settings: SettingsPage,
};

export function Console() {
  if (session.value === undefined) return <SignIn />;
  const Page = PAGES[place.value];
  return (
    <div class="console">
      <button type="button" class="skip" onClick={toContent}>
        To the content
      </button>
      <header class="bar">
        <b class="brand">console</b>
        <nav class="places" aria-label="Pages">
          {PLACES.map(([name, label]) => (
            <a key={name} href={addressOf(name)} aria-current={name === place.value ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <State />
      </header>
      <main id="content" tabIndex={-1}>
        <h1 class="sr">{PLACES.find(([name]) => name === place.value)![1]}</h1>
        <Page />
      </main>
      <ActionDialogs />
      <Notices />
    </div>
  );
}

/** No link, because the address names the page. */
function toContent(): void {
  document.getElementById('content')!.focus();
}

function State() {
  const now = figures.value;
  const good = now?.checks.every(({ ok }) => ok) ?? false;
  const word = !connected.value ? 'NO ANSWER' : now?.halted ? 'HALTED' : good ? 'READY' : 'NOT READY';
  return (
    <div class="state">
      <b class={word === 'READY' ? 'up' : 'down'}>{word}</b>
      {now !== undefined && (
        <>
          <span>{now.demo ? 'demo' : 'not a demo'}</span>
          <span>{paceOf(now)}</span>
          {now.market !== null && <span>seed {now.market.seed}</span>}
          <span class="soft">{clockText(now.time)}</span>
        </>
      )}
      <span>{session.value?.operator}</span>
      <button
        type="button"
        class="icon-button"
        aria-label={`Theme: ${theme.value}`}
        onClick={() => {
          theme.value = dark.value ? 'light' : 'dark';
        }}
      >
        <Icon name={dark.value ? 'sun' : 'moon'} />
      </button>
      <button type="button" onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  );
}

function paceOf({ clock, factor }: Figures): string {
  return clock === 'manual' ? 'manual clock' : `${clock} ×${factor}`;
}

function clockText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function SignIn() {
  const token = useSignal('');
  const name = useSignal('');
  const send = async (event: Event) => {
    event.preventDefault();
    const refusal = await signInWithToken(token.value.trim(), name.value.trim());
    token.value = '';
    signedOut.value = refusal ?? '';
  };
  return (
    <main class="sign-in">
      <form class="action panel" onSubmit={(event) => void send(event)}>
        <h1>Operator's console</h1>
        <p class="note">This command prints an address that opens the console, once and within a minute:</p>
        <code class="command">npm run bourse -- console</code>
        <p class="note">Or give the operator's token, from the file operator.token of the data directory.</p>
        <label class="row">
          <span>Token</span>
          <input
            type="password"
            autocomplete="off"
            required
            value={token.value}
            onInput={({ currentTarget }) => {
              token.value = currentTarget.value;
            }}
          />
        </label>
        <label class="row">
          <span>
            Your name <small>optional, for the audit log</small>
          </span>
          <input
            autocomplete="off"
            pattern="[A-Za-z0-9._@\-]{1,64}"
            value={name.value}
            onInput={({ currentTarget }) => {
              name.value = currentTarget.value;
            }}
          />
        </label>
        {signedOut.value !== '' && (
          <p class="down" role="alert">
            {signedOut.value}
          </p>
        )}
        <div class="answers">
          <button type="submit" class="primary">
            Sign in
          </button>
        </div>
      </form>
    </main>
  );
}
