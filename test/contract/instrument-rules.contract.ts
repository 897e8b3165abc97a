/** Interface 2.6: what an instrument names holds for its orders, at the edge and one step beyond. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Caller, type ContractVenue, catalogued, limit, type Order } from './venue.ts';

const RULED = ['USDT-FUTURES', 'RULEDUSDT'] as const;
const OPEN_ENDED = ['USDT-FUTURES', 'BIGUSDT'] as const;
const FINE = ['SPOT', 'FINEUSDT'] as const;
const RULES = {
  ...{ minOrderQty: '2', maxOrderQty: '1000', minOrderAmount: '30', maxSymbolOrderNum: '3' },
  ...{ buyLimitPriceRatio: '0.1', sellLimitPriceRatio: '0.1' },
};

/** Field, an order that just fits, one that does not, and the code of its refusal. */
type Edge = readonly [field: string, fits: Order, beyond: Order, code: string];
const market = (side: 'buy' | 'sell', qty: string, where: readonly [string, string]): Order => ({
  category: where[0],
  symbol: where[1],
  side,
  orderType: 'market',
  qty,
});
const buy = (qty: string, price: string) => limit(RULED, 'buy', qty, price);

const EDGES: readonly Edge[] = [
  ['buyLimitPriceRatio', buy('2', '16.5'), buy('2', '16.501'), '25206'],
  ['sellLimitPriceRatio', limit(RULED, 'sell', '3', '13.5'), limit(RULED, 'sell', '3', '13.499'), '25205'],
  ['minOrderQty', buy('2', '16'), buy('1', '16'), '25207'],
  ['maxOrderQty', buy('1000', '15'), buy('1001', '15'), '25208'],
  ['minOrderAmount', buy('2', '15'), buy('2', '14.999'), '25611'],
  ['pricePrecision', buy('3', '15.001'), buy('3', '15.0001'), '25244'],
  ['quantityPrecision', buy('3', '15'), buy('3.5', '15'), '25610'],
  ['maxMarketOrderQty', market('buy', '500', RULED), market('buy', '501', RULED), '25208'],
  ['quotePrecision', market('buy', '100.01', FINE), market('buy', '100.001', FINE), '25610'],
];

