/** Every reason that the core refuses a command for is reached by a command, and is explained: rule, values, bound, what is right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../../src/core/engine/exchange.ts';
import type { ReasonName } from '../../../src/core/explain/rejection.ts';
import { reasonName } from '../../../src/core/explain/rejections.ts';
import { Trace } from '../../../src/core/explain/trace.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { RejectReason } from '../../../src/core/model/reject-reason.ts';
import { loadState, saveState } from '../../../src/core/snapshot/snapshot.ts';
import { FLOWS } from '../../property/flows.ts';
import { MarginFloor, SPOT, TERMS } from '../borrowing/margin-floor.ts';
import type { ExchangeFloor } from '../dsl/exchange-floor.ts';
import { inPortions } from '../fourth-edition/in-portions.ts';
import { BTC_COIN, BTC_PERPETUAL, FuturesFloor, futuresFloor } from '../futures/futures-floor.ts';
import { BTCUSDT } from '../listings.ts';
import { LoanFloor } from '../loan/loan-floor.ts';
import { ConversionFloor } from '../second-edition/conversion-floor.ts';
import { secondEdition } from '../second-edition/fund-floor.ts';
import { protect, trail, when } from '../strategy/strategy-tickets.ts';
import { openFloor, TradingFloor } from '../trading-floor.ts';
import { isTold, note, type Told, watch } from './watch.ts';

const told: Told = new Map();

function watched<Floor extends ExchangeFloor>(floor: Floor): Floor {
  watch(floor.exchange, told);
  return floor;
}

const REASONS = Object.keys(RejectReason).filter((name) => name !== 'none') as ReasonName[];
const allTold = () => REASONS.every((name) => told.has(name));

const SEED = 1;
const COMMANDS = 800;

/** Random trading until the rest of the reasons is met; only refused commands are traced, on a copy that has kept up. */
function randomTrading(): void {
  for (const { setUp, flowOf } of [FLOWS.strategies!, FLOWS.futures!]) {
    const [plain, copy] = [new Exchange(), new Exchange()];
    const flow = flowOf(SEED, plain.state);
    for (let n = 0; n < setUp.length + COMMANDS && !allTold(); n++) {
      const command: Command = setUp[n] ?? flow.next();
      const { rejectReason, items = [] } = plain.apply(command);
      plain.takeEvents();
      const reasons = [rejectReason, ...items.map((item) => item.rejectReason)];
      if (reasons.some((reason) => reason !== RejectReason.none && !isTold(told, reasonName(reason)))) {
        const trace = new Trace(copy.state);
        copy.applyTraced(command, n + 1, trace);
        note(told, command, trace);
      } else copy.apply(command);
      copy.takeEvents();
    }
  }
}

function spotOrders(): void {
  const floor = watched(openFloor('ann', 'bob'));
  floor.send({ type: 'cancelAll', time: floor.now, uid: 999, category: 0, instrument: -1 });
  floor.send({ type: 'setInstrumentStatus', time: floor.now, instrument: 99, status: 'online' });
  for (const status of ['listed', 'limit_open', 'limit_close', 'restrictedAPI'] as const) {
    floor.setStatus(status);
    floor.buy('ann', '1', '60000');
    floor.sell('ann', '1', '60000');
  }
  floor.setStatus('online');
  floor.buy('ann', '1', '0');
  floor.buy('ann', '1', '60000.001');
  floor.buy('ann', '1', '99999999999');
  floor.buy('ann', '0.0000001', '60000');
  floor.buy('ann', '0', '60000');
  floor.buy('ann', '99999999', '60000');
  floor.marketBuy('ann', '10.0000001');
  floor.buy('ann', '1', '60000', { tif: 'rpi' });
  floor.buy('ann', '1', '50000', { clientOid: 'mine' });
  floor.buy('ann', '1', '50000', { clientOid: 'mine' });
  const narrow = watched(new TradingFloor([{ ...BTCUSDT, maxSymbolOrderNum: '1' }]));
  narrow.trader('bob', { USDT: '1000' });
  for (let n = 0; n < 2; n++) narrow.buy('bob', '1', '60');
  floor.countdown('ann', 3);
  floor.buy('ann', '1', '70000');
  floor.sell('ann', '1', '50000');
  floor.buy('ann', '0.00001', '60000');
  floor.deposit('ann', '0', 'USDT');
  floor.send({
    type: 'deposit',
    time: floor.now,
    uid: floor.uid('ann'),
    coin: 99,
    amount: 1n,
    reference: 'none',
  });
}

