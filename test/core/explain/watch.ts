/** Traces every command of a venue, and keeps what was said of each reason for a refusal. */
import type { Exchange } from '../../../src/core/engine/exchange.ts';
import type { ReasonName } from '../../../src/core/explain/rejection.ts';
import type { Check } from '../../../src/core/explain/rejections.ts';
import { Trace } from '../../../src/core/explain/trace.ts';
import type { Command } from '../../../src/core/model/command.ts';

export type Told = Map<ReasonName, { readonly command: Command; readonly check: Check }[]>;

/** So many of each reason are enough. */
const ENOUGH = 5;
export const isTold = (told: Told, reason: ReasonName): boolean => (told.get(reason)?.length ?? 0) >= ENOUGH;

export function note(told: Told, command: Command, { orders, refused }: Trace): void {
  const checks = [...orders.flatMap(({ checks: all }) => all), ...refused];
  for (const check of checks) {
    if (check.reason === undefined || isTold(told, check.reason)) continue;
    told.set(check.reason, [...(told.get(check.reason) ?? []), { command, check }]);
  }
}

/** From now on every command of the exchange is traced. */
export function watch(exchange: Exchange, told: Told): void {
  const apply = exchange.apply.bind(exchange);
  exchange.apply = (command, seq) => {
    if (exchange.state.tracer !== undefined) return apply(command, seq);
    const trace = new Trace(exchange.state);
    const result = exchange.applyTraced(command, seq ?? 1, trace);
    note(told, command, trace);
    return result;
  };
}
