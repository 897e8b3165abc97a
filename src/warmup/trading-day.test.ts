import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../core/engine/exchange.ts';
import { checkInvariants } from '../core/engine/invariants.ts';
import type { CommandResult } from '../core/model/command-result.ts';
import { OrderKind } from '../core/model/enums.ts';
import { tradingDay } from './trading-day.ts';
import { warmUp } from './warmup.ts';

const TRADERS = 40;

/** What happened, by kind, and the most fills of one command. */
function live(traders: number) {
  const exchange = new Exchange();
  const day = tradingDay(exchange, traders);
  const seen = new Map<string, number>();
  let mostFills = 0;
  let result: CommandResult | undefined;
  for (let step = day.next(result!); step.done !== true; step = day.next(result)) {
    result = exchange.apply(step.value);
    assert.equal(result.rejectReason, 0, `${step.value.type} is accepted`);
    const events = exchange.takeEvents();
    for (const event of events) {
      const names = [event.type, ...(event.type === 'fill' ? [`fill ${event.fill.futures?.kind}`] : [])];
      for (const name of names) seen.set(name, (seen.get(name) ?? 0) + 1);
    }
    mostFills = Math.max(mostFills, events.filter(({ type }) => type === 'trade').length);
    if (step.value.type === 'tick') checkInvariants(exchange.state);
  }
  return { seen, mostFills, exchange };
}

test('a day has all of the rare work in it, and every command of it is accepted', () => {
  const { seen, mostFills, exchange } = live(TRADERS);
  assert.ok(mostFills >= TRADERS, `${mostFills} fills of one order`);
  for (const kind of ['liquidation', 'adl', 'delivery', 'delisting'] as const)
    assert.ok(seen.get(`fill ${OrderKind[kind]}`)! > 0, `somebody has a fill of the kind ${kind}`);
  for (const type of ['strategyOrder', 'loanNotice', 'loanReduced', 'conversion', 'fundingSettled'])
    assert.ok(seen.get(type)! > 0, `something of the kind ${type} happens`);
  assert.equal(exchange.hasOpenWork, false);
});

test('the smallest day works as well', () => {
  assert.ok(live(8).seen.get(`fill ${OrderKind.adl}`)! > 0);
});

test('a warm-up lets other work pass again and again, and ends when it may not go on', async () => {
  let rests = 0;
  const ended = new Error('ended');
  const rest = () => (++rests === 20 ? Promise.reject(ended) : Promise.resolve());
  await assert.rejects(warmUp(rest), ended);
  assert.equal(rests, 20);
});
