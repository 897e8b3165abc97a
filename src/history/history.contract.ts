/** What every adapter of the `History` port must do. Each adapter's test calls this with its own storage. */
import { test } from 'node:test';
import { keepingContract } from './contract/keeping.contract.ts';
import { loanContract } from './contract/loans.contract.ts';
import { marketContract } from './contract/markets.contract.ts';
import { moneyContract } from './contract/money.contract.ts';
import { pagingContract } from './contract/paging.contract.ts';
import { type HistoryStorage, openDescribed } from './contract/storage.ts';
import { tradingContract } from './contract/trading.contract.ts';
import type { History } from './history.ts';

const CONTRACTS = [
  tradingContract,
  moneyContract,
  marketContract,
  loanContract,
  keepingContract,
  pagingContract,
];

export function historyContract(adapter: string, createStorage: () => Promise<HistoryStorage>): void {
  const contract = (name: string, run: (storage: HistoryStorage) => Promise<void>): void => {
    void test(`${adapter}: ${name}`, async () => {
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

  for (const state of CONTRACTS) state({ contract, session });
}
