/**
 * What waiting strategy orders cost everybody else: the same flow of spot orders with a moving price, once with nobody
 * waiting and once with 100,000 trigger and trailing orders on the same market, none of which fires. Both are measured
 * by turns in one run, the fastest of each counts.
 */

import { Exchange } from '../src/core/engine/exchange.ts';
import type { Command } from '../src/core/model/command.ts';
import { OrderType, Side, Source, StpMode, StrategyKind, TimeInForce } from '../src/core/model/enums.ts';
import { STRATEGIES_PER_ACCOUNT_MAX } from '../src/core/model/limits.ts';
import { NO_LEG } from '../src/core/model/tpsl.ts';
import { account, coin, deposit, OPENING_TIME, order, spotPair } from '../test/property/venue.ts';
import { Random } from './random.ts';
import { type Benchmark, printTable, rate } from './report.ts';

const WAITING = 100_000;
const ORDERS = 30_000;
const ROUNDS = 8;
const TRADERS = 50;
const MIDDLE = 100_000;
/** The price swings so far to each side, the orders that wait begin just beyond. */
const SWING = 1_000;

export const strategy: Benchmark = {
  title: 'Strategy orders: what 100,000 that wait cost the core',
  run() {
    let alone = Number.POSITIVE_INFINITY;
    let crowded = Number.POSITIVE_INFINITY;
    let placing = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      const flow = orders(round);
      const quiet = openVenue();
      const busy = openVenue();
      const waiting = strategies();
      placing = Math.min(placing, measured(busy, waiting));
      // By turns, so that neither always comes first.
      const measures = [
        () => {
          alone = Math.min(alone, measured(quiet, flow));
        },
        () => {
          crowded = Math.min(crowded, measured(busy, flow));
        },
      ];
      for (const measure of round % 2 === 0 ? measures : measures.reverse()) measure();
      const left = busy.state.strategies.byId.size;
      if (left !== WAITING) throw new Error(`${WAITING - left} of them fired`);
    }
    console.log(
      `${ORDERS.toLocaleString('en-US')} spot orders, the price swinging ${SWING} ticks to each side; ` +
        `${(WAITING * 0.9).toLocaleString('en-US')} trigger orders and ` +
        `${(WAITING * 0.1).toLocaleString('en-US')} active trailing orders on the same market.\n`,
    );
    printTable(
      ['what', 'a second of processor time', 'to nobody waiting'],
      [
        ['orders, nobody waiting (baseline)', rate(ORDERS, alone), '100 %'],
        ['orders, 100,000 waiting', rate(ORDERS, crowded), `${((crowded / alone) * 100).toFixed(1)} %`],
        ['placing those that wait', rate(WAITING, placing), ''],
      ],
    );
  },
};

/** Seconds of processor time, which other work on the machine disturbs less than the clock. */
function measured(exchange: Exchange, commands: readonly Command[]): number {
  globalThis.gc?.();
  const before = process.cpuUsage();
  run(exchange, commands);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function run(exchange: Exchange, commands: readonly Command[]): void {
  for (const command of commands) {
    exchange.apply(command);
    exchange.takeEvents();
  }
}

function openVenue(): Exchange {
  const exchange = new Exchange();
  const accounts = TRADERS + WAITING / STRATEGIES_PER_ACCOUNT_MAX;
  const spot = { buyLimitPriceRatio: '0.9', sellLimitPriceRatio: '0.9', openingPrice: String(MIDDLE) };
  run(exchange, [coin('USDT'), coin('AAA'), spotPair('AAA', 'USDT', spot)]);
  for (let uid = 1; uid <= accounts; uid++) exchange.apply(account(uid));
  for (let uid = 1; uid <= TRADERS; uid++) {
    exchange.apply(deposit(uid, 0, 10n ** 26n));
    exchange.apply(deposit(uid, 1, 10n ** 22n));
  }
  exchange.takeEvents();
  return exchange;
}

/** The middle swings; half of the orders cross it. Old orders are cancelled as the book fills up. */
function orders(seed: number): Command[] {
  const random = new Random(seed + 1);
  const commands: Command[] = [];
  for (let n = 0; commands.length < ORDERS; n++) {
    const middle = MIDDLE + Math.round((SWING - 60) * Math.sin((n / ORDERS) * 40 * Math.PI));
    const side = random.below(2) === 0 ? Side.buy : Side.sell;
    const away = random.below(100) - 50;
    commands.push(
      order({
        time: OPENING_TIME + n,
        uid: 1 + random.below(TRADERS),
        side,
        timeInForce: random.below(4) === 0 ? TimeInForce.gtc : TimeInForce.ioc,
        priceTicks: side === Side.buy ? middle + away : middle - away,
        sizeLots: 1 + random.below(20),
      }),
    );
    if (n % 200 === 199) {
      const uid = 1 + (((n / 200) | 0) % TRADERS);
      commands.push({ type: 'cancelAll', time: OPENING_TIME + n, uid, category: 0, instrument: -1 });
    }
  }
  return commands;
}

function strategies(): Command[] {
  const random = new Random(99);
  return Array.from({ length: WAITING }, (_, n): Command => {
    const trailing = n % 10 === 0;
    const above = random.below(2) === 0;
    const distance = SWING + 1 + random.below(20_000);
    return {
      type: 'placeStrategy',
      time: OPENING_TIME,
      uid: TRADERS + 1 + Math.floor(n / STRATEGIES_PER_ACCOUNT_MAX),
      source: Source.api,
      instrument: 0,
      kind: trailing ? StrategyKind.trailing : StrategyKind.trigger,
      side: random.below(2) === 0 ? Side.buy : Side.sell,
      posSide: 0,
      reduceOnly: false,
      stpMode: StpMode.none,
      // A spot market buy spends money.
      sizeLots: 0,
      quoteAmount: 0n,
      takeProfit: NO_LEG,
      stopLoss: NO_LEG,
      trigger: trailing ? NO_LEG : { ...NO_LEG, triggerTicks: above ? MIDDLE + distance : MIDDLE - distance },
      callbackPpm: trailing ? 50_000 + 100 * random.below(500) : 0,
      clientOid: '',
    };
  }).map((command) => withSize(command));
}

function withSize(command: Command): Command {
  if (command.type !== 'placeStrategy') return command;
  const byAmount = command.side === Side.buy && command.trigger.orderType === OrderType.market;
  return byAmount ? { ...command, quoteAmount: 10n ** 10n } : { ...command, sizeLots: 1 };
}
