/**
 * Random strategy orders among random futures orders and jumping prices: exactly those fire that a plain model of
 * rules 3.4 says must, in its order; all invariants hold after every command; replays and restarts agree.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCommand, encodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import type { Command } from '../../src/core/model/command.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import { TriggerBook } from '../../src/core/state/trigger-book.ts';
import { Auditor } from '../core/oracle/auditor.ts';
import { SET_UP } from './futures-flow.ts';
import { NaiveTriggers } from './naive-triggers.ts';
import { Seeds } from './seeds.ts';
import { StrategyFlow } from './strategy-flow.ts';

const SEEDS = new Seeds({ all: 10 });
const COMMANDS = 600;

/** Lets the model hear every mark that waiting orders were held against, at its place among the events. */
function hearMarks(exchange: Exchange) {
  const marks: { instrument: number; ticks: number; at: number }[] = [];
  const onPrice: (this: TriggerBook, ticks: number) => void = Reflect.get(TriggerBook.prototype, 'onPrice');
  TriggerBook.prototype.onPrice = function heard(this: TriggerBook, ticks: number): void {
    const { state } = exchange;
    const market = state.markets.find(({ markTriggers }) => markTriggers === this);
    if (market !== undefined) marks.push({ instrument: market.instrument, ticks, at: state.events.length });
    onPrice.call(this, ticks);
  };
  const restore = () => {
    TriggerBook.prototype.onPrice = onPrice;
  };
  return { marks, restore };
}

function replay(exchange: Exchange, log: readonly Uint8Array[]): Uint8Array {
  for (const bytes of log) {
    exchange.apply(decodeCommand(bytes));
    exchange.takeEvents();
  }
  return saveState(exchange.state).slice();
}

test('strategy orders fire when and only when the plain model says so, in its order', () => {
  const ends = new Map<string, number>();
  for (const seed of SEEDS) {
    const exchange = new Exchange();
    const { state } = exchange;
    const log: Uint8Array[] = [];
    const auditor = new Auditor(state);
    const model = new NaiveTriggers(
      (instrument) => state.market(state.instruments[instrument]!).futures!.markTicks,
    );
    const { marks, restore } = hearMarks(exchange);
    const apply = (command: Command) => {
      const bytes = encodeCommand(command).slice();
      log.push(bytes);
      marks.length = 0;
      const outcome = exchange.apply(decodeCommand(bytes));
      const events = exchange.takeEvents();
      checkInvariants(state);
      auditor.observe(command, outcome, events);
      model.observe(events, marks, state.halted);
    };
    try {
      for (const command of SET_UP) apply(command);
      const flow = new StrategyFlow(seed, state);
      for (let n = 0; n < COMMANDS; n++) {
        const command = flow.next();
        try {
          // The clock first: what a trigger compares with is then the same before and after the command.
          apply({ type: 'tick', time: command.time });
          apply(command);
        } catch (error) {
          throw new Error(`seed ${seed}, command ${n}: ${(error as Error).message}`, { cause: error });
        }
      }
    } finally {
      restore();
    }
    for (const [end, count] of model.fired) ends.set(end, (ends.get(end) ?? 0) + count);
    const end = saveState(state).slice();
    assert.deepEqual(replay(new Exchange(), log), end, 'I40: a replay differs');
    const cut = (seed * 131) % log.length;
    const first = replay(new Exchange(), log.slice(0, cut));
    assert.deepEqual(replay(new Exchange(loadState(first)), log.slice(cut)), end, 'I40: a restart differs');
  }
  for (const end of ['success', 'failed', 'cancelled']) SEEDS.met(end, ends.get(end) ?? 0, 101);
  const waits = 'waited for the end of a halt';
  SEEDS.met(waits, ends.get(waits) ?? 0, 11);
});
