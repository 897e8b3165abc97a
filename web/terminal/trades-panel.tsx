/** The tape: trades of everybody, or the own fills of this market. */
import { useSignal } from '@preact/signals';
import { Choice } from '../parts/choice.tsx';
import { clockTime, fixed } from '../wire/format.ts';
import { fills } from './account.ts';
import { instrument, priceDigits, sizeDigits, trades } from './market.ts';

interface TapeRow {
  readonly key: string;
  readonly side: string;
  readonly price: string;
  readonly size: string;
  readonly ts: number;
}

export function TradesPanel() {
  const whose = useSignal<'all' | 'mine'>('all');
  const open = instrument.value;
  const rows: readonly TapeRow[] =
    whose.value === 'all'
      ? trades.value.map(({ i, S, p, v, T }) => ({ key: i, side: S, price: p, size: v, ts: Number(T) }))
      : fills.value
          .filter(({ category, symbol }) => category === open?.category && symbol === open?.symbol)
          .slice(0, 60)
          .map(({ execId, side, execPrice, execQty, execTime, createdTime }) => ({
            key: execId,
            side,
            price: execPrice,
            size: execQty,
            ts: Number(execTime ?? createdTime),
          }));
  const [prices, sizes] = [priceDigits.value, sizeDigits.value];
  return (
    <section class="panel tape" aria-label="Trades">
      <header class="panel-bar">
        <h2>Trades</h2>
        <Choice
          label="Whose trades"
          options={[
            ['all', 'All'],
            ['mine', 'Mine'],
          ]}
          value={whose.value}
          onChange={(chosen) => {
            whose.value = chosen;
          }}
        />
      </header>
      <section class="tape-box" tabIndex={0} aria-label="List of trades">
        <table class="ladder">
          <thead>
            <tr>
              <th scope="col">Price {open?.quoteCoin}</th>
              <th scope="col">Size {open?.baseCoin}</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, side, price, size, ts }) => (
              <tr key={key}>
                <td class={side === 'buy' ? 'up' : 'down'}>
                  <span class="sr">{side} </span>
                  {fixed(price, prices)}
                </td>
                <td>{fixed(size, sizes)}</td>
                <td>{clockTime(ts)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && (
          <p class="empty">{whose.value === 'all' ? 'No trades yet.' : 'No fills here yet.'}</p>
        )}
      </section>
    </section>
  );
}
