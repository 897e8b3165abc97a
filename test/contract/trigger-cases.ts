/**
 * One strategy order of each kind, with the price that fires it and what it leaves behind. They are written for a long
 * position; those of a short one are the same in the mirror.
 */

export interface TriggerCase {
  /** What is bought or sold before, so that there is something to guard. */
  readonly holds?: { readonly side: 'buy' | 'sell'; readonly qty: string; readonly price: string };
  /** Take-profit or stop-loss that comes with that order. */
  readonly preset?: Readonly<Record<string, string>>;
  /** The request; none when it is the preset that fires. */
  readonly plan?: Readonly<Record<string, string>>;
  /** The price that is traded. */
  readonly at: string;
  /** What it does then. */
  readonly side: 'buy' | 'sell';
  /** The delegateType of the order it makes. */
  readonly makes: string;
  readonly triggerType: string;
  readonly posSide: string;
  /** Fields of its record. */
  readonly shows: Readonly<Record<string, string>>;
}

interface Draft {
  readonly holds?: string;
  readonly preset?: Readonly<Record<string, string>>;
  readonly plan?: Readonly<Record<string, string>>;
  readonly at: string;
  readonly makes: string;
  readonly opens?: boolean;
}

const partial = (more: Record<string, string>): Record<string, string> => ({
  type: 'tpsl',
  tpslMode: 'partial',
  qty: '0.01',
  ...more,
});
const full = (more: Record<string, string>): Record<string, string> => ({
  type: 'tpsl',
  tpslMode: 'full',
  ...more,
});
const profit = (takeProfit: string, limit?: string): Record<string, string> => ({
  takeProfit,
  tpTriggerBy: 'market',
  ...(limit === undefined ? { tpOrderType: 'market' } : { tpOrderType: 'limit', tpLimitPrice: limit }),
});
const loss = (stopLoss: string, limit?: string): Record<string, string> => ({
  stopLoss,
  slTriggerBy: 'market',
  ...(limit === undefined ? { slOrderType: 'market' } : { slOrderType: 'limit', slLimitPrice: limit }),
});
const trigger = (triggerPrice: string, limit?: string): Record<string, string> => ({
  type: 'trigger',
  triggerPrice,
  triggerBy: 'market',
  qty: '0.01',
  ...(limit === undefined
    ? { triggerOrderType: 'market' }
    : { triggerOrderType: 'limit', triggerOrderPrice: limit }),
});

/** The price goes up and down between 59000 and 61000; each row begins where the last one ended. */
const PARTS: readonly Draft[] = [
  { holds: '0.1', plan: partial(profit('60300')), at: '60300', makes: 'stop_profit_market' },
  { plan: partial(profit('60400', '60400')), at: '60400', makes: 'stop_profit_limit' },
  { plan: partial(loss('59950')), at: '59950', makes: 'stop_loss_market' },
  { plan: partial(loss('59900', '59800')), at: '59900', makes: 'stop_loss_limit' },
  { plan: { type: 'trailing', qty: '0.01', callbackRatio: '1' }, at: '59200', makes: 'tracking_plan_market' },
  { plan: trigger('59100'), at: '59100', makes: 'plan_market' },
  { plan: trigger('59000', '59000'), at: '59000', makes: 'plan_limit' },
  { holds: '0.01', preset: profit('60300'), at: '60300', makes: 'strategy_preset_tpsl_market' },
  { holds: '0.01', preset: loss('59500', '59400'), at: '59500', makes: 'strategy_preset_tpsl_limit' },
];

/** Only futures have positions to guard whole, and triggers that open. */
const WHOLES: readonly Draft[] = [
  { plan: trigger('60100'), at: '60100', makes: 'plan_market', opens: true },
  { plan: full(profit('60300')), at: '60300', makes: 'position_stop_profit_market' },
  { holds: '0.01', plan: full(profit('60300', '60300')), at: '60300', makes: 'position_stop_profit_limit' },
  { holds: '0.01', plan: full(loss('59900')), at: '59900', makes: 'position_stop_loss_market' },
  { holds: '0.01', plan: full(loss('59700', '59600')), at: '59700', makes: 'position_stop_loss_limit' },
];

const HELD_AT = '60000';
const mirrored = (price: string) => String(2 * Number(HELD_AT) - Number(price));

const isPrice = (value: string) => /^[0-9]{5}$/.test(value);
const reflect = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, isPrice(value) ? mirrored(value) : value]),
  );

const triggerTypeOf = (values: Readonly<Record<string, string>>) =>
  values.takeProfit !== undefined ? 'takeProfit' : values.stopLoss !== undefined ? 'stopLoss' : '';

function firingOf(draft: Draft, category: string, short: boolean): TriggerCase {
  const seen = short ? reflect : (values: Readonly<Record<string, string>>) => values;
  const futures = category.endsWith('FUTURES');
  const side = (draft.opens === true) === short ? 'sell' : 'buy';
  const held = short ? 'short' : 'long';
  const words = draft.plan ?? draft.preset!;
  const guards = triggerTypeOf(words) !== '';
  // Plans name the side; in hedge mode also the position, in one-way mode that they only close.
  const aim = {
    side,
    ...(futures && (short || guards) && { posSide: held }),
    ...(futures && !short && !guards && draft.opens !== true && { reduceOnly: 'yes' }),
  };
  return {
    ...(draft.holds !== undefined && {
      holds: { side: short ? 'sell' : 'buy', qty: draft.holds, price: HELD_AT },
    }),
    ...(draft.preset !== undefined && { preset: seen(draft.preset) }),
    ...(draft.plan !== undefined && { plan: { ...seen(draft.plan), ...aim } }),
    at: seen({ at: draft.at }).at!,
    side,
    makes: draft.makes,
    triggerType: triggerTypeOf(words),
    posSide: futures && (short || guards) ? held : '',
    // A trailing order is listed among the trigger orders.
    shows: { ...seen(words), ...(words.type === 'trailing' && { type: 'trigger' }) },
  };
}

/** In the order in which they are to be placed and fired. */
export function triggerCases(category: string, short: boolean): TriggerCase[] {
  const drafts = category.endsWith('FUTURES') ? [...PARTS, ...WHOLES] : PARTS;
  return drafts.map((draft) => firingOf(draft, category, short));
}
