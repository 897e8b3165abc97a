/** Readiness checks; `/readyz` responds with 503 and names those that fail. */
import type { ReadinessCheck } from '../../api/http/health.ts';
import type { JournalCapacity } from '../../journal/command-journal.ts';
import { type Exposure, exposureWarnings } from '../../reserves/house-exposure.ts';
import { HISTORY_LAG_MAX, QUEUE_AGE_MAX_MS } from '../../sequencer/limits.ts';

/** Input of the checks. */
export interface Health {
  readonly stopping: boolean;
  readonly failure: Error | undefined;
  readonly capacity: JournalCapacity;
  readonly memoryShort: boolean;
  readonly logQueueAgeMs: number;
  readonly historyLagRows: number;
  readonly historyDamagedReads: number;
  readonly historyStarved: boolean;
  readonly historyWaitsFor: 'disk' | 'database';
  readonly loopDelayP99Ms: number;
  readonly exposure: Pick<Exposure, 'missing' | 'limits' | 'closeOnly'>;
}

/** A process whose timers are late cannot respond in time either (reliability 5.3). */
const LOOP_DELAY_P99_MAX_MS = 200;

export function readinessChecks(health: Health): readonly ReadinessCheck[] {
  const { failure, capacity, memoryShort, logQueueAgeMs, historyLagRows, loopDelayP99Ms } = health;
  return [
    check('running', !health.stopping, 'the process is stopping'),
    check('venue', failure === undefined, `the venue has stopped: ${failure?.message}`),
    check('log space', capacity === 'normal', `the disk is full or nearly so: ${capacity}`),
    check('memory', !memoryShort, 'memory is nearly full: only cancellations are taken'),
    check(
      'log queue',
      logQueueAgeMs <= QUEUE_AGE_MAX_MS,
      `the oldest command has waited ${Math.round(logQueueAgeMs)} ms for the disk`,
    ),
    check('history space', !health.historyStarved, `${waiting(health)}, only cancellations are taken`),
    check('history', historyLagRows <= HISTORY_LAG_MAX, `${historyLagRows} rows are not stored yet`),
    recordsCheck(health.historyDamagedReads),
    reservesCheck(health.exposure),
    exposureCheck(health.exposure),
    check(
      'event loop',
      loopDelayP99Ms <= LOOP_DELAY_P99_MAX_MS,
      `its delay (p99) is ${Math.round(loopDelayP99Ms)} ms`,
    ),
  ];
}

function waiting({ historyWaitsFor, historyLagRows: rows }: Health): string {
  return historyWaitsFor === 'disk'
    ? `the disk is full: ${rows} rows wait for space`
    : `the history's database is away: ${rows} rows wait for it`;
}

/** Damaged records do not affect the rest of the exchange: reported, but the process stays ready. */
function recordsCheck(damagedReads: number): ReadinessCheck {
  const name = 'records';
  if (damagedReads === 0) return { name, ok: true };
  return { name, ok: true, detail: `${damagedReads} reads came to damaged records: run "bourse verify"` };
}

/** Money that is missing is the operator's matter: reported, but the process stays ready (rules 13.5). */
function reservesCheck({ missing }: Health['exposure']): ReadinessCheck {
  const name = 'reserves';
  if (missing.length === 0) return { name, ok: true };
  const coins = missing.map(({ coin, solvency }) => `${coin} is ${solvency}`);
  return { name, ok: true, detail: `${coins.join(', ')}: run "bourse reserves audit"` };
}

/** So are limits of the house's exposure. */
function exposureCheck(exposure: Health['exposure']): ReadinessCheck {
  const name = 'exposure';
  const warnings = exposureWarnings(exposure);
  if (warnings.length === 0) return { name, ok: true };
  return { name, ok: true, detail: `${warnings.join('; ')}: run "bourse exposure"` };
}

function check(name: string, ok: boolean, detail: string): ReadinessCheck {
  return ok ? { name, ok } : { name, ok, detail };
}
