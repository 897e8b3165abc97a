/** Fields of the order form, by name. */
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Choice, Select } from '../parts/choice.tsx';
import { add, amount, decimal, integer, multiply, sign } from '../wire/decimal.ts';
import { onTick, type SizeUnit } from '../wire/order-math.ts';
import { type FieldName, type LegDraft, TIMES_IN_FORCE } from '../wire/order-types.ts';
import { isFutures, tickOf } from '../wire/types.ts';
import * as draft from './draft.ts';
import { best, instrument, midPrice, ticker } from './market.ts';

/** Digits and one point; what else is typed does not appear. */
export const numeric = (text: string): string =>
  text
    .replaceAll(',', '.')
    .replace(/[^\d.]/g, '')
    .replace(/(\..*)\./g, '$1');

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly unit?: ComponentChildren;
  readonly placeholder?: string;
  readonly step?: (by: number) => void;
}

export function Field({ name, label, value, onInput, unit, placeholder, step }: FieldProps) {
  const refused = draft.refusal.value?.field === name;
  return (
    <div class={`field${refused ? ' wrong' : ''}`}>
      <label for={`field-${name}`}>{label}</label>
      <input
        id={`field-${name}`}
        inputMode="decimal"
        autocomplete="off"
        spellcheck={false}
        value={value}
        placeholder={placeholder}
        aria-invalid={refused}
        aria-describedby={refused ? 'refusal' : undefined}
        onInput={({ currentTarget }) => {
          const clean = numeric(currentTarget.value);
          if (currentTarget.value !== clean) currentTarget.value = clean;
          onInput(clean);
        }}
        onKeyDown={(event) => {
          const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
          if (by === undefined || step === undefined) return;
          event.preventDefault();
          step(event.shiftKey ? by * 10 : by);
        }}
      />
      {unit !== undefined && <span class="unit">{unit}</span>}
    </div>
  );
}

interface PriceProps {
  readonly name: FieldName;
  readonly label: string;
  readonly value: Signal<string>;
  readonly unit?: ComponentChildren;
  readonly placeholder?: string;
}

/** A price; the arrow keys change it by a tick, with Shift by ten. */
function Price({ name, label, value, unit, placeholder }: PriceProps) {
  const open = instrument.value!;
  return (
    <Field
      name={name}
      label={label}
      value={value.value}
      unit={unit ?? open.quoteCoin}
      {...(placeholder !== undefined && { placeholder })}
      onInput={(text) => {
        value.value = text;
      }}
      step={(by) => {
        const next = add(
          decimal(value.value) ?? amount(midPrice()),
          multiply(amount(tickOf(open)), integer(by)),
        );
        if (sign(next) > 0) value.value = onTick(next, open);
      }}
    />
  );
}

function LimitPrice() {
  const take = (text: string) => {
    if (text !== '') draft.price.value = text;
  };
  return (
    <div class="price-row">
      <Price name="price" label="Price" value={draft.price} />
      <fieldset class="quick" aria-label="Take a price">
        <button type="button" onClick={() => take(best.value.bid)}>
          Bid
        </button>
        <button type="button" onClick={() => take(midPrice())}>
          Mid
        </button>
        <button type="button" onClick={() => take(best.value.ask)}>
          Ask
        </button>
      </fieldset>
    </div>
  );
}

function By({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: 'market' | 'mark';
  readonly onChange: (by: 'market' | 'mark') => void;
}) {
  return (
    <Select
      label={label}
      options={[
        ['market', 'Last'],
        ['mark', 'Mark'],
      ]}
      value={value}
      onChange={onChange}
    />
  );
}

function TriggerPrice() {
  const futures = isFutures(instrument.value!.category);
  const by = (
    <By
      label="Which price triggers"
      value={draft.triggerBy.value}
      onChange={(chosen) => {
        draft.triggerBy.value = chosen;
      }}
    />
  );
  return (
    <Price name="triggerPrice" label="Trigger" value={draft.triggerPrice} {...(futures && { unit: by })} />
  );
}