export function instrumentRules(venue: ContractVenue): void {
  const { operator } = venue;
  let trader: Caller;

  describe('interface 2.6: what an instrument allows', () => {
    before(async () => {
      trader = await venue.small('ruled', '20000');
      const model = catalogued('usdt-futures', 'LINKUSDT');
      const futures = { ...model.futures, maxMarketOrderQty: '500', minLeverage: '2', maxLeverage: '50' };
      const common = { ...model, status: 'online' };
      await operator.list({ ...common, ...RULES, symbol: RULED[1], futures });
      await operator.list({ ...common, symbol: OPEN_ENDED[1], maxOrderQty: '0' });
      const spot = catalogued('spot', 'LINKUSDT');
      await operator.list({ ...spot, status: 'online', symbol: FINE[1], quotePrecision: '2' });
      await venue.price('LINKUSDT', '15');
    });

    for (const [field, fits, beyond, code] of EDGES) {
      it(`interface 2.6 ${field}: at the edge an order is taken, beyond it refused`, async () => {
        const { orderId } = await trader.post('trade/place-order', fits);
        const open = (await trader.get('trade/unfilled-orders', { symbol: fits.symbol })).list;
        if (open.length > 0) await trader.post('trade/cancel-order', { orderId });
        const reply = await trader.refusedPost('trade/place-order', beyond);
        assert.equal(reply.code, code, `interface 2.6: ${field}: ${reply.text}`);
      });
    }

    it('interface 2.6 maxOrderQty: 0 means no limit', async () => {
      await trader.post('account/set-leverage', {
        category: OPEN_ENDED[0],
        symbol: OPEN_ENDED[1],
        leverage: '20',
      });
      const order = limit(OPEN_ENDED, 'buy', '20000', '13');
      const { orderId } = await trader.post('trade/place-order', order);
      await trader.post('trade/cancel-order', { orderId });
    });

    it('interface 2.6 maxSymbolOrderNum: so many open orders of a pair', async () => {
      for (let n = 0; n < 3; n++) await trader.post('trade/place-order', buy('3', '14'));
      assert.equal((await trader.refusedPost('trade/place-order', buy('3', '14'))).code, '25211');
      await venue.cleared(trader);
    });

    it('interface 2.6 maxProductOrderNum: so many open orders of the product line, whichever pairs they are of', async () => {
      const pair = ['SPOT', 'PRODUCTUSDT'] as const;
      const model = { ...catalogued('spot', 'LINKUSDT'), status: 'online' };
      await operator.list({ ...model, symbol: pair[1], maxProductOrderNum: '2' });
      for (let n = 0; n < 2; n++) await trader.post('trade/place-order', limit(FINE, 'buy', '3', '14'));
      const order = limit(pair, 'buy', '3', '14');
      assert.equal((await trader.refusedPost('trade/place-order', order)).code, '25211');
      await venue.cleared(trader);
      await trader.post('trade/place-order', order);
      await venue.cleared(trader);
    });

    it('interface 2.6 maxPositionNum: a pair that allows one position takes no second side', async () => {
      const pair = ['USDT-FUTURES', 'SINGLEUSDT'] as const;
      const model = { ...catalogued('usdt-futures', 'LINKUSDT'), status: 'online' };
      await operator.list({ ...model, symbol: pair[1], maxPositionNum: '1' });
      await venue.price('LINKUSDT', '15');
      await trader.post('account/set-hold-mode', { holdMode: 'hedge_mode' });
      await venue.trade(trader, limit(pair, 'buy', '10', '15', { posSide: 'long' }));
      const short = limit(pair, 'sell', '10', '15', { posSide: 'short' });
      assert.equal((await trader.refusedPost('trade/place-order', short)).code, '25229');
      await venue.trade(trader, limit(pair, 'sell', '10', '15', { posSide: 'long' }));
      await trader.post('account/set-hold-mode', { holdMode: 'one_way_mode' });
    });

    it('interface 2.6 maintainTime, limitOpenTime, offTime: told as configured, and kept', async () => {
      const pair = ['USDT-FUTURES', 'TIMEDUSDT'] as const;
      const [category, symbol] = pair;
      const model = { ...catalogued('usdt-futures', 'LINKUSDT'), status: 'online', symbol };
      const times = { limitOpenTime: venue.ago(-10_000), offTime: venue.ago(-20_000) };
      const maintainTime = venue.ago(-3_600_000);
      await operator.list({ ...model, maintainTime, futures: { ...model.futures, ...times } });
      await venue.price('LINKUSDT', '15');
      const record = async () => (await venue.nobody.get('market/instruments', { category, symbol }))[0];
      const { limitOpenTime, offTime, ...told } = await record();
      assert.deepEqual([told.maintainTime, limitOpenTime, offTime], [maintainTime, ...Object.values(times)]);
      const order = limit(pair, 'buy', '3', '14');
      await trader.post('trade/place-order', order);
      await venue.advance(10_000);
      assert.equal((await record()).status, 'limit_open', 'interface 2.6: limitOpenTime');
      assert.equal((await trader.refusedPost('trade/place-order', order)).code, '25105');
      await venue.advance(10_000);
      assert.equal((await record()).status, 'offline', 'interface 2.6: offTime');
      assert.equal((await trader.refusedPost('trade/place-order', order)).code, '25104');
    });

    it('interface 2.6 minLeverage, maxLeverage: bound set-leverage', async () => {
      const ask = (leverage: string) => ({ category: RULED[0], symbol: RULED[1], leverage });
      for (const leverage of ['2', '50']) await trader.post('account/set-leverage', ask(leverage));
      for (const leverage of ['1', '51']) {
        const reply = await trader.refusedPost('account/set-leverage', ask(leverage));
        assert.match(reply.msg, /leverage/, `interface 2.6: ${leverage}`);
      }
    });

    it('interface 2.6 status: who may buy and sell', async () => {
      const [category, symbol] = FINE;
      const orders: Readonly<Record<string, Order>> = {
        buy: limit(FINE, 'buy', '3', '14'),
        sell: limit(FINE, 'sell', '1', '16'),
      };
      const coins = { account: String(trader.uid), coin: 'LINK', amount: '10', reference: 'coins to sell' };
      await operator.deposit(coins);
      const rows: readonly [status: string, buys: string | undefined, sells: string | undefined][] = [
        ['online', undefined, undefined],
        ['limit_open', '25105', undefined],
        ['limit_close', undefined, '25101'],
        ['restrictedAPI', '25013', '25013'],
        ['offline', '25102', '25102'],
      ];
      for (const [status, ...codes] of rows) {
        await operator.setStatus(category, symbol, status);
        for (const [n, side] of ['buy', 'sell'].entries()) {
          const reply = await trader.client.post('/api/v3/trade/place-order', orders[side]);
          assert.equal(
            reply.code,
            codes[n] ?? '00000',
            `interface 2.6: ${side} while ${status}: ${reply.text}`,
          );
        }
        await venue.cleared(trader);
      }
    });

    it('interface 2.7 deliveryStatus: no new orders ten minutes before a delivery, nothing during it', async () => {
      for (const [symbol, code] of [
        ['BTCUSDSOON', '25103'],
        ['BTCUSDLAST', '25106'],
        ['BTCUSDDUE', '25106'],
      ] as const) {
        const order = limit(['COIN-FUTURES', symbol], 'buy', '0.01', '59000');
        const reply = await trader.refusedPost('trade/place-order', order);
        assert.equal(reply.code, code, `interface 2.7: ${symbol}: ${reply.text}`);
      }
    });
  });
}
