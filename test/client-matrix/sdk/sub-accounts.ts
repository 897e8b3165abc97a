/** The SDK's methods about sub-accounts, their keys and their money. */
import assert from 'node:assert/strict';
import { type SdkClient, sdkClient } from '../../api/clients.ts';
import { refusedWith } from '../checks.ts';
import { type Row, SWAP, type World } from '../world.ts';

const PASSPHRASE = 'Passphrase1';
const made = { sub: '', subKey: '' };
const subs = new Map<string, SdkClient>();

export const SUB_ACCOUNT_CALLS: Readonly<Record<string, Row<World>>> = {
  createSubAccount: {
    checks: 'a sub-account',
    call: async ({ alice }) => {
      made.sub = (await alice.createSubAccount({ username: 'matrixsub' })).data.subUid;
      assert.match(made.sub, /^[0-9]+$/);
    },
  },
  createAgentSubAccount: {
    checks: 'a sub-account with a key',
    call: async ({ alice }) => {
      const agent = { username: 'matrixagent', passphrase: PASSPHRASE };
      assert.ok((await alice.createAgentSubAccount(agent)).data.secret.length > 20);
    },
  },
  getSubAccountList: {
    checks: 'both',
    call: async ({ alice }) => assert.equal((await alice.getSubAccountList()).data.list.length, 2),
  },
  freezeSubAccount: {
    checks: 'frozen and thawed',
    call: async ({ alice }) => {
      for (const [operation, status] of [
        ['freeze', 'freeze'],
        ['unfreeze', 'normal'],
      ] as const) {
        await alice.freezeSubAccount({ subUid: made.sub, operation });
        const { list } = (await alice.getSubAccountList()).data;
        assert.equal(list.find(({ subUid }) => subUid === made.sub)!.status, status);
      }
    },
  },
  createSubAccountApiKey: {
    checks: 'a key that works',
    call: async (w) => {
      const asked = { subUid: made.sub, note: 'desk', type: 'read_write', passphrase: PASSPHRASE } as const;
      const rights = { permissions: ['uta_mgt', 'uta_trade'], ips: [] as string[] };
      const key = (await w.alice.createSubAccountApiKey({ ...asked, ...rights })).data;
      made.subKey = key.apiKey;
      const access = { name: 'sub', uid: Number(made.sub), passphrase: PASSPHRASE };
      const sub = sdkClient(w.server.url, { ...access, apiKey: key.apiKey, secretKey: key.secret });
      assert.equal((await sub.getAccountInfo()).data.parentId, w.uid('alice'));
      subs.set(made.sub, sub);
    },
  },
  getSubAccountApiKeys: {
    checks: 'the key',
    call: async ({ alice }) => {
      const { items } = (await alice.getSubAccountApiKeys({ subUid: made.sub })).data;
      assert.equal(items[0]!.apiKey, made.subKey);
    },
  },
  updateSubAccountApiKey: {
    checks: 'fewer rights',
    call: async ({ alice }) => {
      const change = { apiKey: made.subKey, passphrase: PASSPHRASE, permissions: ['uta_mgt'] };
      assert.deepEqual((await alice.updateSubAccountApiKey(change as never)).data.permissions, ['uta_mgt']);
    },
  },
  subAccountTransfer: {
    checks: 'money for the sub-account',
    call: async (w) => {
      const moved = {
        fromType: 'uta',
        toType: 'uta',
        amount: '200',
        coin: 'USDT',
        clientOid: 'matrix-sub',
      } as const;
      await w.alice.subAccountTransfer({ ...moved, fromUserId: w.uid('alice'), toUserId: made.sub });
      assert.equal(
        (await w.alice.getSubUnifiedAssets({ subUid: made.sub })).data[0]!.assets[0]!.balance,
        '200',
      );
    },
  },
  subMasterTransfer: {
    checks: 'the sub-account sends back',
    call: async () => {
      const moved = { fromType: 'uta', toType: 'uta', amount: '50', coin: 'USDT' } as const;
      assert.match((await subs.get(made.sub)!.subMasterTransfer(moved)).data.transferId, /^[0-9]+$/);
    },
  },
  getSubUnifiedAssets: {
    checks: 'what the sub-account holds',
    call: async ({ alice }) => {
      const [row] = (await alice.getSubUnifiedAssets({ subUid: made.sub })).data;
      assert.equal(row!.assets[0]!.balance, '150');
    },
  },
  getSubTransferRecords: {
    checks: 'the transfer',
    call: async (w) => {
      const { list } = (await w.alice.getSubTransferRecords({ subUid: made.sub })).data as unknown as {
        list: { coin: string; amount: string; fromUserId: string; toUserId: string }[];
      };
      // Seen from the sub-account, which has sent once.
      assert.deepEqual(
        list.map(({ coin, amount, fromUserId, toUserId }) => [coin, amount, fromUserId, toUserId]),
        [['USDT', '50', made.sub, w.uid('alice')]],
      );
    },
  },
  getSubDepositAddress: {
    checks: 'an address of its own',
    call: async ({ alice }) => {
      const own = (await alice.getDepositAddress({ coin: 'USDT' })).data.address;
      const { address } = (await alice.getSubDepositAddress({ subUid: made.sub, coin: 'USDT' })).data;
      assert.notEqual(address, own);
    },
  },
  getSubDepositRecords: {
    checks: 'what was credited to it',
    call: async (w) => {
      await w.operator.deposit({ account: made.sub, coin: 'USDT', amount: '5', reference: 'matrix-2' });
      const records = (await w.alice.getSubDepositRecords({ subUid: made.sub, ...w.lately() })).data;
      assert.equal(records[0]!.size, '5');
    },
  },
  movePositions: {
    checks: 'a position at the mark, from the main account to the sub-account and back',
    call: async (w) => {
      await w.alice.submitNewOrder({ ...SWAP, side: 'buy', orderType: 'market', qty: '0.01' });
      const [main, sub] = [w.uid('alice'), made.sub];
      const { category, symbol } = SWAP;
      const positionList = [{ symbol, side: 'sell' as const, qty: '0.01' }];
      for (const [fromUid, toUid] of [
        [main, sub],
        [sub, main],
      ] as const) {
        const moved = (await w.alice.movePositions({ fromUid, toUid, category, positionList })).data;
        assert.equal(moved.closePosition[0]!.msg, 'success');
        assert.match(moved.openPosition[0]!.orderId, /^[0-9]+$/);
        const held = (await w.alice.getCurrentPosition(SWAP)).data.list.map(({ total }) => total);
        assert.deepEqual(held, toUid === main ? ['0.01'] : []);
      }
      await w.alice.closeAllPositions(SWAP);
    },
  },
  getMovePositionHistory: {
    checks: 'both moves, at their prices',
    call: async (w) => {
      const { list } = (await w.alice.getMovePositionHistory({ category: SWAP.category })).data;
      assert.deepEqual(
        list.map(({ fromUid, qty, posSide, status }) => [fromUid, qty, posSide, status]),
        [made.sub, w.uid('alice')].map((uid) => [uid, '0.01', 'long', 'completed']),
      );
      assert.ok(
        list.every(({ price, closeExecId, openExecId }) => Number(price) > 0 && closeExecId !== openExecId),
      );
    },
  },
  deleteSubAccountApiKey: {
    checks: 'the key is gone',
    call: async ({ alice }) => {
      await alice.deleteSubAccountApiKey({ apiKey: made.subKey });
      await refusedWith('40037', subs.get(made.sub)!.getAccountInfo());
    },
  },
  getRateLimitQuota: {
    checks: 'the standard for each account, and what they may have together',
    call: async (w) => {
      const { quotaList, masterSubCap } = (await w.alice.getRateLimitQuota({ category: 'futures' })).data;
      assert.deepEqual(quotaList[0], { uid: w.uid('alice'), quota: '10' });
      assert.equal(Number(masterSubCap), 10 * quotaList.length);
    },
  },
  setRateLimitQuota: {
    checks: 'what one gives up is there for the others',
    call: async (w) => {
      const category = 'futures';
      const standing = async () => (await w.alice.getRateLimitQuota({ category })).data;
      const before = await standing();
      await w.alice.setRateLimitQuota({ category, uids: [w.uid('alice')], quota: '4' });
      const left = await standing();
      assert.equal(left.quotaList[0]!.quota, '4');
      assert.equal(Number(left.masterSubQuota), Number(before.masterSubQuota) - 6);
      assert.equal(left.masterSubCap, before.masterSubCap);
    },
  },
};
