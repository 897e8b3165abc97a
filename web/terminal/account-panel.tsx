/** Worth of the account, and how far it is from liquidation. */

import { canSign } from '../parts/keyring.ts';
import { amount, compare, multiply, subtract } from '../wire/decimal.ts';
import { fixed, percent, signed, toneOf } from '../wire/format.ts';
import { account, funds } from './account.ts';
import { open } from './windows.ts';

export function AccountPanel() {
  const held = funds.value;
  if (account.value === undefined)
    return (
      <section class="panel account" aria-label="Account">
        <p class="empty">
          {canSign
            ? 'You are looking without an account.'
            : 'Read-only: open it on localhost, or put TLS in front.'}
        </p>
        {canSign && (
          <button type="button" class="primary" onClick={() => open('account')}>
            Choose an account
          </button>
        )}
      </section>
    );
  const ratio = held?.mgnRatio ?? '0';
  // Pixels of a bar.
  const filled = Math.min(
    100,
    Math.max(0, Number(fixed(multiply(amount(ratio), amount('100')), 1).replaceAll(',', ''))),
  );
  const level =
    compare(amount(ratio), amount('0.8')) >= 0
      ? 'bad'
      : compare(amount(ratio), amount('0.5')) >= 0
        ? 'warn'
        : 'good';
  const free = held === undefined ? undefined : subtract(amount(held.effEquity), amount(held.imr));
  return (
    <section class="panel account" aria-label="Account">
      <dl class="facts">
        <div>
          <dt>Equity</dt>
          <dd>{fixed(held?.totalEquity, 2)}</dd>
        </div>
        <div>
          <dt>Available</dt>
          <dd>{fixed(free, 2)}</dd>
        </div>
        <div>
          <dt>Unrealised</dt>
          <dd class={toneOf(held?.unrealisedPnL)}>{signed(held?.unrealisedPnL, 2)}</dd>
        </div>
      </dl>
      <div class="ratio">
        <span id="ratio-name">Margin ratio</span>
        {/* biome-ignore lint/a11y/useSemanticElements: browsers draw a meter of their own */}
        <div
          class={`meter ${level}`}
          role="meter"
          aria-labelledby="ratio-name"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={filled}
        >
          <span style={`width:${filled}%`} />
        </div>
        <b>{percent(ratio, 1)}</b>
        <button type="button" class="link" onClick={() => open('ratio')}>
          why
        </button>
      </div>
    </section>
  );
}
