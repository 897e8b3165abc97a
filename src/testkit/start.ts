import { resolve } from 'node:path';
import { resolveConfig } from '../app/config/resolve-config.ts';
import { createLogger } from '../app/observability/logging.ts';
import { startExchange } from '../app/start/start-exchange.ts';
import type { Bourse, BourseOptions } from './interface.ts';
import { type Plan, planOf } from './options.ts';
import { type Origin, originOf } from './origin.ts';
import { RunningBourse } from './running-bourse.ts';
import { currentWatch } from './watched-tests.ts';

export async function start(options: BourseOptions = {}): Promise<Bourse> {
  const given = planOf(options);
  const origin = options.from === undefined ? undefined : await originOf(options.from);
  const plan = origin === undefined ? given : planFrom(given, options, origin);
  const { settings } = plan;
  const resolved = await resolveConfig({
    flags: settings.data === undefined ? settings : { ...settings, data: resolve(settings.data) },
    environment: {},
    directory: process.cwd(),
    configFile: null,
  });
  let failure: Error | undefined;
  const exchange = await startExchange(
    resolved,
    createLogger(resolved.config),
    (error) => {
      failure = error;
    },
    plan.accounts,
    origin?.branch,
  );
  const bourse = new RunningBourse(exchange, plan, () => exchange.stop(), currentWatch());
  try {
    if (origin === undefined) await bourse.open();
    else bourse.goOn(origin);
    if (failure !== undefined) throw failure;
  } catch (error) {
    await bourse.close();
    throw error;
  }
  return bourse;
}

/** Where it was not given, these are as they were there. */
const KEPT = ['market', 'seed', 'clock', 'rateLimits'] as const;

function planFrom(given: Plan, options: BourseOptions, { settings: there, accounts }: Origin): Plan {
  const kept = KEPT.filter((name) => options[name] === undefined && there[name] !== undefined);
  const { clockStart: _from, ...here } = given.settings;
  const settings = { ...here, ...Object.fromEntries(kept.map((name) => [name, there[name]])) };
  return {
    settings,
    accounts,
    prices: {},
    hasMarket: settings.market !== 'off',
    isManual: settings.clock === 'manual',
  };
}