function amends(): void {
  const floor = watched(openFloor('ann', 'bob'));
  const order = floor.buy('ann', '1', '59000');
  floor.amend('ann', order, { price: '59001', outstanding: 5 });
  floor.sendAmend('ann', [
    [order, { price: '59001' }],
    [order, { price: '59002' }],
  ]);
  floor.sell('bob', '0.5', '59000');
  floor.amend('ann', order, { qty: '0.4' });
  floor.sell('bob', '1', '60000');
  const maker = floor.buy('ann', '1', '59000', { tif: 'post_only' });
  floor.amend('ann', maker, { price: '60000' });
  floor.amend('ann', order, { qty: '1000000', autoCancel: true });
  floor.amend('ann', order, { qty: '2' });
}

function wallets(): void {
  const floor = watched(openFloor('ann', 'bob'));
  floor.transfer('ann uta', 'ann uta', '1', 'USDT');
  for (let n = 0; n < 2; n++) floor.transfer('ann uta', 'ann spot', '1', 'USDT', { clientOid: 'once' });
  floor.endWithdrawal(999);
  floor.requestWithdrawal('ann', '1', 'USDT', { fee: '1' });
  const spec = { coin: 'lower', name: 'lower', chains: [] };
  floor.send({
    type: 'openAccount',
    time: floor.now,
    uid: floor.uid('ann'),
    masterUid: 0,
    marketMaker: false,
    house: false,
  });
  floor.send({ type: 'listCoin', time: floor.now, spec });
  const lent = watched(secondEdition(new MarginFloor(TERMS)));
  lent.trader('ann', { USDT: '1000000' });
  lent.trader('bob', { USDT: '1000000' });
  lent.trader('xia', { BTC: '2' });
  lent.buy('bob', '1', '60000', SPOT);
  lent.sell('ann', '1', '60000', { category: 'MARGIN' });
  lent.withdraw('bob', '0.9', 'BTC');
  lent.withdraw('xia', '2', 'BTC');
  const owing = watched(new ConversionFloor().withDebt());
  owing.send({ type: 'writeOffDebt', time: owing.now, uid: owing.uid('ann') });
  owing.repay('bob', 'BTC', 'USDT');
  owing.wait(61_000);
  owing.repay('ann', 'BTC', 'USDT');
  const waiting = watched(new ConversionFloor().withDebt());
  waiting.send({ type: 'setEdition', time: waiting.now, edition: 6 });
  waiting.fund('ann', '1', 'USDT');
  waiting.wait(61_000);
  waiting.requestWithdrawal('ann', '1', 'USDT', { from: ['spot'] });
}

function contracts(): void {
  const unpriced = {
    ...BTC_PERPETUAL,
    symbol: 'ETHUSDT',
    baseCoin: 'ETH',
    indexComponents: [{ exchange: 'elsewhere', spotPair: 'ETH/USDT', weight: '1' }],
  };
  const single = { ...BTC_PERPETUAL, maxPositionNum: '1' };
  const floor = watched(new FuturesFloor(single, undefined, [unpriced]));
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '1000000' });
  floor.buy('ann', '1', '3000', { on: 'ETHUSDT' });
  floor.holdMode('ann', 'hedge_mode');
  floor.buy('ann', '1', '60000', { posSide: 'long' });
  floor.sell('ann', '1', '61000', { posSide: 'short' });
  const closing = watched(futuresFloor('1000000', 'ann', 'bob'));
  closing.isolate('ann');
  closing.trader('cat', { USDT: '1000' });
  closing.leverage('cat', 50);
  closing.deal('ann', 'cat', '0.5', '60000');
  closing.addMargin('ann', '-100');
  closing.buy('cat', '0.5', '63000', { reduceOnly: true });
  const only = closing.sell('ann', '0.5', '61000', { reduceOnly: true });
  closing.amend('ann', only, { price: '62000' });
  const delivery = Date.UTC(2026, 2, 27, 8);
  const futures = {
    ...BTC_COIN.futures!,
    type: 'delivery',
    fundInterval: '',
    deliveryTime: String(delivery),
    deliveryStartTime: '1767225600000',
    deliveryPeriod: 'this_quarter',
  } as const;
  const quarter = watched(
    new FuturesFloor(BTC_PERPETUAL, undefined, [{ ...BTC_COIN, symbol: 'BTCUSDH26', futures }]),
  );
  quarter.trader('ann', { BTC: '1' });
  quarter.at(delivery - 5 * 60_000);
  quarter.index('60000', 'BTCUSD');
  quarter.buy('ann', '0.1', '60000', { on: 'BTCUSDH26' });
}

