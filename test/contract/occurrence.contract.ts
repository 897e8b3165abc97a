/**
 * Every word of every enumeration that can occur was seen to occur in this run, in an answer of the server. The table
 * names every documented word: those that cannot occur have the reason beside them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DELEGATE_TYPES } from './objects.ts';
import { REJECTIONS, rejected } from './rejections.ts';
import { enumerations } from './shape.ts';

interface Enumeration {
  readonly can: readonly string[];
  /** Words to the reason why nobody can see them. */
  readonly cannot?: Readonly<Record<string, string>>;
}

const because = (reason: string, ...words: readonly string[]): Record<string, string> =>
  Object.fromEntries(words.map((word) => [word, reason]));

/** The order's origin, of those that this exchange has. */
const ORIGINS = [
  ...['normal', 'market', 'plan_limit', 'plan_market', 'tracking_plan_market'],
  ...['stop_profit_limit', 'stop_profit_market', 'stop_loss_limit', 'stop_loss_market'],
  ...['position_stop_profit_limit', 'position_stop_profit_market'],
  ...['position_stop_loss_limit', 'position_stop_loss_market'],
  ...['strategy_preset_tpsl_limit', 'strategy_preset_tpsl_market'],
  ...['liquidation', 'market_risk', 'reduce_offset_delegate', 'off_close'],
  ...['delivery_close_long', 'delivery_close_short'],
];
const ORIGIN_REASONS: readonly (readonly [words: RegExp, reason: string])[] = [
  [
    /^trader_|^follower_|^spot_trace_|^sigan_trace$|signal|^grant_market$/,
    'copy trading is another business',
  ],
  [/^strategy_(grid|dca|cta|portfolio|arbitrage|contract_ai|regular|unlimited)/, 'bots are another business'],
  [/^strategy_trace|^strategy_oco/, 'the venue has no such order; its kinds are the trigger and preset ones'],
  [/bbo/, 'orders at the best bid or offer are placed with a price'],
  [/chase$|^move_stop_/, 'what follows the price is a trailing order: tracking_plan_market'],
  [/^tracking_plan_limit$/, 'a trailing order executes at market'],
  [/^back_contract$/, 'a position is turned by an order of twice its size'],
  [/^modify_limit_order$/, 'a modified order keeps its origin'],
  [/^mmr_stop_loss_market$/, 'a liquidation reduces by itself: market_risk'],
  [/^liquidation_take_over_/, 'nobody takes a liquidated position over: it is sold, insured or deleveraged'],
  [
    /^strategy_(pre_)?tpsl_/,
    'the words for take-profit and stop-loss are stop_*, position_stop_* and preset',
  ],
  [/^convert_hedging$/, 'conversion at a quoted price is another business'],
];
const delegates = Object.fromEntries(
  DELEGATE_TYPES.filter((word) => !ORIGINS.includes(word)).map((word) => [
    word,
    ORIGIN_REASONS.find(([words]) => words.test(word))?.[1] ?? '',
  ]),
);

const TRADE_SIDES = {
  can: [
    ...['open', 'close'],
    ...['burst', 'reduce', 'delivery'].flatMap((word) => [`${word}_buy_single`, `${word}_sell_single`]),
    ...['buy', 'sell'].map((side) => `dte_sys_adl_${side}_in_single_side_mode`),
    ...['burst', 'reduce', 'delivery', 'offset', 'dte_sys_adl'].flatMap((word) => [
      `${word}_close_long`,
      `${word}_close_short`,
    ]),
  ],
};

const FIVE = { can: ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] };
const TRIGGERS = { can: ['market', 'mark'] };
const EXECUTIONS = { can: ['limit', 'market'] };
const SIDES = { can: ['buy', 'sell'] };
const POSITION_SIDES = { can: ['long', 'short'] };

const NO_ISOLATED_MARGIN = because('isolated spot margin is not offered (rules 6.9)', 'YES');

