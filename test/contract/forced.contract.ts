/**
 * What the exchange does to an account (interface 2.1 `execType`, `delegateType`, `cancelReason`, `tradeSide`; interface 2.2 `tradeSide`): in
 * one-way and in hedge mode, to longs and to shorts, each with its own words in the order and in the fill.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  type Caller,
  type ContractVenue,
  catalogued,
  DAY_MS,
  type Data,
  DELIVERED,
  limit,
  PAST_MS,
} from './venue.ts';

const TIERS = ['USDT-FUTURES', 'TIERSUSDT'] as const;
const [category, symbol] = TIERS;
const ON = { category, symbol };
const INDEX = 'LINKUSDT';
const START = '15';

/** A holder of ten contracts. */
interface Holder {
  readonly hedge: boolean;
  readonly side: 'buy' | 'sell';
}
const HOLDERS: readonly Holder[] = [
  { hedge: false, side: 'buy' },
  { hedge: false, side: 'sell' },
  { hedge: true, side: 'buy' },
  { hedge: true, side: 'sell' },
];
const heldSide = ({ side }: Holder) => (side === 'buy' ? 'long' : 'short');
const closing = ({ side }: Holder) => (side === 'buy' ? 'sell' : 'buy');
const titleOf = (holder: Holder) => `${holder.hedge ? 'hedge mode' : 'one-way mode'}, ${heldSide(holder)}`;

/** A contract whose tiers are so small that they come into play. */
async function listTiers({ operator }: ContractVenue): Promise<void> {
  const model = catalogued('usdt-futures', 'LINKUSDT');
  const tiers = [
    { upTo: '300', maxLeverage: '50', mmr: '0.01' },
    { upTo: '600', maxLeverage: '40', mmr: '0.0125' },
    { upTo: '10000000', maxLeverage: '5', mmr: '0.1' },
  ];
  await operator.list({ ...model, symbol, status: 'online', futures: { ...model.futures, tiers } });
}

