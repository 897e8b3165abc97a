/** What every adapter of the `History` port must do. Each adapter's test calls this with its own storage. */
import { test } from 'node:test';
import type { History } from '../../src/history/history.ts';
import { loanContract } from './loans.contract.ts';
import { marketContract } from './markets.contract.ts';
import { moneyContract } from './money.contract.ts';
import { pagingContract } from './paging.contract.ts';
import { keepingContract } from './retention.contract.ts';
import { type HistoryStorage, openDescribed } from './storage.ts';
import { tradingContract } from './trading.contract.ts';

const CONTRACTS = [
  tradingContract,
  moneyContract,
  marketContract,
  loanContract,
  keepingContract,
  pagingContract,
];

export interface Adapter {
  /** What was stored is there when it is opened again. */
  readonly keeps: boolean;
  /** Why it cannot be tested here. */
  readonly skip?: string | false;
}

export function historyContract(
  adapter: string,
  createStorage: () => Promise<HistoryStorage>,
  { keeps, skip = false }: Adapter,
): void {
  const contract = (name: string, run: (storage: HistoryStorage) => Promise<void>): void => {
    void test(`${adapter}: ${name}`, { skip }, async () => {
      const storage = await createStorage();
      const opened: History[] = [];
      const open = async () => {
        const history = await storage.open();
        opened.push(history);
        return history;
      };
      try {
        await run({ ...storage, open });
      } finally {
        for (const history of opened) await history.close();
        await storage.remove();
      }
    });
  };

  const session = (name: string, run: (history: History) => Promise<void>): void =>
    contract(name, async (storage) => run(await openDescribed(storage)));

  const restart: typeof contract = (name, run) => {
    if (keeps) contract(name, run);
  };

  for (const state of CONTRACTS) state({ contract, session, restart });
}
