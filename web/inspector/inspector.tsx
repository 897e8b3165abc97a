/** The page: what is shown and how, the list, and the entry that is open beside it, or over it where there is no room. */
import { signal } from '@preact/signals';
import { AccountDialog } from '../parts/account-dialog.tsx';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { canSign } from '../parts/keyring.ts';
import { Notices } from '../parts/notice-list.tsx';
import { dark, theme } from '../parts/theme.ts';
import { EntryPanel } from './entry-panel.tsx';
import { choosing, HINTS } from './keyboard.ts';
import { MistakeList } from './mistake-list.tsx';
import {
  account,
  clear,
  closeEntry,
  filter,
  mistakes,
  openAccount,
  openedId,
  pause,
  paused,
  perSecond,
  refusal,
  session,
  skipped,
  state,
  view,
  waitingCount,
} from './records.ts';
import { RequestList } from './request-list.tsx';

const roomy = matchMedia('(min-width: 1100px)');
const isRoomy = signal(roomy.matches);
roomy.addEventListener('change', () => {
  isRoomy.value = roomy.matches;
});

export function Inspector() {
  const opened = openedId.value !== undefined;
  return (
    <div class="inspector">
      <Bar />
      <Tools />
      <main class="split" data-opened={opened && isRoomy.value}>
        <Body />
        {opened && isRoomy.value && (
          <aside class="panel" aria-label="Request">
            <EntryPanel />
          </aside>
        )}
      </main>
      <Status />
      {opened && !isRoomy.value && (
        <Dialog title="Request" kind="drawer" onClose={closeEntry}>
          <EntryPanel />
        </Dialog>
      )}
      {choosing.value && (
        <AccountDialog
          chosen={account.value}
          onChoose={openAccount}
          onClose={() => {
            choosing.value = false;
          }}
        />
      )}
      <Notices />
    </div>
  );
}

function Bar() {
  return (
    <header class="bar">
      <a class="brand" href="/">
        Bourse
      </a>
      <h1>Inspector</h1>
      <nav aria-label="Pages">
        <a href="/">Terminal</a> <a href="/docs">Reference</a>
      </nav>
      <div class="bar-end">
        <button
          type="button"
          class={`account-button colour-${account.value?.colour ?? 0}`}
          aria-label={`Account: ${account.value?.name ?? 'none'}`}
          aria-keyshortcuts="a"
          onClick={() => {
            choosing.value = true;
          }}
        >
          <b>{account.value?.name ?? 'No account'}</b> <Icon name="down" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={`Theme: ${theme.value}`}
          onClick={() => {
            theme.value = dark.value ? 'light' : 'dark';
          }}
        >
          <Icon name={dark.value ? 'moon' : 'sun'} />
        </button>
      </div>
    </header>
  );
}

function Tools() {
  const { kind, refusedOnly, text } = filter.value;
  const count = mistakes.value.length;
  return (
    <section class="tools" aria-label="What is shown">
      <Choice
        label="View"
        kind="tabs"
        options={[
          ['requests', 'Requests'],
          ['mistakes', `Mistakes ${count}`],
        ]}
        value={view.value}
        onChange={(next) => {
          view.value = next;
        }}
      />
      {view.value === 'requests' && (
        <>
          <Choice
            label="Kind"
            options={[
              ['all', 'All'],
              ['http', 'HTTP'],
              ['ws', 'WS'],
            ]}
            value={kind}
            onChange={(next) => {
              filter.value = { ...filter.value, kind: next };
            }}
          />
          <label class="check">
            <input
              type="checkbox"
              checked={refusedOnly}
              onChange={({ currentTarget }) => {
                filter.value = { ...filter.value, refusedOnly: currentTarget.checked };
              }}
            />
            Errors only
          </label>
          <label class="path">
            <span class="sr">Path, code or words</span>
            <input
              id="path"
              type="search"
              placeholder="Path, code or words"
              value={text}
              onInput={({ currentTarget }) => {
                filter.value = { ...filter.value, text: currentTarget.value };
              }}
            />
          </label>
          <button type="button" aria-pressed={paused.value} onClick={() => pause(!paused.value)}>
            {paused.value ? `Go on${waitingCount.value > 0 ? ` (${waitingCount.value})` : ''}` : 'Pause'}
          </button>
          <button type="button" onClick={clear}>
            Clear
          </button>
        </>
      )}
    </section>
  );
}

function Body() {
  const known = session.value;
  const why =
    known === undefined
      ? 'Connecting to the exchange'
      : !known.inspect
        ? 'Nothing is recorded here: start the exchange with --inspect on.'
        : !canSign
          ? 'This page cannot sign here: open it on localhost, or put TLS in front.'
          : account.value === undefined
            ? 'Choose an account: its requests are shown here.'
            : '';
  if (why !== '') return <p class="empty panel">{why}</p>;
  return view.value === 'mistakes' ? <MistakeList /> : <RequestList />;
}

function Status() {
  const live = state.value === 'open';
  return (
    <footer class="status">
      <span class={`lamp ${live ? 'good' : 'bad'}`}>
        <span class="dot" aria-hidden="true" />
        {live ? (paused.value ? 'paused' : 'live') : state.value}
      </span>
      <span>{perSecond.value.toFixed(1)} requests/s</span>
      {skipped.value > 0 && <span>{skipped.value} too fast to be shown</span>}
      {refusal.value !== '' && <span class="down">{refusal.value}</span>}
      <span class="hints">{HINTS}</span>
    </footer>
  );
}
