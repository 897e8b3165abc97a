/** The SDK's methods that move money: transfers, deposits, withdrawals. */
import assert from 'node:assert/strict';
import { positive } from '../checks.ts';
import type { Row, World } from '../world.ts';

const made = { withdrawal: '' };

export const WALLET_CALLS: Readonly<Record<string, Row<World>>> = {
  submitTransfer: {
    checks: 'from the unified account to the funding wallet',
    call: async ({ alice }) => {
      const moved = { fromType: 'uta', toType: 'spot', amount: '500', coin: 'USDT' } as const;
      assert.match((await alice.submitTransfer(moved)).data.transferId, /^[0-9]+$/);
      assert.equal((await alice.getFundingAssets({ coin: 'USDT' })).data[0]!.available, '500');
    },
  },
  getMaxTransferable: {
    checks: 'what is free',
    call: async ({ alice }) =>
      positive((await alice.getMaxTransferable({ coin: 'USDT' })).data.maxTransfer, 'USDT'),
  },
  getTransferableCoins: {
    checks: 'coins that can move',
    call: async ({ alice }) => {
      const coins = (await alice.getTransferableCoins({ fromType: 'uta', toType: 'spot' })).data;
      for (const coin of ['USDT', 'BTC', 'ETH']) assert.ok(coins.includes(coin), coin);
    },
  },
  getMaxWithdrawal: {
    checks: 'both wallets together',
    call: async ({ alice }) => {
      positive((await alice.getMaxWithdrawal({ coin: 'USDT' })).data.totalMaxWithdrawal, 'USDT');
    },
  },
  getFinancialRecords: {
    checks: 'a line for each movement: of a transfer and of a trade',
    call: async ({ alice }) => {
      const moved = (await alice.getFinancialRecords({ category: 'OTHER', coin: 'USDT' } as never)).data.list;
      assert.deepEqual([moved[0]!.coin, moved[0]!.amount], ['USDT', '-500']);
      const fill = (await alice.getTradeFills({ category: 'SPOT' })).data.list[0]!;
      const traded = (await alice.getFinancialRecords({ category: 'SPOT' })).data.list;
      assert.ok(traded.some(({ amount }) => Math.abs(Number(amount)) === Number(fill.execQty)));
    },
  },
  getDepositAddress: {
    checks: 'an address',
    call: async ({ alice }) =>
      assert.match((await alice.getDepositAddress({ coin: 'USDT' })).data.address, /^bourse1/),
  },
  getDepositRecords: {
    checks: 'what the operator credited',
    call: async (w) => {
      await w.operator.deposit({ account: 'alice', coin: 'USDT', amount: '25', reference: 'matrix-1' });
      assert.equal((await w.alice.getDepositRecords({ ...w.lately(), coin: 'USDT' })).data[0]!.size, '25');
    },
  },
  setDepositAccount: {
    checks: 'the next deposit is in the funding wallet',
    call: async ({ alice, operator }) => {
      const funding = async () =>
        Number((await alice.getFundingAssets({ coin: 'ETH' })).data[0]?.balance ?? 0);
      await alice.setDepositAccount({ coin: 'ETH', accountType: 'funding' });
      const before = await funding();
      await operator.deposit({ account: 'alice', coin: 'ETH', amount: '2', reference: 'matrix-2' });
      assert.equal(await funding(), before + 2);
    },
  },
  submitWithdraw: {
    checks: 'waits for the operator',
    call: async ({ alice }) => {
      const { chain } = (await alice.getDepositAddress({ coin: 'USDT' })).data;
      const asked = {
        coin: 'USDT',
        transferType: 'on_chain',
        address: 'somewhere',
        chain,
        size: '100',
      } as const;
      made.withdrawal = (await alice.submitWithdraw(asked)).data.orderId;
      assert.match(made.withdrawal, /^1[0-9]{18}$/);
    },
  },
  getWithdrawAddressBook: {
    checks: 'what the owner had entered, for the coin that was asked about',
    call: async (w) => {
      const coldWallet = { address: 'cold-wallet', coin: 'USDT', chain: 'TRC20', label: 'cold' };
      await w.operator.addAddress('alice', coldWallet);
      const entries = (await w.alice.getWithdrawAddressBook({ coin: 'USDT' })).data.addressList;
      assert.deepEqual(
        entries.map(({ coin, chain, address, label, type }) => [coin, chain, address, label, type]),
        [['USDT', 'TRC20', 'cold-wallet', 'cold', 'regular']],
      );
      assert.deepEqual((await w.alice.getWithdrawAddressBook({ coin: 'ETH' })).data.addressList, []);
    },
  },
  getWithdrawRecords: {
    checks: 'the withdrawal, pending',
    call: async (w) => {
      const [record] = (await w.alice.getWithdrawRecords(w.lately())).data;
      assert.deepEqual([record!.orderId, record!.status], [made.withdrawal, 'pending']);
    },
  },
  cancelWithdrawal: {
    checks: 'taken back',
    call: async (w) => {
      const { alice } = w;
      assert.equal((await alice.cancelWithdrawal({ orderId: made.withdrawal })).data, 'success');
      const [record] = (await alice.getWithdrawRecords(w.lately())).data;
      assert.deepEqual([record!.orderId, record!.status], [made.withdrawal, 'fail']);
    },
  },
  getTaxRecords: {
    checks: 'the lines of a year, those of the financial records among them',
    call: async (w) => {
      const year = { startTime: String(w.now() - 365 * 86_400_000), endTime: String(w.now() + 1000) };
      const records = (await w.alice.getTaxRecords({ bizType: 'OTHER', coin: 'USDT', ...year })).data;
      const lines = (await w.alice.getFinancialRecords({ category: 'OTHER' as never, coin: 'USDT' })).data
        .list;
      const shown = new Map(records.map(({ id, amount, balance }) => [id, `${amount} = ${balance}`]));
      assert.ok(lines.length > 0);
      for (const { id, amount, balance } of lines) assert.equal(shown.get(id), `${amount} = ${balance}`);
    },
  },
};