const ENUMERATIONS: Readonly<Record<string, Enumeration>> = {
  '2.1 order.category': FIVE,
  '2.1 order.orderType': EXECUTIONS,
  '2.1 order.orderStatus': {
    can: ['new', 'partially_filled', 'filled', 'cancelled'],
    cannot: {
      live: 'an order is matched in the step that accepts it: by the time it can be read it rests or is closed',
    },
  },
  '2.1 order.side': SIDES,
  '2.1 order.timeInForce': { can: ['ioc', 'fok', 'gtc', 'post_only', 'rpi'] },
  '2.1 order.posSide': POSITION_SIDES,
  '2.1 order.holdMode': { can: ['one_way_mode', 'hedge_mode'] },
  '2.1 order.tradeSide': TRADE_SIDES,
  '2.1 order.delegateType': { can: ORIGINS, cannot: delegates },
  '2.1 order.marginMode': { can: ['crossed', 'isolated'] },
  '2.1 order.stpMode': { can: ['none', 'cancel_taker', 'cancel_maker', 'cancel_both'] },
  '2.1 order.tpTriggerBy': TRIGGERS,
  '2.1 order.slTriggerBy': TRIGGERS,
  '2.1 order.tpOrderType': EXECUTIONS,
  '2.1 order.slOrderType': EXECUTIONS,
  '2.1 order.reduceOnly': { can: ['YES', 'NO'] },
  '2.1 order.cancelReason': {
    can: [
      ...[
        'normal_cancel',
        'ioc_not_full_cancel',
        'fok_not_full_cancel',
        'post_only_fill_cancel',
        'stp_cancel',
      ],
      ...['slippage_cancel', 'trade_count_too_small', 'trade_too_many_times_cancel', 'modify_limit_order'],
      ...['tpsl_plan_cancel', 'delegated_risk_order_cancel', 'burst_cancel', 'adl_cancel'],
      ...['delivery_order_cancel', 'cancel_receiveWindow'],
    ],
    cannot: {
      ...because('stp_cancel says it', 'self_trade_cancel'),
      ...because('an order that is too large is refused', 'trade_max_deal_size_cancel'),
      ...because('positions are not turned by an order of their own', 'back_contract_cancel'),
      ...because('copy trading is another business', 'trader_order_cancel'),
      ...because('slippage_cancel says it', 'penetrate_cancel', 'limit_price_exceed_cancel'),
      ...because('there are no auctions', 'call_auction_cancel'),
    },
  },
  '2.1 order.execType': { can: ['normal', 'offset', 'reduce', 'liquidation', 'delivery'] },
  '2.2 fill.category': FIVE,
  '2.2 fill.orderType': EXECUTIONS,
  '2.2 fill.side': SIDES,
  '2.2 fill.tradeScope': { can: ['taker', 'maker'] },
  '2.2 fill.tradeSide': TRADE_SIDES,
  '2.2 fill.isRPI': { can: ['yes', 'no'] },
  '2.2 fill.posSide': POSITION_SIDES,
  '2.3 strategy order.category': FIVE,
  '2.3 strategy order.status': {
    can: ['pending', 'success', 'failed', 'cancelled'],
    cannot: { submitting: 'what fires is placed in the same step' },
  },
  '2.3 strategy order.posSide': POSITION_SIDES,
  '2.3 strategy order.triggerType': { can: ['takeProfit', 'stopLoss'] },
  '2.3 strategy order.tpTriggerBy': TRIGGERS,
  '2.3 strategy order.slTriggerBy': TRIGGERS,
  '2.3 strategy order.tpOrderType': EXECUTIONS,
  '2.3 strategy order.slOrderType': EXECUTIONS,
  '2.3 strategy order.triggerBy': TRIGGERS,
  '2.3 strategy order.triggerOrderType': EXECUTIONS,
  '2.3 strategy order.side': SIDES,
  '2.3 strategy order.type': { can: ['tpsl', 'trigger'] },
  '2.3 strategy order.reduceOnly': { can: ['YES', 'NO'] },
  '2.3 strategy order.tpslMode': { can: ['full', 'partial'] },
  '2.4 position.category': { can: ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] },
  '2.4 position.holdMode': { can: ['one_way_mode', 'hedge_mode'] },
  '2.4 position.posSide': POSITION_SIDES,
  '2.4 position.marginMode': { can: ['crossed', 'isolated'] },
  '2.4 position.positionStatus': { can: ['normal'] },
  '2.5 ADL rank record.holdSide': POSITION_SIDES,
  '2.6 instrument.category': FIVE,
  '2.6 instrument.status': {
    can: ['listed', 'online', 'limit_open', 'limit_close', 'offline', 'restrictedAPI'],
  },
  '2.6 instrument.symbolType': { can: ['crypto', 'metal', 'stock', 'commodity'] },
  '2.6 instrument.isRwa': { can: ['YES', 'NO'] },
  '2.6 instrument.isReality': { can: ['yes', 'no'] },
  '2.6 instrument.type': { can: ['perpetual', 'delivery'] },
  '2.6 instrument.deliveryPeriod': { can: ['this_quarter', 'next_quarter'] },
  '2.6 instrument.fundInterval': { can: ['1', '2', '4', '8'] },
  '2.6 instrument.areaSymbol': { can: ['YES', 'NO'] },
  '2.6 instrument.isIsolatedBaseBorrowable': { can: ['NO'], cannot: NO_ISOLATED_MARGIN },
  '2.6 instrument.isIsolatedQuotedBorrowable': { can: ['NO'], cannot: NO_ISOLATED_MARGIN },
  '2.7 ticker.category': { can: ['SPOT', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] },
  '2.7 ticker.deliveryStatus': {
    can: ['delivery_config_period', 'delivery_normal', 'delivery_before', 'delivery_period'],
  },
  '2.9 public fill.side': { can: ['sell', 'buy'] },
  '2.9 public fill.isRPI': { can: ['yes', 'no'] },
  '2.11 account info.permType': { can: ['read-only', 'read-and-write'] },
  '2.11 account info.permissions': {
    can: ['uta_mgt', 'uta_trade', 'withdraw'],
    cannot: because('copy trading is another business', 'copy_futures_position', 'copy_futures_order'),
  },
  '2.12 borrow record.daily': { can: ['FLEXIBLE', 'SEVEN', 'THIRTY'] },
  '2.12 borrow record.status': { can: ['REPAY', 'ROLLBACK', 'FORCE'] },
  '2.12 pledge rate record.reviseSide': { can: ['down', 'up'] },
  '2.12 broker sub-account API key record.permType': { can: ['read_write', 'read_only'] },
  '2.12 broker sub-account API key record.permList': { can: ['uta_trade', 'uta_mgt', 'withdraw'] },
};