function strategies(): void {
  const floor = watched(futuresFloor('1000000', 'ann', 'bob', 'eve', 'mel'));
  const legs = ['0', '70000.01', { at: '70000', limit: '0' }, { at: '70000', limit: '70000.01' }];
  for (const leg of legs) {
    floor.buy('ann', '0.1', '59000', { takeProfit: leg });
    floor.buy('ann', '0.1', '59000', { stopLoss: leg });
  }
  when(floor, 'ann', 'buy', '0.1', '0');
  when(floor, 'ann', 'buy', '0.1', '61000.01');
  trail(floor, 'ann', 'buy', '0.1', 20);
  floor.send({ type: 'cancelStrategy', time: floor.now, uid: floor.uid('ann'), orderId: 999, clientOid: '' });
  floor.deal('ann', 'bob', '1', '60000');
  for (let n = 0; n < 2; n++) protect(floor, 'ann', { takeProfit: '70000' });
  protect(floor, 'ann', { qty: '2', takeProfit: '70000' });
  floor.deal('eve', 'mel', '0.1', '61000');
  protect(floor, 'ann', { qty: '0.1', stopLoss: '60500' });
  protect(floor, 'bob', { qty: '0.1', takeProfit: '60500' });
  floor.deal('eve', 'mel', '0.1', '59000');
  protect(floor, 'ann', { qty: '0.1', takeProfit: '59500' });
  protect(floor, 'bob', { qty: '0.1', stopLoss: '59500' });
  for (let n = 0; n < 21; n++) protect(floor, 'ann', { qty: '0.01', takeProfit: '70000' });
  const spot = watched(openFloor('ann'));
  protect(spot, 'ann', { takeProfit: '70000' });
  const many = watched(inPortions(futuresFloor('1000000', 'ann', 'bob', 'eve', 'mel'), 8));
  many.deal('eve', 'mel', '0.1', '60000');
  const waiting = ['ann', 'bob', 'ann', 'bob', 'ann'].map((name) =>
    when(many, name, 'buy', '0.5', '61000', { limit: '60000' }),
  );
  many.deal('eve', 'mel', '0.1', '61000');
  const { orderId } = waiting[4]!.outcome;
  many.send({ type: 'cancelStrategy', time: many.now, uid: many.uid('ann'), orderId, clientOid: '' });
}

function moves(): void {
  const floor = watched(new FuturesFloor());
  floor.trader('bob', { USDT: '1000000' });
  floor.trader('main', { USDT: '20000' });
  floor.trader('ann', { USDT: '700' }, { master: 'main' });
  floor.trader('ben', { USDT: '20000' }, { master: 'main' });
  const small = { side: 'sell', qty: '0.01' } as const;
  floor.leverage('ann', 100);
  floor.deal('ann', 'bob', '1', '60000');
  floor.move('main', 'ann', 'ben', ...Array.from({ length: 11 }, () => small));
  for (let n = 0; n < 2; n++) floor.named('once').move('main', 'ann', 'ben', small);
  floor.mark('59660');
  floor.move('main', 'ann', 'ben', small);
  const steep = {
    ...BTC_PERPETUAL.futures!,
    tiers: [{ upTo: '50000000', maxLeverage: '125', mmr: '0.0079' }],
  };
  const family = watched(new FuturesFloor({ ...BTC_PERPETUAL, futures: steep }));
  family.trader('bob', { USDT: '1000000' });
  family.trader('main', { USDT: '20000' });
  family.trader('ann', { USDT: '7000' }, { master: 'main' });
  family.trader('ben', { USDT: '520' }, { master: 'main' });
  family.trader('joe', { USDT: '10' }, { master: 'main' });
  family.leverage('ben', 125);
  family.deal('ann', 'bob', '1', '60000');
  family.move('main', 'ann', 'ben', { side: 'sell', qty: '1' });
  family.move('main', 'ann', 'joe', { side: 'sell', qty: '1' });
  family.sell('ann', '1.9', '60000');
  family.move('main', 'ann', 'main', { side: 'sell', qty: '1' });
}

