/** The time of a scenario: a manual clock is moved, any other is waited for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EVERY_COMPONENT } from '../../core/model/command.ts';
import { InstrumentStatus } from '../../core/model/enums.ts';
import { MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import { ManualClock, sourceOf } from '../../sequencer/clock.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import { followedIndices } from '../../simulator/feed/price-feed.ts';
import { BY_HAND } from '../faults/exchange-faults.ts';
import type { ScenarioTarget } from './scenario-target.ts';

/** Prices by hand count for fifteen minutes (rules 13.6). */
const HELD_MS = 600_000;
const LOOK_MS = 20;

/** Moves the exchange's time to an instant, or waits for it. */
export async function reach(target: ScenarioTarget, untilMs: number): Promise<void> {
  for (let now = target.sequencer.clock.now(); now < untilMs; now = target.sequencer.clock.now()) {
    if (!(sourceOf(target.sequencer.clock) instanceof ManualClock)) {
      await sleep(LOOK_MS);
      continue;
    }
    const to = Math.min(untilMs, now + HELD_MS);
    await target.operator('POST', '/admin/clock/advance', { to: new Date(to).toISOString() });
    if (target.options.market() === undefined) await holdPrices(target.sequencer);
  }
}

/** Without a market no prices arrive: the last ones are sent again, so that they do not become stale. */
async function holdPrices(sequencer: Sequencer): Promise<void> {
  for (const [index, { components }] of sequencer.state.indices.entries()) {
    const byHand = components.find(({ byOperator, price }) => byOperator && price !== 0n);
    if (byHand !== undefined) await tell(sequencer, index, byHand.price);
  }
}

/** First prices of an exchange without a market, and contracts that waited for them. */
export async function openWithPrices(
  target: ScenarioTarget,
  prices: Readonly<Record<string, string>>,
): Promise<void> {
  const { sequencer } = target;
  const { state } = sequencer;
  for (const { index, name, price } of followedIndices(state)) {
    const given = prices[name];
    if (given === undefined && state.indices[index]!.price !== 0n) continue;
    await tell(sequencer, index, parseUnits(given ?? String(price), MONEY_SCALE) ?? 0n);
  }
  for (const { index: instrument, status, calendar } of state.instruments) {
    const waits = Number.isFinite(calendar.launchTime) && calendar.launchTime > state.now;
    if (status === InstrumentStatus.listed && !waits)
      await sequencer.submit({ type: 'setInstrumentStatus', instrument, status: 'online' });
  }
  // Marks come from prices with the next second.
  await reach(target, sequencer.clock.now() + 1000);
}

async function tell(sequencer: Sequencer, index: number, price: bigint): Promise<void> {
  const said = { index, component: EVERY_COMPONENT, price, volume: 0n, by: BY_HAND };
  const command = { type: 'componentPrice', ...said } as const;
  // A fault holds it back.
  if (sequencer.admissionFilter?.(command) !== undefined) return;
  // A log that is behind would refuse it.
  await sequencer.durable();
  await sequencer.submit(command);
}
