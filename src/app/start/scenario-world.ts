/** The exchange that a scenario is written for: in memory, with its instruments, accounts, market, seed and time. */

import { CATALOGUE } from '../../api/wire/error-catalogue.ts';
import { DEMO_ACCOUNTS, demoAccount } from '../../identity/demo-accounts.ts';
import type { Scenario, World } from '../../lab/scenarios/document.ts';
import { type Overrides, resolveConfig } from '../config/resolve-config.ts';
import { createLogger } from '../observability/logging.ts';
import { type RunningExchange, startExchange } from './start-exchange.ts';

/** What a scenario is checked against before there is an exchange. */
export const SCENARIO_CHECK_CONTEXT = { codes: new Set(Object.keys(CATALOGUE)) };

/** From a file, a module or by the name of a shipped one; every mistake is in the message. */
export async function scenarioOf(file: string): Promise<Scenario> {
  const { loadScenario } = await import('../../lab/scenarios/read-scenario.ts');
  return loadScenario(file, process.cwd(), SCENARIO_CHECK_CONTEXT);
}

/** With `speed` a manual clock becomes a scaled one: a program in real time runs beside it. */
export async function startWorld(world: World = {}, speed?: number): Promise<RunningExchange> {
  const { instruments = [], market = 'off', seed = 1, clock = 'manual', start, accounts } = world;
  const running = clock === 'manual' && speed !== undefined ? `scaled:${speed}` : clock;
  const flags: Overrides = {
    ...{ memory: 'on', port: '0', operatorPort: '0', backfill: '0', logLevel: 'warn' },
    ...{ market, seed: String(seed), clock: running },
    ...(start !== undefined && { clockStart: start }),
    ...(instruments.length > 0 && { instruments: instruments.join(',') }),
  };
  const resolved = await resolveConfig({
    flags,
    environment: {},
    directory: process.cwd(),
    configFile: null,
  });
  const demo =
    accounts === undefined
      ? DEMO_ACCOUNTS
      : Object.entries(accounts).map(([name, funding]) => demoAccount(name, 'scenario', funding));
  return startExchange(
    resolved,
    createLogger(resolved.config),
    (error) => {
      throw error;
    },
    demo,
  );
}
