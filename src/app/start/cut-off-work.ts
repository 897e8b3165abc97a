/** What a crash has cut off between two commands is completed before anybody is served. */
import type { Logger } from 'pino';
import { completeFreezes } from '../../accounts/cancel-frozen-orders.ts';
import { type AccountServices, completeSubAccounts } from '../../accounts/open-sub-account.ts';

export async function completeCutOffWork(
  services: AccountServices,
  logger: Pick<Logger, 'info'>,
): Promise<void> {
  const accounts = await completeSubAccounts(services);
  if (accounts !== 0) logger.info({ completed: accounts }, 'sub-accounts that were half open are complete');
  const freezes = await completeFreezes(services);
  if (freezes !== 0) logger.info({ completed: freezes }, 'freezes that were half done are complete');
}