export function occurrence(): void {
  it('interface 7: every refusal that has a row occurred', () => {
    assert.deepEqual([...rejected].sort(), Object.keys(REJECTIONS).sort());
  });

  describe('interface 2: every enumerated value that can occur was seen to occur', () => {
    it('every enumeration that was seen stands in the table', () => {
      assert.deepEqual(
        [...enumerations.keys()].filter((where) => ENUMERATIONS[where] === undefined),
        [],
      );
    });

    for (const [where, { can, cannot = {} }] of Object.entries(ENUMERATIONS)) {
      it(`interface ${where}`, () => {
        const { documented, seen } = enumerations.get(where) ?? { documented: new Set(), seen: new Set() };
        assert.deepEqual(
          [...can, ...Object.keys(cannot)].sort(),
          [...documented].sort(),
          `interface ${where}`,
        );
        const missing = can.filter((word) => !seen.has(word));
        assert.deepEqual(missing, [], `interface ${where}: never seen`);
        const occurring = Object.keys(cannot).filter((word) => seen.has(word));
        assert.deepEqual(occurring, [], `interface ${where}: occurs after all`);
        const unexplained = Object.keys(cannot).filter((word) => cannot[word] === '');
        assert.deepEqual(unexplained, [], `interface ${where}: no reason is given`);
      });
    }
  });
}
