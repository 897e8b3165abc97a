/** Keys of the demo accounts of a running exchange, from its ready file or its data directory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_ACCOUNTS_FILE } from '../../identity/demo-accounts.ts';
import type { Config } from '../config/settings.ts';
import { type ReadyAccount, readReadyFile } from '../start/ready-file.ts';

/** Empty when it has none. */
export function demoAccounts({ data, readyFile }: Config): readonly ReadyAccount[] {
  if (readyFile !== '') return readReadyFile(readyFile).accounts;
  try {
    return JSON.parse(readFileSync(join(data, DEMO_ACCOUNTS_FILE), 'utf8')) as ReadyAccount[];
  } catch {
    return [];
  }
}
