/** Lines of the ledger as a bookkeeper reads them: each goes on from the balance before it. */
import assert from 'node:assert/strict';
import type { SdkClient } from './clients.ts';
import { units } from './ledger-by-hand.ts';

const CATEGORIES = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES', 'OTHER'] as const;

interface Line {
  readonly id: string;
  readonly type: string;
  readonly amount: string;
  readonly fee: string;
  readonly balance: string;
}

/** Ends at the balance of the account. Returns type, amount and fee of the lines, oldest first. */
export async function assertChain(sdk: SdkClient, coin: string): Promise<string[]> {
  const lines: Line[] = [];
  for (const category of CATEGORIES) {
    for (let cursor = ''; ; ) {
      const asked = { category, coin, ...(cursor !== '' && { cursor }) };
      const { data } = await sdk.getFinancialRecords(asked as never);
      lines.push(...data.list);
      if (data.list.length === 0) break;
      cursor = data.cursor;
    }
  }
  lines.sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
  let balance = 0n;
  for (const line of lines) {
    balance += signed(line.amount) + signed(line.fee);
    assert.equal(signed(line.balance), balance, `after ${JSON.stringify(line)}`);
  }
  const { assets } = (await sdk.getBalances()).data;
  assert.equal(
    signed(assets.find((asset) => asset.coin === coin)!.balance),
    balance,
    'what the account shows',
  );
  return lines.map(({ type, amount, fee }) => `${type} ${amount} ${fee}`);
}

function signed(text: string): bigint {
  return text.startsWith('-') ? -units(text.slice(1)) : units(text);
}
