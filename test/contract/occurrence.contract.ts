/**
 * Every word of every enumeration that can occur was seen to occur in this run, in an answer of the server. Words that
 * cannot are listed with the reason; words of parts that are being built stand in `pending.ts`.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PENDING } from './pending.ts';
import { seen } from './shape.ts';

interface Enumeration {
  readonly can: readonly string[];
  /** Words to the reason why nobody can see them. */
  readonly cannot?: Readonly<Record<string, string>>;
  /** Words to the row of `pending.ts` that they wait for. */
  readonly waits?: Readonly<Record<string, string>>;
}

const ENUMERATIONS: Readonly<Record<string, Enumeration>> = {
  '2.1 order.category': {
    can: ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'],
  },
  '2.1 order.orderType': { can: ['limit', 'market'] },
  '2.1 order.orderStatus': {
    can: ['new', 'partially_filled', 'filled', 'cancelled'],
    cannot: {
      live: 'an order is matched in the step that accepts it: by the time it can be read it rests or is closed',
    },
  },
  '2.1 order.side': { can: ['buy', 'sell'] },
  '2.1 order.timeInForce': { can: ['ioc', 'fok', 'gtc', 'post_only', 'rpi'] },
  '2.1 order.posSide': { can: ['long', 'short'] },
  '2.1 order.holdMode': { can: ['one_way_mode', 'hedge_mode'] },
  '2.1 order.marginMode': { can: ['crossed', 'isolated'] },
  '2.1 order.stpMode': { can: ['none', 'cancel_taker', 'cancel_maker', 'cancel_both'] },
  '2.1 order.reduceOnly': { can: ['YES', 'NO'] },
  '2.1 order.execType': { can: ['normal', 'offset', 'reduce', 'liquidation', 'delivery'] },
  '2.1 order.delegateType': {
    can: [
      'normal',
      'market',
      'liquidation',
      'market_risk',
      'reduce_offset_delegate',
      'delivery_close_long',
      'delivery_close_short',
    ],
  },
  '2.2 fill.category': {
    can: ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'],
  },
  '2.2 fill.orderType': { can: ['limit', 'market'] },
  '2.2 fill.side': { can: ['buy', 'sell'] },
  '2.2 fill.tradeScope': { can: ['taker', 'maker'] },
  '2.2 fill.isRPI': { can: ['no'], waits: { yes: 'retail trades' } },
  '2.4 position.category': { can: ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] },
  '2.4 position.holdMode': { can: ['one_way_mode', 'hedge_mode'] },
  '2.4 position.posSide': { can: ['long', 'short'] },
  '2.4 position.marginMode': { can: ['crossed', 'isolated'] },
  '2.4 position.positionStatus': { can: ['normal'] },
  '2.5 ADL rank record.holdSide': { can: ['long', 'short'] },
  '2.6 instrument.category': { can: ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] },
  '2.6 instrument.status': {
    can: ['listed', 'online', 'limit_open', 'limit_close', 'offline', 'restrictedAPI'],
  },
  '2.6 instrument.symbolType': { can: ['crypto', 'metal', 'stock', 'commodity'] },
  '2.6 instrument.isRwa': { can: ['YES', 'NO'] },
  '2.6 instrument.isReality': { can: ['yes', 'no'] },
  '2.6 instrument.type': { can: ['perpetual', 'delivery'] },
  '2.6 instrument.deliveryPeriod': { can: ['this_quarter', 'next_quarter'] },
  '2.6 instrument.fundInterval': { can: ['1', '8'] },
  '2.6 instrument.areaSymbol': { can: ['YES'] },
  '2.6 instrument.isIsolatedBaseBorrowable': { can: ['YES', 'NO'] },
  '2.6 instrument.isIsolatedQuotedBorrowable': { can: ['YES', 'NO'] },
  '2.7 ticker.category': { can: ['SPOT', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] },
  '2.7 ticker.deliveryStatus': {
    can: ['delivery_config_period', 'delivery_normal', 'delivery_before', 'delivery_period'],
  },
  '2.9 public fill.side': { can: ['sell', 'buy'] },
  '2.9 public fill.isRPI': { can: ['no'], waits: { yes: 'retail trades' } },
  '2.11 account info.permType': { can: ['read-only', 'read-and-write'] },
  '2.11 account info.permissions': {
    can: ['uta_mgt', 'uta_trade', 'withdraw'],
    cannot: {
      copy_futures_position: 'copy trading is another business',
      copy_futures_order: 'copy trading is another business',
    },
  },
  '2.12 broker sub-account API key record.permType': { can: ['read_write', 'read_only'] },
  '2.12 broker sub-account API key record.permList': { can: ['uta_trade', 'uta_mgt', 'withdraw'] },
  '2.1 order.tpTriggerBy': { can: ['mark'] },
  '2.1 order.slTriggerBy': { can: ['market'] },
  '2.1 order.tpOrderType': { can: ['market'] },
  '2.1 order.slOrderType': { can: ['limit'] },
  '2.3 strategy order.category': { can: ['USDT-FUTURES'] },
  '2.3 strategy order.status': {
    can: ['pending', 'success', 'failed', 'cancelled'],
    cannot: { submitting: 'what fires is placed in the same step' },
  },
  '2.3 strategy order.posSide': { can: ['long'] },
  '2.3 strategy order.triggerType': { can: ['takeProfit', 'stopLoss'] },
  '2.3 strategy order.triggerBy': { can: ['market', 'mark'] },
  '2.3 strategy order.tpTriggerBy': { can: ['market'] },
  '2.3 strategy order.slTriggerBy': { can: ['market'] },
  '2.3 strategy order.tpOrderType': { can: ['market'] },
  '2.3 strategy order.slOrderType': { can: ['limit'] },
  '2.3 strategy order.triggerOrderType': { can: ['market'] },
  '2.12 borrow record.daily': { can: ['FLEXIBLE', 'SEVEN', 'THIRTY'] },
  '2.12 borrow record.status': {
    can: ['REPAY', 'ROLLBACK', 'FORCE'],
  },
  '2.12 pledge rate record.reviseSide': { can: ['down', 'up'] },
};

export function occurrence(): void {
  describe('interface 2: every enumerated value that can occur was seen to occur', () => {
    it('every enumeration that was seen stands in the table', () => {
      assert.deepEqual(
        [...seen.keys()].filter((where) => ENUMERATIONS[where] === undefined),
        [],
      );
    });

    for (const [where, { can, waits = {}, cannot = {} }] of Object.entries(ENUMERATIONS)) {
      it(`interface ${where}`, (test) => {
        const words = seen.get(where) ?? new Set();
        for (const word of can) assert.ok(words.has(word), `interface ${where}: ${word} was never seen`);
        for (const [word, row] of Object.entries(waits)) {
          if (PENDING[row] === undefined)
            assert.ok(words.has(word), `interface ${where}: ${word} was never seen`);
          else test.diagnostic(`pending: ${where} ${word} waits for ${row}`);
        }
        for (const word of Object.keys(cannot)) {
          assert.ok(!words.has(word), `interface ${where}: ${word} occurs after all`);
        }
      });
    }
  });
}
