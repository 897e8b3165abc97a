/** The order form, made from the table of order types. Its buttons say what they will do. */
import { Choice } from '../parts/choice.tsx';
import { amount, trimmed } from '../wire/decimal.ts';
import { fixed } from '../wire/format.ts';
import { fieldOf, ORDER_TYPES, type OrderDraft, orderType } from '../wire/order-types.ts';
import { isFutures, type Side } from '../wire/types.ts';
import { account, client, contractSetup, isHedged, positionsHere } from './account.ts';
import { placeOrder, setHoldMode } from './actions.ts';
import * as draft from './draft.ts';
import { Estimate } from './form-estimate.tsx';
import { FieldOf } from './form-fields.tsx';
import { instrument, priceDigits } from './market.ts';
import { notify } from './notices.ts';
import { close, open, opened } from './windows.ts';

/** What an order would do, as its button and its confirmation say it. */
export function wordsOf({
  type,
  side,
  size,
  price,
  category,
  quoteAmount,
  triggerPrice,
  callbackRatio,
  sends,
}: OrderDraft): string {
  const traded = instrument.value;
  const coin = traded?.baseCoin ?? '';
  const verb = side === 'buy' ? 'Buy' : 'Sell';
  const digits = priceDigits.value;
  const much = size === '' ? coin : `${trimmed(amount(size))} ${coin}`;
  if (type === 'tpsl') return 'Set take-profit and stop-loss';
  if (type === 'limit') return `${verb} ${much} at ${fixed(price, digits)}`;
  if (type === 'trailing') return `${verb} ${much} trailing ${callbackRatio} %`;
  if (type === 'trigger')
    return `${verb} ${much} when ${fixed(triggerPrice, digits)}${sends === 'limit' ? `, limit ${fixed(price, digits)}` : ''}`;
  const spend = !isFutures(category) && side === 'buy' && quoteAmount !== '';
  return spend
    ? `Buy ${coin} for ${fixed(quoteAmount, 2)} ${traded?.quoteCoin}`
    : `${verb} ${much} at market`;
}

let sending = false;

export async function submit(side: Side): Promise<void> {
  const order = draft.draftFor(side);
  if (order === undefined || sending) return;
  if (client.value === undefined) return open('account');
  sending = true;
  draft.refusal.value = undefined;
  const words = wordsOf(order);
  const answer = await placeOrder(order, words).finally(() => {
    sending = false;
  });
  if (answer === undefined) return;
  if (answer.ok) {
    notify(
      'good',
      words,
      order.type === 'limit' || order.type === 'market' ? 'accepted' : 'waiting for its trigger',
    );
    draft.refreshRoom();
    draft.dropLegs();
    if (opened.value === 'sheet') close();
    return;
  }
  const field = fieldOf(answer.msg, orderType(order.type).fields);
  draft.refusal.value = { field, code: answer.code, msg: answer.msg };
  document.getElementById(`field-${field}`)?.focus();
}

export function OrderForm() {
  const traded = instrument.value;
  if (traded === undefined) return null;
  const futures = isFutures(traded.category);
  const row = orderType(draft.type.value);
  const types = ORDER_TYPES.filter(({ futuresOnly }) => futures || futuresOnly !== true);
  const { leverage, marginMode } = contractSetup.value;
  const shown = row.fields.filter((field) => isShown(field));
  return (
    <section class="panel order-form" aria-label="Order form">
      {futures && account.value !== undefined && (
        <div class="setup">
          <button type="button" onClick={() => open('leverage')}>
            {marginMode === 'crossed' ? 'Cross' : 'Isolated'}
          </button>
          <button type="button" onClick={() => open('leverage')}>
            {leverage}×
          </button>
          <button
            type="button"
            onClick={() => void setHoldMode(isHedged.value ? 'one_way_mode' : 'hedge_mode')}
            title="Changes only while nothing is open"
          >
            {isHedged.value ? 'Hedge' : 'One-way'}
          </button>
        </div>
      )}
      <Choice
        label="Type of order"
        kind="tabs"
        options={types.map(({ id, name }) => [id, name])}
        value={draft.type.value}
        onChange={(id) => {
          draft.type.value = id;
          draft.refusal.value = undefined;
        }}
      />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit(draft.side.value);
        }}
      >
        {shown.map((name) => (
          <FieldOf key={name} name={name} />
        ))}
        <Refusal />
        <Buttons hedged={isHedged.value} />
      </form>
      {row.id !== 'tpsl' && <Estimate />}
    </section>
  );
}

function isShown(field: string): boolean {
  if (field === 'price' && draft.type.value === 'trigger') return draft.sends.value === 'limit';
  if (field === 'size' && draft.type.value === 'tpsl') return draft.scope.value === 'partial';
  if (field === 'reduceOnly') return instrument.value !== undefined && isFutures(instrument.value.category);
  return true;
}

function Refusal() {
  const refused = draft.refusal.value;
  if (refused === undefined) return null;
  return (
    <p class="refusal" role="alert" id="refusal">
      <b>{refused.code}</b> {refused.msg}{' '}
      <button type="button" class="link" onClick={() => open('code')}>
        why
      </button>
    </p>
  );
}

function Buttons({ hedged }: { readonly hedged: boolean }) {
  if (draft.type.value === 'tpsl') {
    const held = positionsHere.value[0];
    return (
      <div class="send">
        <button
          type="submit"
          class="primary"
          disabled={held === undefined}
          onClick={() => {
            draft.side.value = held?.posSide === 'short' ? 'buy' : 'sell';
          }}
        >
          {held === undefined ? 'No position here to protect' : `Protect ${held.posSide} ${held.size}`}
        </button>
      </div>
    );
  }
  const futures = instrument.value !== undefined && isFutures(instrument.value.category);
  const missing = draft.missing.value;
  return (
    <div class="send">
      {(['buy', 'sell'] as const).map((side) => {
        const order = draft.draftFor(side);
        const direction = side === 'buy' ? 'Buy / Long' : 'Sell / Short';
        const closing = hedged && draft.reduceOnly.value;
        const plain = closing ? (side === 'buy' ? 'Close short' : 'Close long') : direction;
        return (
          <button
            key={side}
            type="button"
            class={`trade ${side}`}
            data-side={side}
            aria-keyshortcuts={side === 'buy' ? 'B' : 'S'}
            data-chosen={draft.side.value === side}
            onClick={() => {
              draft.side.value = side;
              void submit(side);
            }}
          >
            <b>{futures ? plain : side === 'buy' ? 'Buy' : 'Sell'}</b>
            <small>{missing === '' && order !== undefined ? wordsOf(order) : `enter a ${missing}`}</small>
          </button>
        );
      })}
      {/* Enter in a field sends the side that was chosen last. */}
      <button type="submit" class="sr" tabIndex={-1}>
        Send the order
      </button>
    </div>
  );
}
