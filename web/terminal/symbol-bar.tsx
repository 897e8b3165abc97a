/** The market that is open and how it stands; the account and the settings. */
import { useComputed } from '@preact/signals';
import { Icon } from '../parts/icon.tsx';
import { amount, multiply } from '../wire/decimal.ts';
import { clockTime, countdown, fixed, percent, short, signedPercent, toneOf } from '../wire/format.ts';
import { isFutures } from '../wire/types.ts';
import { account, funds } from './account.ts';
import { categoryName } from './list-cells.tsx';
import { instrument, lastMove, priceDigits, ticker } from './market.ts';
import { dark, theme } from './settings.ts';
import { clockName, second, venueNow } from './venue.ts';
import { open } from './windows.ts';

export function SymbolBar() {
  const traded = instrument.value;
  const shown = ticker.value;
  const digits = priceDigits.value;
  const futures = traded !== undefined && isFutures(traded.category);
  return (
    <header class="bar">
      <h1 class="brand">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 6h3v7H3zm7-3h3v7h-3z" />
          <path class="wick" d="M4.5 3v12m7-14v12" />
        </svg>
        <span>bourse</span>
      </h1>
      <button type="button" class="market" onClick={() => open('search')} aria-keyshortcuts="/">
        <b>{traded?.symbol ?? '…'}</b> <small>{traded && categoryName(traded.category)}</small>
        <Icon name="down" />
      </button>
      <output class={`price ${lastMove.value}`} aria-label="Last price">
        {fixed(shown?.lastPrice, digits)}
        <span aria-hidden="true">{lastMove.value === 'down' ? '▼' : '▲'}</span>
      </output>
      <dl class="stats">
        <Stat name="24h" tone={toneOf(shown?.price24hPcnt)} value={signedPercent(shown?.price24hPcnt, 2)} />
        {futures && <Stat name="Mark" value={fixed(shown?.markPrice, digits)} />}
        {futures && <Stat name="Index" value={fixed(shown?.indexPrice, digits)} />}
        {futures && <Funding />}
        <Stat name="High" value={fixed(shown?.highPrice24h, digits)} />
        <Stat name="Low" value={fixed(shown?.lowPrice24h, digits)} />
        <Stat name={`Volume ${traded?.quoteCoin ?? ''}`} value={short(shown?.turnover24h)} />
        {futures && (
          <Stat
            name="Open interest"
            value={short(multiply(amount(shown?.openInterest), amount(shown?.markPrice)))}
          />
        )}
      </dl>
      <div class="bar-end">
        <Clock />
        <button
          type="button"
          class={`account-button colour-${account.value?.colour ?? 9}`}
          onClick={() => open('account')}
        >
          <span>
            <span class="sr">Account: </span>
            <b>{account.value?.name ?? 'No account'}</b>
          </span>{' '}
          {account.value !== undefined && <small>{percent(funds.value?.mgnRatio, 1)}</small>}
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
        <button
          type="button"
          class="icon-button"
          aria-label="Help and settings"
          aria-keyshortcuts="?"
          onClick={() => open('help')}
        >
          <Icon name="help" />
        </button>
      </div>
    </header>
  );
}

function Stat({
  name,
  value,
  tone = '',
}: {
  readonly name: string;
  readonly value: string;
  readonly tone?: string;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={tone}>{value}</dd>
    </div>
  );
}

/** The time that is left by the clock of the exchange, not by that of this computer. */
function Funding() {
  void second.value;
  const shown = ticker.value;
  const left = Number(shown?.nextFundingTime ?? 0) - venueNow();
  return (
    <div>
      <dt>Funding</dt>
      <dd>
        {percent(shown?.fundingRate, 4)}
        {shown?.nextFundingTime !== undefined && <span class="soft"> {countdown(left)}</span>}
      </dd>
    </div>
  );
}

function Clock() {
  const time = useComputed(() => {
    void second.value;
    return clockTime(venueNow());
  });
  return (
    <span class="clock" title="Time of the exchange, UTC">
      <time>{time}</time> <small>{clockName}</small>
    </span>
  );
}
