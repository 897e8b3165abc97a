/** Interface 4.5 with its objects (interface 2.11, 2.12): the account, repayable coins, the broker's one operation. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Caller, type ContractVenue, type Data, limit } from './venue.ts';

const PASSPHRASE = 'Passphrase1';

export function account(venue: ContractVenue): void {
  const { alice, bob, operator, server } = venue;

  describe('interface 4.5: account and broker', () => {
    it('interface 2.11, 4.5 info: who calls, with which rights', async () => {
      const info = await alice.get('account/info');
      assert.deepEqual(
        [info.userId, info.parentId, info.permType],
        [String(alice.uid), '', 'read-and-write'],
      );
      assert.deepEqual(new Set(info.permissions), new Set(['uta_mgt', 'uta_trade', 'withdraw']));
    });

    it('interface 2.11: parentId has a value only for a sub-account; ips is one text with commas', async () => {
      const keys = await operator.openSub('desk', 'alice', ['uta_trade']);
      const sub = await new Caller(server.url, keys).get('account/info');
      assert.deepEqual(
        [sub.userId, sub.parentId, sub.permissions],
        [String(keys.uid), String(alice.uid), ['uta_trade']],
      );
      assert.equal(sub.regisTime, String(venue.now()), 'interface 2.11: registered now');
    });

    it('interface 2.12, 4.5 repayable-coins: none is owed at first', async () => {
      const coins = await bob.get('account/repayable-coins');
      assert.deepEqual(coins.repayableCoinList, []);
    });

    it('interface 2.1, 2.2, 2.12 repayable-coins: what a margin order has borrowed, in coin and in dollars', async () => {
      const borrower = await venue.small('borrower', '100');
      const order = limit(['MARGIN', 'BTCUSDT'], 'buy', '0.005', '60000');
      const orderId = await venue.trade(borrower, order);
      await borrower.get('trade/order-info', { orderId });
      await borrower.get('trade/fills', { orderId });
      const coins = await borrower.get('account/repayable-coins');
      const [owed] = coins.repayableCoinList;
      assert.deepEqual([coins.repayableCoinList.length, owed.coin, owed.size], [1, 'USDT', '200']);
      assert.ok(Math.abs(Number(owed.amount) - 200) < 1, owed.amount);
      const { assets } = await borrower.get('account/assets');
      assert.equal(assets.find(({ coin }: Data) => coin === 'USDT').debt, '200');
      assert.equal(coins.maxSelection, '1', 'interface 2.12: coins selectable for one repayment');
      const several = { repayableCoinList: ['USDT', 'BTC'], paymentCoinList: ['BTC'] };
      assert.match((await borrower.refusedPost('account/repay', several)).msg, /must name 1 coin/);
    });

    describe('interface 4.5 modify-sub-apikey', () => {
      let subUid: string;
      let apiKey: string;
      let secretKey: string;
      const change = (more: object) => ({ subUid, apiKey, passphrase: PASSPHRASE, ...more });
      before(async () => {
        const sub = { subaccountName: 'contract-desk', label: 'desk' };
        ({ subUid } = await bob.post('broker/create-sub', sub));
        const key = {
          subUid,
          passphrase: PASSPHRASE,
          label: 'old',
          permType: 'read_write',
          permList: ['uta_trade'],
        };
        ({ apiKey, secretKey } = await bob.post('broker/create-sub-apikey', key));
      });

      it('interface 2.12, 4.5: every parameter changes what it names and is answered', async () => {
        const ipList = ['127.0.0.1', '10.0.0.0'];
        const permList = ['uta_trade', 'uta_mgt'];
        const body = change({ label: 'new', ipList, permType: 'read_only', permList });
        const key = await bob.post('broker/modify-sub-apikey', body);
        assert.deepEqual(key, { subUid, label: 'new', apiKey, permType: 'read_only', permList, ipList });
        const keys = { name: 'sub', uid: Number(subUid), apiKey, secretKey, passphrase: PASSPHRASE };
        const info = await new Caller(server.url, keys).get('account/info');
        assert.deepEqual([info.ips, info.permType], ['127.0.0.1,10.0.0.0', 'read-only']);
      });

      it('interface 4.5 modify-sub-apikey: what is not given stays; an empty list of addresses allows all', async () => {
        const kept = await bob.post('broker/modify-sub-apikey', change({}));
        assert.deepEqual([kept.label, kept.permType], ['new', 'read_only']);
        const opened = await bob.post('broker/modify-sub-apikey', change({ ipList: [] }));
        assert.deepEqual(opened.ipList, []);
      });

      it('interface 4.5 modify-sub-apikey: subUid, apiKey and passphrase are required, and the passphrase must be the key’s', async () => {
        for (const name of ['subUid', 'apiKey', 'passphrase']) {
          const { [name]: _left, ...rest } = change({}) as Record<string, unknown>;
          assert.match((await bob.refusedPost('broker/modify-sub-apikey', rest)).msg, new RegExp(name));
        }
        const wrong = change({ passphrase: 'Passphrase2', label: 'stolen' });
        assert.equal((await bob.refusedPost('broker/modify-sub-apikey', wrong)).code, '40036');
        assert.match(
          (await bob.refusedPost('broker/modify-sub-apikey', change({ permType: 'write' }))).msg,
          /permType/,
        );
        const odd = change({ permList: ['copy_trade'] });
        assert.match((await bob.refusedPost('broker/modify-sub-apikey', odd)).msg, /permList/);
      });

      it('interface 4.5, 7.4: withdraw needs permType read_write', async () => {
        const permList = ['uta_trade', 'withdraw'];
        const refused = await bob.refusedPost(
          'broker/modify-sub-apikey',
          change({ permType: 'read_only', permList }),
        );
        assert.match(refused.msg, /withdraw/);
        await bob.post('broker/modify-sub-apikey', change({ permType: 'read_write', permList }));
        assert.match(
          (await bob.refusedPost('broker/modify-sub-apikey', change({ permType: 'read_only' }))).msg,
          /withdraw/,
        );
      });

      it('interface 4.5 modify-sub-apikey: only the master account of a broker may call it', async () => {
        assert.equal((await alice.refusedPost('broker/modify-sub-apikey', change({}))).code, '40029');
        await bob.post('broker/modify-sub-apikey', change({ permList: ['uta_mgt'], permType: 'read_write' }));
        const keys = { name: 'sub', uid: Number(subUid), apiKey, secretKey, passphrase: PASSPHRASE };
        const own = await new Caller(server.url, keys).refusedPost('broker/modify-sub-apikey', change({}));
        assert.equal(own.code, '40029', 'not even for its own key');
      });

      it('interface 8: ipList holds up to 30 entries', async () => {
        const addresses = (count: number) => Array.from({ length: count }, (_, n) => `10.0.0.${n + 1}`);
        const full = await bob.post('broker/modify-sub-apikey', change({ ipList: addresses(30) }));
        assert.equal(full.ipList.length, 30);
        assert.match(
          (await bob.refusedPost('broker/modify-sub-apikey', change({ ipList: addresses(31) }))).msg,
          /30/,
        );
      });
    });
  });
}
