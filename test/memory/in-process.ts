/** Exchanges in memory inside the test's own process, as a test kit starts them. */
import { resolveConfig } from '../../src/app/config/resolve-config.ts';
import type { SettingName } from '../../src/app/config/settings.ts';
import { createLogger } from '../../src/app/observability/logging.ts';
import { type RunningExchange, startExchange } from '../../src/app/start/start-exchange.ts';
import { type DemoKeys, SMALL_SEGMENT_BYTES } from '../harness/server.ts';

export type Flags = Partial<Record<SettingName, string>>;

const BARE: Flags = {
  memory: 'on',
  port: '0',
  operatorPort: '0',
  market: 'off',
  backfill: '0',
  logLevel: 'silent',
};

const started = new Set<RunningExchange>();

/** After the tests of a file: one that failed has left its exchange open, which would keep the process. */
export async function stopAll(): Promise<void> {
  await Promise.all([...started].map((exchange) => exchange.stop()));
}

export async function startInMemory(flags: Flags = {}): Promise<RunningExchange> {
  const resolved = await resolveConfig({
    flags: { ...BARE, ...(flags.memory === 'off' && { segmentBytes: SMALL_SEGMENT_BYTES }), ...flags },
    environment: {},
    directory: '/nonexistent',
  });
  const exchange = await startExchange(resolved, createLogger(resolved.config), (error) => {
    throw error;
  });
  started.add(exchange);
  // What has ended is not kept: every collection would look through it.
  const stop = exchange.stop.bind(exchange);
  return Object.assign(exchange, {
    stop: async () => {
      await stop();
      started.delete(exchange);
    },
  });
}

export function keysOf({ demoAccounts }: RunningExchange, name: string): DemoKeys {
  const { account, uid } = demoAccounts.find((each) => each.account.name === name)!;
  return { ...account, uid };
}

/** A request of the operator. */
export async function operate(
  { operatorUrl, operatorToken }: RunningExchange,
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
): Promise<{ readonly status: number; readonly content: any }> {
  const answer = await fetch(operatorUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${operatorToken}`,
      'x-operator': 'ann',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, content: await answer.json() };
}
