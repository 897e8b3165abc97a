/** Interface 4.4 with its objects (interface 2.4, 2.5): positions, their rank, leverage, and what the exchange does to them. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { FUTURES } from './objects.ts';
import {
  type Caller,
  COIN,
  type ContractVenue,
  catalogued,
  type Data,
  LINEAR,
  limit,
  USDC,
} from './venue.ts';

const ON = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' };
const FUNDING_MS = 8 * 3_600_000;
/** A contract that only the two of the ranking hold. */
const RANKED = ['USDT-FUTURES', 'RANKEDUSDT'] as const;
const HEDGE = { holdMode: 'hedge_mode' };

export function positions(venue: ContractVenue): void {
  const { alice, bob, maker, operator } = venue;
  const held = async (who: Caller, query: Record<string, string> = ON): Promise<Data[]> =>
    (await who.get('position/current-position', query)).list;

  describe('interface 4.4: positions and leverage', () => {
    let hedger: Caller;
    before(async () => {
      for (const who of [alice, maker]) {
        for (const category of FUTURES) await who.post('trade/cancel-symbol-order', { category });
      }
      hedger = await venue.small('hedger', '20000');
      await hedger.post('account/set-hold-mode', HEDGE);
      await venue.trade(hedger, limit(LINEAR, 'buy', '0.02', '60000', { posSide: 'long' }));
      await venue.trade(hedger, limit(LINEAR, 'sell', '0.01', '60000', { posSide: 'short' }));
    });

    it('interface 2.4, 4.4 current-position: every field, in every category', async () => {
      for (const category of FUTURES) {
        const list = await held(alice, { category });
        assert.ok(list.length > 0, category);
        assert.ok(list.every((position) => position.category === category));
      }
      for (const position of await held(hedger)) {
        const { available, frozen, total } = position;
        assert.equal(Number(total), Number(available) + Number(frozen), 'interface 2.4: total');
      }
      assert.match((await alice.refusedGet('position/current-position')).msg, /category/);
      const spot = await alice.refusedGet('position/current-position', { category: 'SPOT' });
      assert.match(spot.msg, /category/);
    });

    it('interface 4.4 current-position: symbol and posSide choose', async () => {
      assert.deepEqual(
        new Set((await held(hedger)).map(({ posSide, total }) => `${posSide} ${total}`)),
        new Set(['long 0.02', 'short 0.01']),
      );
      for (const posSide of ['long', 'short']) {
        assert.deepEqual(
          (await held(hedger, { ...ON, posSide })).map((each) => each.posSide),
          [posSide],
        );
      }
      assert.deepEqual(await held(hedger, { ...ON, symbol: 'ETHUSDT' }), []);
      const unknown = await hedger.refusedGet('position/current-position', { ...ON, symbol: 'NOPEUSDT' });
      assert.equal(unknown.code, '25100', 'interface 4.4 current-position: symbol');
      assert.match(
        (await hedger.refusedGet('position/current-position', { ...ON, posSide: 'net' })).msg,
        /posSide/,
      );
    });

    it('interface 2.4: what a crossed position is worth, to the last digit (rules 5.4)', async () => {
      const trader = await venue.small('worked', '5000');
      await trader.post('account/set-leverage', { ...ON, leverage: '10' });
      await venue.trade(trader, limit(LINEAR, 'buy', '0.1', '60000'));
      const opened = String(venue.now());
      await venue.advance(1000);
      await venue.trade(trader, limit(LINEAR, 'sell', '0.05', '60500'));
      const changed = String(venue.now());
      await venue.price('BTCUSDT', '61000');
      const [position] = await held(trader);
      const { createdTime, updatedTime, liquidationPrice, ...rest } = position;
      assert.deepEqual(rest, {
        category: 'USDT-FUTURES',
        symbol: 'BTCUSDT',
        marginCoin: 'USDT',
        holdMode: 'one_way_mode',
        posSide: 'long',
        marginMode: 'crossed',
        // 0.05 * 61000 * (1/10 + 0.0006)
        positionBalance: '306.83',
        available: '0.05',
        frozen: '0',
        total: '0.05',
        leverage: '10',
        // 0.05 * (60500 - 60000)
        curRealisedPnl: '25',
        avgPrice: '60000',
        positionStatus: 'normal',
        // 0.05 * (61000 - 60000)
        unrealisedPnl: '50',
        mmr: '0.004',
        // 50 / 306.83
        profitRate: '0.1629566861128312',
        markPrice: '61000',
        // (0.05 * 60000 + 3.6 + 1.815 - 25) / (0.05 * (1 - 0.0006))
        breakEvenPrice: '59644.1',
        totalFunding: '0',
        openFeeTotal: '-3.6',
        closeFeeTotal: '-1.815',
      });
      assert.ok(Number(liquidationPrice) <= 0, 'interface 2.4: it could lose everything and be safe');
      assert.deepEqual(
        [createdTime, updatedTime],
        [opened, changed],
        'interface 2.4: when it was opened and changed',
      );
      await trader.post('account/set-leverage', { ...ON, leverage: '20' });
      assert.equal((await held(trader))[0].leverage, '20', 'interface 4.4: set-leverage');
      await venue.price('BTCUSDT', '60000');
      await venue.trade(trader, limit(LINEAR, 'sell', '0.05', '60000'));
      assert.deepEqual(await held(trader), [], 'a closed position is not listed');
    });

    it('interface 2.4: frozen is what waits to be closed, liquidationPrice is 0 or less when there is none', async () => {
      const order = limit(LINEAR, 'sell', '0.01', '61000', { posSide: 'long' });
      const { orderId } = await hedger.post('trade/place-order', order);
      const [long] = await held(hedger, { ...ON, posSide: 'long' });
      assert.deepEqual([long.available, long.frozen, long.total], ['0.01', '0.01', '0.02']);
      const [open] = (await hedger.get('trade/unfilled-orders', ON)).list;
      assert.deepEqual([open.holdMode, open.posSide, open.reduceOnly], ['hedge_mode', 'long', 'NO']);
      await hedger.post('trade/cancel-order', { orderId });
      const [safe] = await held(alice);
      assert.ok(Number(safe.liquidationPrice) <= 0, 'a long of a rich account is never liquidated');
    });

    it('interface 2.4: an isolated position tells its own margin, profit and funding', async () => {
      const trader = await venue.small('alone', '5000');
      await trader.post('account/set-leverage', { ...ON, leverage: '10', marginMode: 'isolated' });
      await venue.trade(trader, limit(LINEAR, 'buy', '0.1', '60000', { marginMode: 'isolated' }));
      const [opened] = await held(trader);
      // A tenth of 6000.
      assert.deepEqual(
        [opened.marginMode, opened.positionBalance, opened.totalFunding],
        ['isolated', '600', '0'],
      );
      await venue.price('BTCUSDT', '60500');
      const [risen] = await held(trader);
      assert.deepEqual(
        [risen.positionBalance, risen.unrealisedPnl],
        ['600', '50'],
        'interface 2.4: unrealisedPnl',
      );
      await venue.price('BTCUSDT', '60000');
      const due = Math.ceil(venue.now() / FUNDING_MS) * FUNDING_MS;
      await venue.advance(due - venue.now(), '1h');
      const { resultList } = await venue.nobody.get('market/history-fund-rate', ON);
      const paid = Number(resultList[0].fundingRate) * 6000;
      const [funded] = await held(trader);
      assert.equal(Number(funded.totalFunding).toFixed(6), (-paid).toFixed(6), 'interface 2.4: totalFunding');
      assert.notEqual(paid, 0, 'interface 2.4: zero means no fee charged');
      await venue.trade(trader, limit(LINEAR, 'sell', '0.1', '60000', { marginMode: 'isolated' }));
    });

    it('interface 3: an order of an isolated position can be modified like any other', async (test) => {
      const trader = await venue.small('isolated', '5000');
      const order = limit(LINEAR, 'buy', '0.01', '59000', { marginMode: 'isolated' });
      const { orderId } = await trader.post('trade/place-order', order);
      test.after(() => trader.post('trade/cancel-order', { orderId }));
      const [open] = (await trader.get('trade/unfilled-orders', ON)).list;
      assert.equal(open.marginMode, 'isolated', 'interface 2.1: marginMode');
      const [result] = await trader.post('trade/batch-modify-order', [
        { orderId, price: '59100', qty: '0.02' },
      ]);
      assert.deepEqual([result.orderId, result.msg], [orderId, undefined]);
      const { price, qty, marginMode } = await trader.get('trade/order-info', { orderId });
      assert.deepEqual([price, qty, marginMode], ['59100', '0.02', 'isolated']);
    });

    it('interface 3: a closing order of hedge mode can be modified within its position', async (test) => {
      const order = limit(LINEAR, 'sell', '0.01', '61000', { posSide: 'long' });
      const { orderId } = await hedger.post('trade/place-order', order);
      test.after(() => hedger.post('trade/cancel-order', { orderId }));
      const [grown] = await hedger.post('trade/batch-modify-order', [
        { orderId, price: '61100', qty: '0.02' },
      ]);
      assert.deepEqual([grown.orderId, grown.msg], [orderId, undefined]);
      const [beyond] = await hedger.post('trade/batch-modify-order', [{ orderId, qty: '0.03' }]);
      assert.match(beyond.msg, /position/);
    });

    it('interface 2.5, 4.4 adlRank: one record per position side, closer to 1 is reduced earlier', async () => {
      const ranks = await hedger.get('position/adlRank');
      assert.deepEqual(ranks.map(({ holdSide }: Data) => holdSide).sort(), ['long', 'short']);
      assert.ok(ranks.every(({ adlRank }: Data) => Number(adlRank) >= 0 && Number(adlRank) <= 1));
      const positions = await Promise.all(FUTURES.map((category) => held(alice, { category })));
      assert.deepEqual(
        (await alice.get('position/adlRank'))
          .map(({ adlRank: _rank, ...rest }: Data) => JSON.stringify(rest))
          .sort(),
        positions
          .flat()
          .map(({ symbol, marginCoin, posSide }) => JSON.stringify({ symbol, marginCoin, holdSide: posSide }))
          .sort(),
        'interface 2.5: each position has its rank',
      );
      await operator.list({ ...catalogued('usdt-futures', 'LINKUSDT'), symbol: RANKED[1], status: 'online' });
      await venue.price('LINKUSDT', '15');
      const [early, late] = [await venue.small('earlier', '3000'), await venue.small('later', '3000')];
      const bought: [Caller, price: string][] = [
        [late, '15'],
        [early, '14.8'],
      ];
      for (const [who, price] of bought) await venue.trade(who, limit(RANKED, 'buy', '10', price));
      const queue = [await early.get('position/adlRank'), await late.get('position/adlRank')];
      assert.deepEqual(
        queue.map(([first]: Data[]) => [first.symbol, first.adlRank]),
        [
          [RANKED[1], '1'],
          [RANKED[1], '0.5'],
        ],
        'interface 2.5: the closer to 1, the sooner: of two longs the one with more profit',
      );
      for (const [who] of bought) await venue.trade(who, limit(RANKED, 'sell', '10', '15'));
      assert.deepEqual(await bob.get('position/adlRank'), []);
    });

    it('interface 4.4 set-leverage: futures need a symbol, isolated margin a side', async () => {
      for (const [category, symbol] of [LINEAR, COIN, USDC]) {
        assert.equal(await bob.post('account/set-leverage', { category, symbol, leverage: '7' }), 'success');
      }
      const ask = (more: object) => ({ ...ON, leverage: '5', ...more });
      const sided = ask({ marginMode: 'isolated', posSide: 'long' });
      assert.equal(await bob.post('account/set-leverage', sided), 'success');
      const mix = { symbol: ON.symbol, productType: ON.category, marginCoin: 'USDT' };
      const { data } = await bob.client.get('/api/v2/mix/account/account', mix);
      assert.deepEqual(
        [data.isolatedLongLever, data.isolatedShortLever],
        ['5', '7'],
        'interface 4.4 set-leverage: posSide is the side that it is for',
      );
      assert.match((await bob.refusedPost('account/set-leverage', { ...ON })).msg, /leverage/);
      assert.match((await bob.refusedPost('account/set-leverage', ask({ symbol: undefined }))).msg, /symbol/);
      assert.match(
        (await bob.refusedPost('account/set-leverage', ask({ category: 'SPOT' }))).msg,
        /category/,
      );
      assert.match(
        (await bob.refusedPost('account/set-leverage', ask({ category: undefined }))).msg,
        /category/,
      );
      assert.match((await bob.refusedPost('account/set-leverage', ask({ posSide: 'net' }))).msg, /posSide/);
      const coin = { category: COIN[0], symbol: COIN[1] };
      for (const leverage of ['1', '125']) {
        assert.equal(await bob.post('account/set-leverage', { ...coin, leverage }), 'success');
      }
      const refused: [leverage: string, code: string][] = [
        ['0', '25200'],
        ['126', '25223'],
        ['5.5', '40017'],
      ];
      for (const [leverage, code] of refused) {
        const { code: told } = await bob.refusedPost('account/set-leverage', { ...coin, leverage });
        assert.equal(told, code, `interface 2.6, 4.4 set-leverage: ${leverage}`);
      }
      const uneven = { ...coin, longLeverage: '5', shortLeverage: '6' };
      assert.equal((await bob.refusedPost('account/set-leverage', uneven)).code, '40017', 'one when crossed');
      assert.equal((await bob.refusedPost('account/set-leverage', ask({ leverage: '126' }))).code, '25223');
    });

    it('interface 4.4 set-leverage: margin trading needs a coin', async () => {
      const ask = { category: 'MARGIN', leverage: '3' };
      assert.match((await bob.refusedPost('account/set-leverage', ask)).msg, /coin/);
      assert.equal(await bob.post('account/set-leverage', { ...ask, coin: 'USDT' }), 'success');
      const none = { ...ask, coin: 'USDT', leverage: '0' };
      assert.equal((await bob.refusedPost('account/set-leverage', none)).code, '25200');
      const unknown = await bob.refusedPost('account/set-leverage', { ...ask, coin: 'NOPE' });
      assert.equal(unknown.code, '25201', 'interface 4.4 set-leverage: coin');
      const tooHigh = { ...ask, coin: 'USDT', leverage: '6' };
      assert.equal((await bob.refusedPost('account/set-leverage', tooHigh)).code, '25223');
    });

    it('interface 2.1: what is liquidated, netted and reduced says so in execType', async () => {
      const isolated = await venue.small('wiped', '1000');
      const crossed = await venue.small('netted', '700');
      await isolated.post('account/set-leverage', { ...ON, leverage: '100', marginMode: 'isolated' });
      await crossed.post('account/set-hold-mode', HEDGE);
      await crossed.post('account/set-leverage', { ...ON, leverage: '50' });
      await venue.trade(isolated, limit(LINEAR, 'buy', '0.1', '60000', { marginMode: 'isolated' }));
      await venue.trade(crossed, limit(LINEAR, 'buy', '0.4', '60000', { posSide: 'long' }));
      await venue.trade(crossed, limit(LINEAR, 'sell', '0.1', '60000', { posSide: 'short' }));
      const [before] = await held(isolated);
      assert.ok(
        Number(before.liquidationPrice) > 59000,
        'interface 2.4: an isolated long has a liquidation price',
      );
      // Nobody bids below: what the book does not take is taken from the other side.
      await venue.price('BTCUSDT', '57500');
      assert.deepEqual([...(await held(isolated)), ...(await held(crossed))], []);
      const kinds = new Set<string>();
      for (const who of [isolated, crossed, maker]) {
        const { list } = await who.get('trade/history-orders', { category: 'USDT-FUTURES' });
        for (const order of list) {
          kinds.add(order.execType);
        }
        await who.get('trade/fills', { category: 'USDT-FUTURES' });
      }
      for (const kind of ['liquidation', 'offset', 'reduce'])
        assert.ok(kinds.has(kind), `${kind} in ${[...kinds].join(' ')}`);
      await venue.price('BTCUSDT', '60000');
    });
  });
}
