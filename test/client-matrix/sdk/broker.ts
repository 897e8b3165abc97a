/** The SDK's methods for brokers and the sub-accounts they open. */
import assert from 'node:assert/strict';
import { sdkClient } from '../../api/clients.ts';
import { positive, refusedWith } from '../checks.ts';
import { type Row, SPOT, type World } from '../world.ts';

const PASSPHRASE = 'Passphrase1';
const made = { brokerSub: '', brokerKey: '' };

export const BROKER_CALLS: Readonly<Record<string, Row<World>>> = {
  createBrokerSubAccount: {
    checks: 'a sub-account of the broker',
    call: async ({ bob }) => {
      const asked = { subaccountName: 'matrix-desk', label: 'desk' };
      const sub = (await bob.createBrokerSubAccount(asked)).data;
      made.brokerSub = sub.subUid;
      assert.deepEqual([sub.subaccountName, sub.label, sub.status], ['matrix-desk', 'desk', 'normal']);
    },
  },
  getBrokerSubAccountList: {
    checks: 'it is listed',
    call: async ({ bob }) => {
      assert.equal((await bob.getBrokerSubAccountList()).data.subList[0]!.subUid, made.brokerSub);
    },
  },
  modifyBrokerSubAccount: {
    checks: 'fewer rights',
    call: async ({ bob }) => {
      const change = { subUid: made.brokerSub, permList: ['spot_trade', 'deposit', 'withdraw'] } as never;
      assert.equal((await bob.modifyBrokerSubAccount(change)).data.permList.length, 3);
    },
  },
  createBrokerSubApiKey: {
    checks: 'a key',
    call: async ({ bob }) => {
      const key = { subUid: made.brokerSub, passphrase: PASSPHRASE, label: 'bot' };
      const rights = { permType: 'read_write', permList: ['uta_trade'] } as const;
      const created = (await bob.createBrokerSubApiKey({ ...key, ...rights } as never)).data;
      made.brokerKey = created.apiKey;
      assert.deepEqual(
        [created.subUid, created.label, created.permList],
        [made.brokerSub, 'bot', ['uta_trade']],
      );
      assert.ok(created.secretKey.length > 20);
    },
  },
  getBrokerSubApiKey: {
    checks: 'the key without its secret',
    call: async ({ bob }) => {
      const key = (await bob.getBrokerSubApiKey({ subUid: made.brokerSub })).data;
      assert.deepEqual([key.apiKey, key.secretKey], [made.brokerKey, '']);
    },
  },
  modifyBrokerSubApiKey: {
    checks: 'a new label',
    call: async ({ bob }) => {
      const key = { subUid: made.brokerSub, apiKey: made.brokerKey, passphrase: PASSPHRASE };
      assert.equal((await bob.modifyBrokerSubApiKey({ ...key, label: 'new' })).data.label, 'new');
    },
  },
  deleteBrokerSubApiKey: {
    checks: 'the key is gone',
    call: async ({ bob }) => {
      await bob.deleteBrokerSubApiKey({ subUid: made.brokerSub, apiKey: made.brokerKey });
      await refusedWith('40034', bob.getBrokerSubApiKey({ subUid: made.brokerSub }));
    },
  },
  getBrokerSubDepositAddress: {
    checks: 'an address',
    call: async ({ bob }) => {
      const asked = { subUid: made.brokerSub, coin: 'USDT' };
      assert.match((await bob.getBrokerSubDepositAddress(asked)).data.address, /^bourse1/);
    },
  },
  brokerSubWithdrawal: {
    checks: 'waits for the operator',
    call: async (w) => {
      const { brokerSub: subUid } = made;
      await w.operator.deposit({ account: subUid, coin: 'USDT', amount: '500', reference: 'matrix-3' });
      const { chain } = (await w.bob.getBrokerSubDepositAddress({ subUid, coin: 'USDT' })).data;
      const asked = {
        subUid,
        coin: 'USDT',
        dest: 'on_chain',
        address: 'somewhere',
        chain,
        amount: '100',
      } as const;
      assert.match((await w.bob.brokerSubWithdrawal(asked)).data.orderId, /^1[0-9]{18}$/);
    },
  },
  getBrokerAllSubDepositWithdrawal: {
    checks: 'the deposit and the withdrawal of the sub-account, and none of the broker itself',
    call: async (w) => {
      const { list } = (await w.bob.getBrokerAllSubDepositWithdrawal(w.lately())).data;
      assert.deepEqual(
        list.map(({ uid, type, subType, coin, amount, status }) => [
          uid,
          type,
          subType,
          coin,
          amount,
          status,
        ]),
        [
          [made.brokerSub, 'withdrawal', 'onchain', 'USDT', '100', 'pending'],
          [made.brokerSub, 'deposit', 'onchain', 'USDT', '500', 'success'],
        ],
      );
    },
  },
  getBrokerCommission: {
    checks: 'a quarter of the fee that the sub-account paid, and it is in the funding wallet',
    call: async (w) => {
      await w.operator.setCommission('bob', '0.25');
      const desk = await w.operator.openKey(Number(made.brokerSub), 'desk', ['uta_trade']);
      const buy = { ...SPOT, side: 'buy', orderType: 'market', qty: '200' } as const;
      await sdkClient(w.server.url, desk).submitNewOrder(buy);
      const [row] = (await w.bob.getBrokerCommission(w.lately())).data;
      assert.deepEqual([row!.uid, row!.symbol, row!.coin], [made.brokerSub, SPOT.symbol, 'BTC']);
      positive(row!.totalFee, 'fee');
      const quarter = Number(row!.totalCommission) / Number(row!.totalFee);
      assert.ok(quarter > 0.24 && quarter <= 0.25, String(quarter));
      const [paid] = (await w.bob.getFundingAssets({ coin: 'BTC' })).data;
      assert.equal(paid!.balance, row!.totalCommission);
    },
  },
};
