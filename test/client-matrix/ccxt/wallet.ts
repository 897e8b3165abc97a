/** ccxt's methods about money that moves: the ledger, transfers, deposits, withdrawals. */
import assert from 'node:assert/strict';
import { some } from '../checks.ts';
import { type Calls, row } from './world.ts';

const ids = new Map<string, string>();

export const WALLET_CALLS: Calls = {
  fetchLedger: row('a line for each movement', async ({ me, world }) => {
    await world.alice.submitTransfer({ fromType: 'uta', toType: 'spot', amount: '2', coin: 'USDT' });
    await world.alice.submitTransfer({ fromType: 'spot', toType: 'uta', amount: '2', coin: 'USDT' });
    const lines = await me.fetchLedger('USDT');
    some(lines, 'lines');
    assert.ok(lines.every(({ currency, before, after }) => currency === 'USDT' && before !== after));
  }),
  'fetchLedger, funding': row('lines of the funding wallet', async ({ me, world }) => {
    await world.alice.submitTransfer({ fromType: 'uta', toType: 'spot', amount: '7', coin: 'USDT' });
    // Oldest first.
    const line = (await me.fetchLedger('USDT', undefined, undefined, { type: 'funding' })).at(-1);
    assert.deepEqual([line!.currency, line!.amount], ['USDT', 7]);
  }),
  transfer: row('to the funding wallet', async ({ me, world }) => {
    await me.transfer('USDT', 300, 'uta', 'spot');
    assert.equal((await world.alice.getFundingAssets({ coin: 'USDT' })).data[0]!.available, '307');
  }),
  fetchTransfers: row('the transfer', async ({ me, world }) => {
    // ccxt asks for what left the funding wallet.
    await world.alice.submitTransfer({ fromType: 'spot', toType: 'uta', amount: '100', coin: 'USDT' });
    const sent = (await me.fetchTransfers('USDT')).at(-1)!;
    assert.deepEqual([sent.amount, sent.currency, sent.status], [100, 'USDT', 'ok']);
  }),
  fetchDepositAddress: row('an address', async ({ me }) => {
    assert.match((await me.fetchDepositAddress('USDT', { network: 'ERC20' })).address!, /^bourse1/);
  }),
  fetchDeposits: row('what the operator credited', async ({ me, world }) => {
    await world.operator.deposit({ account: 'alice', coin: 'USDT', amount: '30', reference: 'matrix-ccxt' });
    assert.ok((await me.fetchDeposits('USDT')).some(({ amount }) => amount === 30));
  }),
  fetchDeposit: row('by its id', async ({ me, world }) => {
    const [deposit] = (await world.alice.getDepositRecords(world.lately())).data;
    assert.equal((await me.fetchDeposit(deposit!.orderId, 'USDT')).amount, 30);
  }),
  withdraw: row('waits for the operator', async ({ me }) => {
    const { id } = await me.withdraw('USDT', 100, 'somewhere', undefined, { network: 'ERC20' });
    ids.set('withdrawal', id!);
    assert.match(id!, /^1[0-9]{18}$/);
  }),
  fetchWithdrawals: row('pending', async ({ me }) => {
    assert.deepEqual(
      (await me.fetchWithdrawals('USDT')).map(({ id, status }) => [id, status]),
      [[ids.get('withdrawal'), 'pending']],
    );
  }),
  fetchWithdrawal: row('by its id', async ({ me }) => {
    const id = ids.get('withdrawal')!;
    const withdrawal = await me.fetchWithdrawal(id, 'USDT');
    assert.deepEqual([withdrawal.id, withdrawal.status, withdrawal.currency], [id, 'pending', 'USDT']);
    assert.equal(Number(withdrawal.amount) + Number(withdrawal.fee?.cost ?? 0), 100);
  }),
};