function Size() {
  const open = instrument.value!;
  const options: readonly (readonly [SizeUnit, string])[] = [
    ['base', open.baseCoin],
    ['quote', open.quoteCoin],
    ['lots', 'Lots'],
  ];
  return (
    <>
      <Field
        name="size"
        label="Size"
        value={draft.size.value}
        placeholder={`at least ${open.minOrderQty}`}
        onInput={(text) => {
          draft.size.value = text;
        }}
        unit={
          <Select
            label="Unit of the size"
            options={options}
            value={draft.unit.value}
            onChange={(chosen) => {
              draft.unit.value = chosen;
              draft.size.value = '';
            }}
          />
        }
      />
      <fieldset class="shares" aria-label="Share of the most that is possible">
        {[25, 50, 75, 100].map((percent) => (
          <button key={percent} type="button" onClick={() => draft.takeShare(percent)}>
            {percent} %
          </button>
        ))}
      </fieldset>
    </>
  );
}

function Leg({
  name,
  label,
  leg,
}: {
  readonly name: 'takeProfit' | 'stopLoss';
  readonly label: string;
  readonly leg: Signal<LegDraft>;
}) {
  const change = (part: Partial<LegDraft>) => {
    leg.value = { ...leg.value, ...part };
  };
  const { price, by, limit } = leg.value;
  return (
    <div class="leg">
      <Field
        name={name}
        label={label}
        value={price}
        placeholder="none"
        onInput={(text) => change({ price: text })}
        unit={<By label={`${label} by`} value={by} onChange={(chosen) => change({ by: chosen })} />}
      />
      <Field
        name={`${name}-limit`}
        label="Limit"
        value={limit}
        placeholder="market"
        onInput={(text) => change({ limit: text })}
      />
    </div>
  );
}

function Check({
  label,
  value,
  name,
}: {
  readonly label: string;
  readonly value: Signal<boolean>;
  readonly name: string;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        id={`field-${name}`}
        checked={value.value}
        onChange={({ currentTarget }) => {
          value.value = currentTarget.checked;
        }}
      />
      {label}
    </label>
  );
}

const legs = () => (
  <>
    <Leg name="takeProfit" label="TP" leg={draft.takeProfit} />
    <Leg name="stopLoss" label="SL" leg={draft.stopLoss} />
  </>
);

const FIELDS: Readonly<Record<FieldName, () => ComponentChildren>> = {
  price: () => <LimitPrice />,
  size: () => <Size />,
  triggerPrice: () => <TriggerPrice />,
  callbackRatio: () => (
    <Field
      name="callbackRatio"
      label="Callback"
      value={draft.callbackRatio.value}
      unit="%"
      placeholder="0.1 to 10"
      onInput={(text) => {
        draft.callbackRatio.value = text;
      }}
    />
  ),
  activationPrice: () => (
    <Price
      name="activationPrice"
      label="Active from"
      value={draft.activationPrice}
      placeholder={ticker.value === undefined ? '' : 'at once'}
    />
  ),
  sends: () => (
    <div class="row">
      <span class="row-name">Then send</span>
      <Choice
        label="Order that is sent at the trigger"
        options={[
          ['market', 'Market'],
          ['limit', 'Limit'],
        ]}
        value={draft.sends.value}
        onChange={(chosen) => {
          draft.sends.value = chosen;
        }}
      />
    </div>
  ),
  scope: () => (
    <div class="row">
      <span class="row-name">Protects</span>
      <Choice
        label="How much of the position"
        options={[
          ['full', 'Whole position'],
          ['partial', 'A part'],
        ]}
        value={draft.scope.value}
        onChange={(chosen) => {
          draft.scope.value = chosen;
        }}
      />
    </div>
  ),
  takeProfit: () => <Leg name="takeProfit" label="TP" leg={draft.takeProfit} />,
  stopLoss: () => <Leg name="stopLoss" label="SL" leg={draft.stopLoss} />,
  attached: () => (
    <>
      <Check name="attached" label="TP/SL" value={draft.attached} />
      {draft.attached.value && legs()}
    </>
  ),
  timeInForce: () => (
    <div class="row inline">
      <label for="field-timeInForce">TIF</label>
      <Select
        id="field-timeInForce"
        label="Time in force"
        options={TIMES_IN_FORCE}
        value={draft.timeInForce.value}
        onChange={(chosen) => {
          draft.timeInForce.value = chosen;
        }}
      />
    </div>
  ),
  reduceOnly: () => <Check name="reduceOnly" label="Reduce-only" value={draft.reduceOnly} />,
};

export function FieldOf({ name }: { readonly name: FieldName }) {
  return <div class={`slot ${name}`}>{FIELDS[name]()}</div>;
}