function loans(): void {
  const floor = watched(new LoanFloor());
  floor.trader('ann', { BTC: '1000', USDT: '100000' });
  floor.askFor('ann', { loan: '2000000 USDT', pledge: 'BTC' });
  floor.askFor('ann', { loan: '1 BTC', pledge: 'USDT' });
  for (let n = 0; n < 101; n++) floor.askFor('ann', { loan: '10 USDT', pledge: 'BTC' });
  const [loan] = floor.state.loans.loans.keys();
  floor.revise('ann', loan!, 'OUT', '0.0001');
  floor.revise('ann', loan!, 'IN', '1', 'ETH');
  floor.revise('ann', 999, 'IN', '1');
  floor.askFor('ann', { loan: '10 USDT', pledge: '1 BTC' });
  floor.askFor('ann', { loan: '0.5 USDT', pledge: 'BTC' });
  const dear = { initRate: '0.65', supRate: '0.75', forceRate: '0.83', minUsdt: '1000', maxUsdt: '2000' };
  const coin = floor.state.coinByName.get('BTC')!;
  floor.arrange(({ state }) => {
    state.coins[coin] = { ...state.coins[coin]!, pledge: dear };
  });
  floor.askFor('ann', { loan: '100 USDT', pledge: 'BTC' });
  floor.askFor('ann', { loan: '10000 USDT', pledge: 'BTC' });
  floor.feedLives = false;
  floor.wait(20 * 60_000);
  floor.askFor('ann', { loan: '1000 USDT', pledge: 'BTC' });
}

/** Bounds that no test can fill, and a state that no command leaves behind: arranged, and met by a command. */
function arranged(): void {
  const floor = openFloor('ann');
  const exchange = new Exchange(loadState(saveState(floor.state).slice()));
  watch(exchange, told);
  const { state } = exchange;
  const [ann] = state.accountByUid.values();
  ann!.liquidating = true;
  const order = {
    type: 'placeOrder',
    time: floor.now,
    uid: ann!.uid,
    source: 0,
    instrument: 0,
    side: 0,
    orderType: 0,
    timeInForce: 0,
    stpMode: 0,
    priceTicks: 100,
    sizeLots: 1_000_000,
    quoteAmount: 0n,
    clientOid: '',
  } as const;
  exchange.apply(order);
  ann!.liquidating = false;
  Object.defineProperty(state.withdrawals, 'size', { value: 100_000 });
  exchange.apply({
    type: 'requestWithdrawal',
    time: floor.now,
    uid: ann!.uid,
    coin: 0,
    amount: 100n,
    fee: 0n,
    fromFunding: true,
    fromUnified: true,
    address: 'a',
    chain: 'c',
    tag: '',
    clientOid: '',
  });
  Object.defineProperty(state.accountByUid, 'size', { value: 4_000_000 });
  exchange.apply({
    type: 'openAccount',
    time: floor.now,
    uid: 77,
    masterUid: 0,
    marketMaker: false,
    house: false,
  });
}

test('every reason for a refusal is met by a command and explained with rule, values, bound and what would be right', () => {
  for (const scene of [spotOrders, amends, wallets, contracts, strategies, moves, loans, arranged]) scene();
  randomTrading();
  assert.deepEqual(
    REASONS.filter((name) => !told.has(name)),
    [],
    'reasons that no command met',
  );
  for (const [reason, all] of told) {
    for (const { command, check } of all) {
      const where = `${reason} of ${command.type}: ${JSON.stringify(check)}`;
      assert.match(check.rule, /^rules \d+(?:\.\d+)?(?: number \d+)?$/, where);
      assert.equal(check.verdict, 'refused', where);
      for (const words of [check.check, check.bound, check.rightWouldBe!]) {
        assert.ok(words.length > 1, where);
        assert.doesNotMatch(words, /undefined|NaN|\[object| {2}| $/, where);
      }
      for (const value of Object.values(check.inputs))
        assert.doesNotMatch(value, /undefined|NaN|\[object|^$/, where);
      assert.ok(Object.keys(check.inputs).length > 0, where);
    }
  }
});
