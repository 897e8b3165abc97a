/** How well the page hears the exchange. */
import { grouped } from '../wire/format.ts';
import { account, privateState } from './account.ts';
import { waitsForList } from './keyboard.ts';
import { bookSeq } from './market.ts';
import {
  framesPerSecond,
  lagMs,
  lastFrameAt,
  ordersLeft,
  publicState,
  replyMs,
  second,
  session,
} from './venue.ts';

const SILENT_MS = 10_000;

export function StatusBar() {
  const silent = second.value - lastFrameAt.value > SILENT_MS;
  const open = publicState.value === 'open' && (account.value === undefined || privateState.value === 'open');
  return (
    <footer class="status">
      <span class={`lamp ${open && !silent ? 'good' : 'bad'}`}>
        <span class="dot" aria-hidden="true" />
        {open ? (silent ? 'silent' : 'live') : publicState.value}
      </span>
      {lagMs.value !== undefined && <span>ws {lagMs.value} ms</span>}
      <span>reply {replyMs.value.toFixed(0)} ms</span>
      <span>book seq {grouped(String(bookSeq.value))}</span>
      <span>{framesPerSecond.value} msg/s</span>
      {ordersLeft.value !== undefined && <span>{ordersLeft.value} more orders this second</span>}
      <span>{session.value?.version}</span>
      {session.value?.inspect === true && <a href="/inspector">inspector</a>}
      <span class="hints">
        {waitsForList.value
          ? 'Press the letter of a list'
          : 'B S side · 1–4 size · Enter send · G lists · / search · ? help'}
      </span>
    </footer>
  );
}

/** Over the panels while the exchange is away: what they show is old. */
export function AwayBanner() {
  const state = publicState.value;
  if (state === 'open' || lastFrameAt.value === 0) return null;
  const age = Math.max(0, Math.round((second.value - lastFrameAt.value) / 1000));
  return (
    <p class="away" role="status">
      {state === 'restarting'
        ? 'The exchange restarts'
        : state === 'closed'
          ? 'Paused while hidden'
          : 'Connecting to the exchange'}
      <span> · data is {age} s old</span>
    </p>
  );
}
