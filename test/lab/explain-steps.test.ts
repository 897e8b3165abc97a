/**
 * Every kind of step of a liquidation is met and says its rule, its values, its bound and what would be right; every rule of an
 * edition is a step of one or is said to be none; nothing that happens to an account in its liquidation is left out.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { Trace } from '../../src/core/explain/trace.ts';
import type { Command } from '../../src/core/model/command.ts';
import { type EditionRule, NEWEST_EDITION, rulesOf } from '../../src/core/model/edition.ts';
import { HoldMode, OrderKind, PosSide, Side } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import { liquidationMoments } from '../../src/lab/explain/liquidation.ts';
import { momentOf } from '../../src/lab/explain/moments.ts';
import { isPartOfAStep, STEP_KINDS, type StepKind, stepOf } from '../../src/lab/explain/steps.ts';
import { LoanFloor } from '../core/loan/loan-floor.ts';
import { protect } from '../core/strategy/strategy-tickets.ts';
import { FLOWS } from '../property/flows.ts';
import { lossOwed } from './explain-loss.ts';
import { MAKER, PAIR, Scene, USDT } from './explain-scene.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

/** Which steps the rules of the editions after the first have brought; none for what is no step of a liquidation. */
const STEPS_OF_RULES: Readonly<Record<EditionRule, readonly StepKind[]>> = {
  restingRisk: [],
  clearingShortfall: [],
  stablecoinPrices: [],
  backedBooks: [],
  custodyLimits: [],
  livePrices: [],
  fundReach: ['fundPays', 'lendingFundPays', 'lossOwed', 'debtLeft', 'deleveragedAgainst'],
  fundingLimits: [],
  partyLimits: [],
  feeFloors: [],
  silentIndex: [],
  forcedRest: [],
  portions: [],
  adlBearing: ['deleveraged'],
  otherWallets: [],
  forcedMargin: ['positionClosed'],
  forcedTransfer: ['walletPays'],
  pledgeMargin: ['positionClosed'],
  orderMargin: ['orderCancelled'],
  pledgePayment: ['pledgeReleased', 'loanClosed'],
  endMeans: [],
  marginRounding: ['marginAdded'],
  awaitedMargin: ['deleveraged'],
  // When an account is tested, not what is done to it.
  riskPortions: [],
  smallerPortions: [],
  liquidationQueue: [],
  settledWhenAsked: [],
  fewerMatches: [],
  cancelPortions: [],
  leastTick: [],
};

test('every rule of the editions is known here', () => {
  assert.deepEqual(Object.keys(STEPS_OF_RULES).sort(), Object.keys(rulesOf(NEWEST_EDITION)).sort());
});

const met = new Map<StepKind, number>();
const note = (kind: StepKind) => met.set(kind, (met.get(kind) ?? 0) + 1);

const EVERYONE = () => true;

/** Whose the event is; undefined for what is public or of the exchange. */
function ownerOf(event: Event): number | undefined {
  if ('order' in event) return event.order.uid;
  if ('fill' in event) return event.fill.uid;
  if (event.type === 'transfer') return event.fromUid;
  return 'uid' in event ? event.uid : undefined;
}

/** Events that tell what a step leaves: the records of forced orders, of ended positions and loans, and the lines of money. */
function isBeside(event: Event): boolean {
  if (event.type === 'ledgerLine') return isPartOfAStep(event.kind) || event.kind === 'marginAdded';
  if (event.type === 'order') return (event.order.futures?.kind ?? OrderKind.user) !== OrderKind.user;
  return ['loan', 'loanNotice', 'positionClosed', 'riskWarning', 'strategyOrder'].includes(event.type);
}

