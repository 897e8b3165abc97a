import { resolve } from 'node:path';
import { resolveConfig } from '../app/config/resolve-config.ts';
import { createLogger } from '../app/observability/logging.ts';
import { startExchange } from '../app/start/start-exchange.ts';
import type { Bourse, BourseOptions } from './interface.ts';
import { planOf } from './options.ts';
import { RunningBourse } from './running-bourse.ts';

export async function start(options?: BourseOptions): Promise<Bourse> {
  const plan = planOf(options);
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
  );
  const bourse = new RunningBourse(exchange, plan);
  try {
    await bourse.open();
    if (failure !== undefined) throw failure;
  } catch (error) {
    await bourse.close();
    throw error;
  }
  return bourse;
}
