/** Search over all instruments, with their prices. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { fixed, short, signedPercent, toneOf } from '../wire/format.ts';
import { bookCategory, CATEGORIES, type Category, type Instrument, type Ticker } from '../wire/types.ts';
import { categoryName } from './list-cells.tsx';
import { openInstrument } from './market.ts';
import { favourites } from './settings.ts';
import { api, instrumentKey, instruments } from './venue.ts';
import { close } from './windows.ts';

type Filter = Category | 'all' | 'favourites';

const FILTERS: readonly (readonly [Filter, string])[] = [
  ['all', 'All'],
  ['favourites', '★'],
  ...CATEGORIES.map((category): readonly [Category, string] => [category, TITLES(category)]),
];
function TITLES(category: Category): string {
  return {
    SPOT: 'Spot',
    MARGIN: 'Margin',
    'USDT-FUTURES': 'USDT',
    'COIN-FUTURES': 'COIN',
    'USDC-FUTURES': 'USDC',
  }[category];
}

const REFRESH_MS = 2_000;

export function SearchDialog() {
  const text = useSignal('');
  const filter = useSignal<Filter>('all');
  const chosen = useSignal(0);
  const tickers = useSignal<ReadonlyMap<string, Ticker>>(new Map());
  useEffect(() => {
    const load = async () => {
      const lists = CATEGORIES.filter((category) => category !== 'MARGIN');
      const answers = await Promise.all(
        lists.map((category) => api.get<readonly Ticker[]>('market/tickers', { category })),
      );
      const all = answers.flatMap((answer) => (answer.ok ? answer.data : []));
      tickers.value = new Map(all.map((each) => [instrumentKey(each.category, each.symbol), each]));
    };
    void load();
    const timer = setInterval(() => void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const starred = new Set(favourites.value);
  const found = [...instruments.value.values()].filter(({ category, symbol, baseCoin }) => {
    const wanted = text.value.toUpperCase();
    if (filter.value === 'favourites' && !starred.has(instrumentKey(category, symbol))) return false;
    if (filter.value !== 'all' && filter.value !== 'favourites' && category !== filter.value) return false;
    return symbol.includes(wanted) || baseCoin.includes(wanted);
  });
  const go = ({ category, symbol }: Instrument) => {
    openInstrument(category, symbol);
    close();
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      chosen.value = Math.max(0, Math.min(found.length - 1, chosen.value + step));
      document.getElementById(`found-${chosen.value}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && found[chosen.value] !== undefined) go(found[chosen.value]!);
  };
  return (
    <Dialog title="Markets" onClose={close}>
      <div class="search">
        <Icon name="search" />
        <input
          autoFocus
          autocomplete="off"
          spellcheck={false}
          placeholder="BTC, ETHUSDT…"
          aria-label="Search for a symbol"
          aria-controls="found"
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value.trim();
            chosen.value = 0;
          }}
          onKeyDown={keys}
        />
      </div>
      <Choice
        label="Category"
        kind="tabs"
        options={FILTERS}
        value={filter.value}
        onChange={(next) => {
          filter.value = next;
          chosen.value = 0;
        }}
      />
      <ul class="found" id="found">
        {found.map((each, index) => (
          <Found
            key={instrumentKey(each.category, each.symbol)}
            each={each}
            index={index}
            chosen={index === chosen.value}
            ticker={tickers.value.get(instrumentKey(bookCategory(each.category), each.symbol))}
            starred={starred.has(instrumentKey(each.category, each.symbol))}
            go={go}
          />
        ))}
      </ul>
      {found.length === 0 && <p class="empty">No market is called that.</p>}
    </Dialog>
  );
}

interface FoundProps {
  readonly each: Instrument;
  readonly index: number;
  readonly chosen: boolean;
  readonly ticker: Ticker | undefined;
  readonly starred: boolean;
  readonly go: (instrument: Instrument) => void;
}

function Found({ each, index, chosen, ticker, starred, go }: FoundProps) {
  const { category, symbol, pricePrecision, quoteCoin } = each;
  const key = instrumentKey(category, symbol);
  const toggle = () => {
    favourites.value = starred ? favourites.value.filter((name) => name !== key) : [...favourites.value, key];
  };
  return (
    <li id={`found-${index}`} data-chosen={chosen}>
      <button
        type="button"
        class="icon-button"
        aria-pressed={starred}
        aria-label={`Favourite ${symbol} ${categoryName(category)}`}
        onClick={toggle}
      >
        <Icon name="star" filled={starred} />
      </button>
      <button type="button" class="go" onClick={() => go(each)}>
        <span>
          <b>{symbol}</b> <small>{categoryName(category)}</small>
        </span>
        <span class="number">{fixed(ticker?.lastPrice, Number(pricePrecision))}</span>
        <span class={`number ${toneOf(ticker?.price24hPcnt)}`}>{signedPercent(ticker?.price24hPcnt, 2)}</span>
        <span class="number soft">
          {short(ticker?.turnover24h)} {quoteCoin}
        </span>
      </button>
    </li>
  );
}