/** Of one command: all moments of all liquidated accounts, and of those who were deleveraged. */
function look(trace: Trace, events: readonly Event[], where: string): void {
  const { state } = trace as unknown as { state: Exchange['state'] };
  const words = (moment: ReturnType<typeof momentOf>) => {
    const { rule, bound, rightWouldBe, facts, what } = moment!;
    const text = `${where}: ${what} ${JSON.stringify(moment)}`;
    assert.match(rule!, /^rules \d+\.\d+(?: number \d+)?$/, text);
    for (const said of [bound!, rightWouldBe!]) {
      assert.ok(said.length > 3, text);
      assert.doesNotMatch(said, /undefined|NaN|\[object| {2}/, text);
    }
    assert.ok(Object.keys(facts).length > 0, text);
    for (const value of Object.values(facts)) assert.doesNotMatch(String(value), /undefined|NaN|^$/, text);
  };
  const liquidated = new Set(trace.liquidations.map(({ uid }) => uid));
  for (const uid of liquidated) {
    const moments = liquidationMoments(state, trace, events, uid, 1, EVERYONE);
    for (const moment of moments) if (moment.rule !== undefined) words(moment);
    const told = moments.map(({ what }) => what);
    if (told.includes('liquidation of the account begins')) note('accountBegins');
    if (told.some((what) => what.startsWith('liquidation of the isolated'))) note('positionBegins');
    if (told.includes('deleveraged against')) note('deleveragedAgainst');
    if (told.includes('a debt is left')) note('debtLeft');
    if (told.includes('margin added to the isolated position')) note('marginAdded');
    if (told.includes('a loss that nobody pays is owed')) note('lossOwed');
    const { at } = trace.liquidations.find((each) => each.uid === uid)!;
    for (const event of events.slice(at)) {
      if (ownerOf(event) !== uid) continue;
      const kind = stepOf(event, true, false);
      if (kind !== undefined && kind !== 'marginAdded') note(kind);
      else
        assert.ok(
          isBeside(event),
          `${where}: ${event.type} of a liquidation is not explained: ${JSON.stringify(event, (_, v) => (typeof v === 'bigint' ? String(v) : v))}`,
        );
    }
  }
  for (const event of events) {
    const uid = ownerOf(event);
    const kind = uid === undefined || liquidated.has(uid) ? undefined : stepOf(event, false, false);
    if (kind === undefined) continue;
    words(momentOf({ state, event, seq: 1 }, uid!));
    note(kind);
  }
}

/** From now on every command of the floor is looked at. */
function watched(floor: LoanFloor): LoanFloor {
  const { exchange } = floor;
  const apply = exchange.apply.bind(exchange);
  exchange.apply = (command, seq) => {
    if (exchange.state.tracer !== undefined) return apply(command, seq);
    const trace = new Trace(exchange.state);
    const result = exchange.applyTraced(command, seq ?? 1, trace);
    look(trace, [...exchange.state.events], command.type);
    return result;
  };
  floor.send({ type: 'setEdition', time: floor.now, edition: NEWEST_EDITION });
  return floor;
}

/** A long of 1 from 60 000 with what stands beside it, and a price that falls through all of it. */
function crash(first: (floor: LoanFloor) => void, mark = '50000'): void {
  const floor = watched(new LoanFloor());
  for (const name of ['bob', 'cat']) floor.trader(name, { USDT: '100000' });
  floor.index('3000', 'ETHUSD');
  floor.trader('ann', { USDT: '2036', ETH: '5' });
  floor.leverage('ann', 100);
  first(floor);
  floor.mark(mark);
}

function pledges(): void {
  crash((floor) => {
    floor.borrow('ann', { loan: '9000 USDT', pledge: 'ETH' });
    floor.withdraw('ann', '9000', 'USDT');
    floor.fund('ann', '100', 'USDT');
    floor.deal('ann', 'bob', '1', '60000');
    protect(floor, 'ann', { stopLoss: '40000' });
    floor.buy('ann', '0.01', '40000');
  });
  const floor = watched(new LoanFloor());
  floor.trader('ann', { ETH: '5' });
  floor.index('3000', 'ETHUSD');
  floor.borrow('ann', { loan: '9000 USDT', pledge: 'ETH' });
  floor.index('2168', 'ETHUSD');
}

function isolated(): void {
  crash((floor) => {
    floor.isolate('ann');
    floor.deal('ann', 'bob', '1', '60000');
    const { uid, instrument } = { uid: floor.uid('ann'), instrument: floor.instrument().index };
    floor.send({
      type: 'setAutoMargin',
      time: floor.now,
      uid,
      instrument,
      posSide: PosSide.none,
      room: 10n ** 11n,
    });
    floor.mark('59650');
  });
}

/** A position far above the second tier, and a pair of which both sides lose. */
function large(): void {
  crash((floor) => {
    floor.deposit('ann', '30000', 'USDT');
    for (const name of ['bob', 'cat']) floor.deposit(name, '10000000', 'USDT');
    floor.leverage('ann', 50);
    floor.deal('ann', 'bob', '20', '60000');
    floor.buy('cat', '100', '57850');
  }, '57900');
  crash((floor) => {
    floor.send({ type: 'setHoldMode', time: floor.now, uid: floor.uid('ann'), holdMode: HoldMode.hedge });
    floor.sell('bob', '1', '60000');
    floor.buy('ann', '1', '60000', { posSide: 'long' });
    floor.buy('bob', '0.4', '60000');
    floor.sell('ann', '0.4', '60000', { posSide: 'short' });
  }, '30000');
}

/** BTC that were bought with borrowed USDT lose more than their owner has. */
function lent(): void {
  const scene = new Scene({ 1: { [USDT]: 2n * 10n ** 12n } });
  scene.price(60_000);
  scene.send({ ...scene.limit(MAKER, Side.sell, 6_000_000, 900_000, PAIR - 1) });
  scene.send(scene.limit(1, Side.buy, 6_000_000, 900_000, PAIR));
  scene.price(60_000);
  scene.price(33_000);
  again(scene);
}

function again({ log }: Scene): void {
  const exchange = new Exchange();
  for (const { command } of log) {
    const trace = new Trace(exchange.state);
    exchange.applyTraced(command, 1, trace);
    look(trace, exchange.takeEvents(), command.type);
  }
}

/** Neither the other side nor the fund can bear what is left of an isolated position. */
function loss(): void {
  again(lossOwed(1_000n));
}

/** Random trading with funds that have some money. */
function randomTrading(): void {
  for (const { setUp, flowOf } of Object.values(FLOWS))
    for (const seed of [1, 2]) {
      const [plain, copy] = [new Exchange(), new Exchange()];
      const flow = flowOf(seed, plain.state);
      const { time } = setUp.at(-1)!;
      const funds = [0, 1, 2].flatMap((coin) =>
        [false, true].map((lending): Command => {
          const reference = `${coin} ${lending}`;
          return { type: 'fundInsurance', time, coin, lending, amount: 10n ** 12n, reference };
        }),
      );
      const begin: Command[] = [...setUp, { type: 'setEdition', time, edition: NEWEST_EDITION }, ...funds];
      for (let n = 0; n < begin.length + COMMANDS; n++) {
        const command = begin[n] ?? flow.next();
        plain.apply(command);
        const forced = plain.takeEvents().some((event) => stepOf(event, false, false) !== undefined);
        const trace = new Trace(copy.state);
        if (forced) copy.applyTraced(command, n + 1, trace);
        else copy.apply(command);
        look(trace, copy.takeEvents(), `${command.type} ${n}`);
      }
    }
}
const COMMANDS = 400;

test('every kind of step is met and explained', () => {
  for (const scene of [pledges, isolated, large, lent, loss, randomTrading]) scene();
  const missing = STEP_KINDS.filter((kind) => !met.has(kind));
  assert.deepEqual(missing, [], JSON.stringify([...met]));
  for (const kind of Object.values(STEPS_OF_RULES).flat()) assert.ok(met.has(kind), kind);
});
