/** The trading terminal: panels in a grid, which the style sheet lays out by the width of the window. */
import { Choice } from '../parts/choice.tsx';
import { Notices } from '../parts/notice-list.tsx';
import { Splitter } from '../parts/splitter.tsx';
import { AccountPanel } from './account-panel.tsx';
import { BookPanel } from './book-panel.tsx';
import { Chart } from './chart.tsx';
import { Dialogs } from './dialogs.tsx';
import * as draft from './draft.ts';
import { Lists } from './lists.tsx';
import { OrderForm } from './order-form.tsx';
import { bookWidth, interval, isPhone, isWide, secondInterval, tabsHeight } from './settings.ts';
import { AwayBanner, StatusBar } from './status-bar.tsx';
import { SymbolBar } from './symbol-bar.tsx';
import { TradesPanel } from './trades-panel.tsx';
import { publicState } from './venue.ts';
import { open, type PhonePanel, phonePanel } from './windows.ts';

export function Terminal() {
  return (
    <div class="terminal" data-away={publicState.value !== 'open'} data-phone={isPhone.value}>
      <SymbolBar />
      <AwayBanner />
      {isPhone.value ? <PhoneMain /> : <WideMain />}
      {isPhone.value ? <PhoneBar /> : <StatusBar />}
      <Dialogs />
      <Notices />
    </div>
  );
}

function WideMain() {
  const sizes = [
    tabsHeight.value > 0 && `--tabs-height:${tabsHeight.value}px`,
    bookWidth.value > 0 && `--book-width:${bookWidth.value}px`,
  ].filter(Boolean);
  return (
    <main class="workspace" style={sizes.join(';')}>
      <div class="market-area">
        <div class="charts">
          <Chart width={interval} slot={1} />
          {isWide.value && <Chart width={secondInterval} slot={2} />}
        </div>
        <Splitter label="Width of the book" vertical size={bookWidth} least={220} most={720} />
        <div class="book-area">
          <BookPanel />
          <TradesPanel />
        </div>
      </div>
      <Splitter label="Height of the lists" vertical={false} size={tabsHeight} least={120} most={700} />
      <Lists />
      <div class="form-area">
        <AccountPanel />
        <OrderForm />
      </div>
    </main>
  );
}

const PANELS: readonly (readonly [PhonePanel, string])[] = [
  ['chart', 'Chart'],
  ['book', 'Book'],
  ['trades', 'Trades'],
  ['lists', 'Positions'],
];

function PhoneMain() {
  const shown = phonePanel.value;
  return (
    <main class="phone">
      <AccountPanel />
      <Choice
        label="Panel"
        kind="tabs"
        options={PANELS}
        value={shown}
        onChange={(next) => {
          phonePanel.value = next;
        }}
      />
      <div class="phone-panel">
        {shown === 'chart' && <Chart width={interval} slot={1} />}
        {shown === 'book' && <BookPanel />}
        {shown === 'trades' && <TradesPanel />}
        {shown === 'lists' && <Lists />}
      </div>
    </main>
  );
}

function PhoneBar() {
  return (
    <nav class="phone-bar" aria-label="Trade">
      {(['buy', 'sell'] as const).map((side) => (
        <button
          key={side}
          type="button"
          class={`trade ${side}`}
          onClick={() => {
            draft.side.value = side;
            open('sheet');
          }}
        >
          <b>{side === 'buy' ? 'Buy' : 'Sell'}</b>
        </button>
      ))}
    </nav>
  );
}
