/** The top of the page: where one is, search, the account that signs, the theme. */
import { Icon } from '../parts/icon.tsx';
import { dark, theme } from '../parts/theme.ts';
import { account, opened, type WindowName } from './state.ts';

const open = (name: WindowName) => () => {
  opened.value = name;
};

export function Bar() {
  return (
    <header class="bar">
      <button
        type="button"
        class="icon-button contents-button"
        aria-label="Contents"
        onClick={open('contents')}
      >
        <Icon name="both" />
      </button>
      <a class="brand" href="/" title="Trading terminal">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 6h3v7H3zm7-3h3v7h-3z" />
          <path class="wick" d="M4.5 3v12m7-14v12" />
        </svg>
        <span>bourse</span>
      </a>
      <a class="bar-title" href="#/">
        Reference
      </a>
      <button
        type="button"
        class="search-button"
        aria-label="Search"
        aria-keyshortcuts="/"
        onClick={open('search')}
      >
        <Icon name="search" />
        <span>Search</span>
        <kbd>/</kbd>
      </button>
      <div class="bar-end">
        <button
          type="button"
          class={`account-button colour-${account.value?.colour ?? 9}`}
          aria-keyshortcuts="a"
          onClick={open('account')}
        >
          <span>
            <span class="sr">Account: </span>
            <b>{account.value?.name ?? 'No account'}</b>
          </span>
          <Icon name="down" />
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