export function forced(venue: ContractVenue): void {
  const { maker, operator } = venue;
  const accounts = new Map<string, Caller>();

  /** The account of that name, which holds so many contracts now and nothing else. */
  async function holder(kind: Holder, qty: string, name = 'rich', usdt = '5000'): Promise<Caller> {
    const called = `${name}-${kind.hedge ? 'hedge' : 'one-way'}-${heldSide(kind)}`;
    const who = accounts.get(called) ?? (await venue.small(called, usdt));
    if (!accounts.has(called)) {
      accounts.set(called, who);
      if (kind.hedge) await who.post('account/set-hold-mode', { holdMode: 'hedge_mode' });
      await who.post('account/set-leverage', { ...ON, leverage: '5' });
    }
    await venue.trade(who, limit(TIERS, kind.side, qty, START, posSideOf(kind)));
    return who;
  }
  const posSideOf = (kind: Holder): Record<string, string> => (kind.hedge ? { posSide: heldSide(kind) } : {});

  /** The newest order of the account in full, with its fill. */
  async function lastOf(
    who: Caller,
    query: Record<string, string> = ON,
  ): Promise<{ order: Data; fill: Data }> {
    const [{ orderId }] = (await who.get('trade/history-orders', query)).list;
    const order = await who.get('trade/order-info', { orderId });
    const [fill] = (await who.get('trade/fills', { ...query, orderId })).list;
    return { order, fill };
  }

  /** What was done says so: to the closing side, with one word in one-way mode and one per side in hedge mode. */
  function tells({ order, fill }: { order: Data; fill: Data }, kind: Holder, words: Words): void {
    const { execType, delegateType } = words;
    const tradeSide = kind.hedge
      ? (words.both ?? `${words.hedge}_${heldSide(kind)}`)
      : (words.both ?? words.oneWay(closing(kind)));
    assert.deepEqual(
      [order.execType, order.delegateType, order.tradeSide, fill.tradeSide, order.side],
      [execType, delegateType, tradeSide, tradeSide, closing(kind)],
      `interface 2.1, 2.2: ${titleOf(kind)}`,
    );
  }

  interface Words {
    readonly execType: string;
    readonly delegateType: string;
    readonly hedge?: string;
    readonly oneWay: (side: string) => string;
    readonly both?: string;
  }

  describe('interface 2.1, 2.2: what is done to an account', () => {
    before(async () => {
      await listTiers(venue);
      await venue.price(INDEX, START);
      await maker.post('account/set-leverage', { ...ON, leverage: '5' });
    });

    for (const kind of HOLDERS) {
      it(`interface 2.1 execType liquidation: ${titleOf(kind)}; open orders end as burst_cancel`, async () => {
        const who = await holder(kind, '10');
        const away = kind.side === 'buy' ? '13' : '17';
        const resting = limit(TIERS, kind.side, '10', away, posSideOf(kind));
        const { orderId } = await who.post('trade/place-order', resting);
        await maker.post('trade/place-order', limit(TIERS, kind.side, '10', START));
        await operator.force(String(who.uid));
        tells(await lastOf(who), kind, {
          execType: 'liquidation',
          delegateType: 'liquidation',
          hedge: 'burst_close',
          oneWay: (side) => `burst_${side}_single`,
        });
        assert.equal((await who.get('trade/order-info', { orderId })).cancelReason, 'burst_cancel');
      });

      it(`interface 2.1 execType reduce: ${titleOf(kind)}, deleveraged; its closing order ends as adl_cancel`, async () => {
        const who = await holder(kind, '10');
        const close = kind.hedge ? posSideOf(kind) : { reduceOnly: 'yes' };
        const away = kind.side === 'buy' ? '16' : '14';
        const { orderId } = await who.post(
          'trade/place-order',
          limit(TIERS, closing(kind), '10', away, close),
        );
        await operator.force(String(who.uid), ON);
        tells(await lastOf(who), kind, {
          execType: 'reduce',
          delegateType: 'market_risk',
          hedge: 'dte_sys_adl_close',
          oneWay: (side) => `dte_sys_adl_${side}_in_single_side_mode`,
        });
        assert.equal((await who.get('trade/order-info', { orderId })).cancelReason, 'adl_cancel');
      });

      it(`interface 2.1 execType reduce: ${titleOf(kind)}, brought down by two tiers`, async () => {
        const who = await holder(kind, '100', 'poor', '310');
        const worse = kind.side === 'buy' ? '12.5' : '17.5';
        await maker.post('trade/place-order', limit(TIERS, kind.side, '200', worse));
        await venue.price(INDEX, worse);
        const [left] = (await who.get('position/current-position', ON)).list;
        assert.equal(
          Number(left.total),
          Math.floor(300 / Number(left.markPrice)),
          'what tier 1 allows is left',
        );
        tells(await lastOf(who), kind, {
          execType: 'reduce',
          delegateType: 'market_risk',
          hedge: 'reduce_close',
          oneWay: (side) => `reduce_${side}_single`,
        });
        await venue.price(INDEX, START);
        await operator.force(String(who.uid), ON);
        await venue.cleared(maker);
      });
    }

    it('interface 2.1 execType offset: the two sides of a hedged pair close against each other', async () => {
      const [long, short] = [HOLDERS[2]!, HOLDERS[3]!];
      const who = await holder(long, '10');
      await venue.trade(who, limit(TIERS, 'sell', '10', START, posSideOf(short)));
      await operator.force(String(who.uid));
      const { list } = await who.get('trade/history-orders', ON);
      for (const [n, kind] of [short, long].entries()) {
        const { orderId } = list[n];
        const order = await who.get('trade/order-info', { orderId });
        const [fill] = (await who.get('trade/fills', { orderId })).list;
        tells({ order, fill }, kind, {
          execType: 'offset',
          delegateType: 'reduce_offset_delegate',
          hedge: 'offset_close',
          oneWay: () => '',
        });
      }
    });

    it('interface 2.1 execType delivery: a delivered contract closes both sides of both modes', async () => {
      const window = { startTime: venue.ago(PAST_MS + DAY_MS), endTime: venue.ago(PAST_MS - 2 * DAY_MS) };
      const query = { category: 'COIN-FUTURES', symbol: DELIVERED, ...window };
      const kinds: [Caller, Holder][] = [
        [venue.alice, HOLDERS[0]!],
        [maker, HOLDERS[1]!],
        [venue.delivered.long, HOLDERS[2]!],
        [venue.delivered.short, HOLDERS[3]!],
      ];
      for (const [who, kind] of kinds) {
        tells(await lastOf(who, query), kind, {
          execType: 'delivery',
          delegateType: `delivery_close_${heldSide(kind)}`,
          hedge: 'delivery_close',
          oneWay: (side) => `delivery_${side}_single`,
        });
      }
      const orders: Data[] = (await venue.delivered.long.get('trade/history-orders', query)).list;
      const waited = orders.find(({ clientOid }) => clientOid === 'waits-for-delivery');
      assert.equal(waited.cancelReason, 'delivery_order_cancel');
    });

    it('interface 2.1 delegateType off_close: a contract that is switched off closes its positions and orders', async () => {
      const holders: [Caller, Holder][] = [];
      for (const kind of HOLDERS) holders.push([await holder(kind, '10'), kind]);
      const [first] = holders[0]!;
      const { orderId } = await first.post('trade/place-order', limit(TIERS, 'buy', '10', '13'));
      await operator.setStatus(category, symbol, 'offline');
      for (const [who, kind] of holders) {
        const words = { execType: 'normal', delegateType: 'off_close', both: 'close', oneWay: () => '' };
        tells(await lastOf(who), kind, words);
      }
      const { cancelReason } = await first.get('trade/order-info', { orderId });
      assert.equal(cancelReason, 'delegated_risk_order_cancel');
    });
  });
}
