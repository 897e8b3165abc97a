/**
 * Runs the code of rare and heavy work before it is needed, so that it is compiled by then: the first second of a fall, or of
 * many triggers, takes several times as long as the next. It is run on an exchange of its own, which nobody sees and which is
 * then dropped.
 */
import { stampCommand } from '../core/codec/command-codec.ts';
import { Exchange } from '../core/engine/exchange.ts';
import type { CommandResult } from '../core/model/command-result.ts';
import { tradingDay } from './trading-day.ts';

/** Traders of each day. The first days are small, because everything takes long in them. */
const DAYS: readonly number[] = [8, 40, 400, 400, 400];
/** Of a day that keeps the code: the collector drops what has not run for a while. */
const REMINDER: readonly number[] = [40];
/** What the thread does of it at a time, or one command: the longest take ten while they are not compiled. */
const SLICE_MS = 1;

/** Lets other work pass after so many milliseconds; ends the warm-up when it rejects. */
type Rest = (taken: number) => Promise<unknown>;

/** Returns the milliseconds that it took of the thread. */
export function warmUp(rest: Rest): Promise<number> {
  return live(DAYS, rest);
}

/** Keeps what a warm-up has compiled, in a tenth of its time. */
export function keepWarm(rest: Rest): Promise<number> {
  return live(REMINDER, rest);
}

async function live(days: readonly number[], rest: Rest): Promise<number> {
  let taken = 0;
  let began = performance.now();
  for (const traders of days) {
    const exchange = new Exchange();
    const day = tradingDay(exchange, traders);
    let result: CommandResult | undefined;
    for (;;) {
      // The first `next` of a generator drops what it is given.
      const { done, value: command } = day.next(result!);
      if (done === true) break;
      // As the sequencer does it: compiled code is for objects of one form.
      result = exchange.apply(stampCommand(command, command.time).command);
      exchange.takeEvents();
      const ms = performance.now() - began;
      if (ms < SLICE_MS) continue;
      taken += ms;
      await rest(ms);
      began = performance.now();
    }
  }
  return taken + performance.now() - began;
}
