/** Close, reverse or protect a position, or change its own margin. */
import { useSignal } from '@preact/signals';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { fixed } from '../wire/format.ts';
import type { Position } from '../wire/types.ts';
import { type CloseWay, changeMargin, closePosition, protectPosition } from './actions.ts';
import { numeric } from './form-fields.tsx';
import { protectionOf } from './list-positions.tsx';
import { digitsOf } from './venue.ts';
import { positionWindow } from './windows.ts';

const done = () => {
  positionWindow.value = undefined;
};

export function PositionDialog() {
  const open = positionWindow.value;
  if (open === undefined) return null;
  const { position, what } = open;
  if (what === 'close') return <CloseDialog position={position} />;
  return what === 'protect' ? <ProtectDialog position={position} /> : <MarginDialog position={position} />;
}

interface Props {
  readonly position: Position;
}

const name = ({ symbol, posSide, size }: Position) => `${posSide} ${size} ${symbol}`;

function CloseDialog({ position }: Props) {
  const percent = useSignal<'25' | '50' | '75' | '100'>('100');
  const way = useSignal<CloseWay>('market');
  const price = useSignal(
    fixed(position.markPrice, digitsOf(position.category, position.symbol).price).replaceAll(',', ''),
  );
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    await closePosition(position, Number(percent.value), way.value, price.value);
    done();
  };
  return (
    <Dialog title={`Close ${name(position)}`} onClose={done}>
      <form class="stacked" onSubmit={(event) => void send(event)}>
        <Choice
          label="How"
          options={[
            ['market', 'Market'],
            ['limit', 'Limit'],
            ['reverse', 'Reverse'],
          ]}
          value={way.value}
          onChange={(next) => {
            way.value = next;
          }}
        />
        {way.value !== 'reverse' && (
          <Choice
            label="How much"
            options={[
              ['25', '25 %'],
              ['50', '50 %'],
              ['75', '75 %'],
              ['100', '100 %'],
            ]}
            value={percent.value}
            onChange={(next) => {
              percent.value = next;
            }}
          />
        )}
        {way.value === 'limit' && (
          <label>
            Price
            <input
              inputMode="decimal"
              value={price.value}
              onInput={({ currentTarget }) => {
                price.value = numeric(currentTarget.value);
              }}
            />
          </label>
        )}
        {way.value === 'reverse' && (
          <p class="note">
            Sells twice the size at market: the position becomes the same one on the other side.
          </p>
        )}
        <button type="submit" class={`trade ${position.posSide === 'long' ? 'sell' : 'buy'}`}>
          {way.value === 'reverse' ? 'Reverse the position' : `Close ${percent.value} %`}
        </button>
      </form>
    </Dialog>
  );
}

function ProtectDialog({ position }: Props) {
  const existing = protectionOf(position);
  const takeProfit = useSignal(existing?.takeProfit ?? '');
  const stopLoss = useSignal(existing?.stopLoss ?? '');
  const digits = digitsOf(position.category, position.symbol).price;
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await protectPosition(position, existing, takeProfit.value, stopLoss.value)) done();
  };
  return (
    <Dialog title={`Protect ${name(position)}`} onClose={done}>
      <form class="stacked" onSubmit={(event) => void send(event)}>
        <p class="note">
          Entry {fixed(position.avgPrice, digits)}, mark {fixed(position.markPrice, digits)}. Each leg closes
          the whole position at market when the last price reaches it; leave one empty for none.
        </p>
        {(
          [
            ['Take-profit', takeProfit],
            ['Stop-loss', stopLoss],
          ] as const
        ).map(([label, value]) => (
          <label key={label}>
            {label}
            <input
              inputMode="decimal"
              placeholder="none"
              value={value.value}
              onInput={({ currentTarget }) => {
                value.value = numeric(currentTarget.value);
              }}
            />
          </label>
        ))}
        <button type="submit" class="primary">
          Set
        </button>
      </form>
    </Dialog>
  );
}

function MarginDialog({ position }: Props) {
  const operation = useSignal<'add' | 'remove'>('add');
  const money = useSignal('');
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await changeMargin(position, operation.value, money.value)) done();
  };
  return (
    <Dialog title={`Margin of ${name(position)}`} onClose={done}>
      <form class="stacked" onSubmit={(event) => void send(event)}>
        <p class="note">
          The position has {fixed(position.marginSize, 4)} {position.marginCoin} of its own.
        </p>
        <Choice
          label="What to do"
          options={[
            ['add', 'Add'],
            ['remove', 'Take out'],
          ]}
          value={operation.value}
          onChange={(next) => {
            operation.value = next;
          }}
        />
        <label>
          Amount in {position.marginCoin}
          <input
            inputMode="decimal"
            required
            value={money.value}
            onInput={({ currentTarget }) => {
              money.value = numeric(currentTarget.value);
            }}
          />
        </label>
        <button type="submit" class="primary">
          {operation.value === 'add' ? 'Add margin' : 'Take margin out'}
        </button>
      </form>
    </Dialog>
  );
}
