/** Ledger lines, transfers, deposits, withdrawals and conversions. */
import assert from 'node:assert/strict';
import { Wallet } from '../../src/core/model/enums.ts';
import type { TransferRole } from '../../src/history/history.ts';
import { conversionView } from '../../src/views/conversion-view.ts';
import { parseId } from '../../src/views/format.ts';
import { ledgerView } from '../../src/views/ledger-view.ts';
import { transferView } from '../../src/views/transfer-view.ts';
import { walletRecordView } from '../../src/views/wallet-record-view.ts';
import {
  aConversion,
  aLedgerLine,
  aTransfer,
  aWalletRecord,
  COINS,
  coinName,
  NO_INSTRUMENT,
  START_TIME,
} from './example-events.ts';
import { ALL_TIME, type Contract, lineKey, orderKey, transferKey } from './storage.ts';

export function moneyContract({ session }: Contract): void {
  session('each wallet has its own lines', async (history) => {
    const traded = aLedgerLine({ lineId: 1 });
    const sent = aLedgerLine({ lineId: 2, kind: 'transferOut', instrument: NO_INSTRUMENT, wallet: 0 });
    const came = aLedgerLine({ lineId: 3, kind: 'transferIn', instrument: NO_INSTRUMENT, wallet: 1 });
    history.project({ seq: 1, time: START_TIME, events: [traded, sent, came] });
    const query = { uid: 1, ...ALL_TIME, limit: 10 };
    const unified = await history.ledgerLines({ ...query, wallet: 'uta' });
    assert.deepEqual(unified.map(lineKey), [2, 1]);
    const funding = await history.ledgerLines({ ...query, wallet: 'spot', coin: 'BTC' });
    assert.deepEqual(funding, [ledgerView(came, '', coinName)]);
    assert.equal(funding[0]!.type, 'transfer_in');
  });

  session('a conversion is found by its owner and its coins, newest first', async (history) => {
    const repaid = aConversion({ conversionId: 1, time: START_TIME });
    const forced = aConversion({
      conversionId: 2,
      forced: true,
      fromCoin: 1,
      toCoin: 0,
      time: START_TIME + 1,
    });
    const other = aConversion({ conversionId: 3, uid: 2, time: START_TIME + 2 });
    history.project({ seq: 1, time: START_TIME, events: [repaid, forced, other] });
    const found = async (filters: object) =>
      (await history.conversions({ uid: 1, ...ALL_TIME, limit: 10, ...filters })).map((each) =>
        parseId(each.conversionId),
      );
    assert.deepEqual(await found({}), [2, 1]);
    assert.deepEqual(await found({ limit: 1 }), [2]);
    assert.deepEqual(await found({ beforeId: 2 }), [1]);
    assert.deepEqual(await found({ fromCoin: COINS[1] }), [2]);
    assert.deepEqual(await found({ toCoin: COINS[1] }), [1]);
    assert.deepEqual(await found({ endTime: START_TIME }), [1]);
    const [first] = await history.conversions({ uid: 2, ...ALL_TIME, limit: 1 });
    assert.deepEqual(first, conversionView(other, coinName));
  });

  session('a transfer is found by who sent, received or asked for it', async (history) => {
    const inside = aTransfer({ transferId: 1, clientOid: 'a' });
    const down = aTransfer({ transferId: 2, toUid: 2, coin: 1, clientOid: 'b' });
    const up = aTransfer({ transferId: 3, fromUid: 2, toUid: 1, fromWallet: Wallet.unified });
    const across = aTransfer({ transferId: 4, fromUid: 2, toUid: 3 });
    history.project({ seq: 1, time: START_TIME, events: [inside, down, up, across] });
    const found = async (uid: number, role: TransferRole, filters = {}) =>
      (await history.transfers({ uid, role, ...ALL_TIME, limit: 10, ...filters })).map(transferKey);
    assert.deepEqual(await found(1, 'initiator'), [4, 3, 2, 1]);
    assert.deepEqual(await found(1, 'sender'), [2, 1]);
    assert.deepEqual(await found(1, 'receiver'), [3, 1]);
    assert.deepEqual(await found(1, 'sender', { betweenAccounts: true }), [2]);
    assert.deepEqual(await found(2, 'sender', { fromType: 'uta' }), [3]);
    assert.deepEqual(await found(1, 'initiator', { coin: 'USDT' }), [2]);
    assert.deepEqual(await found(1, 'initiator', { clientOid: 'a' }), [1]);
    assert.deepEqual(await found(3, 'initiator'), []);
    const [first] = await history.transfers({ uid: 3, role: 'receiver', ...ALL_TIME, limit: 1 });
    assert.deepEqual(first, transferView(across, coinName));
  });

  session('a withdrawal is one record that changes once, from pending to its end', async (history) => {
    const asked = aWalletRecord({ recordId: 5, clientOid: 'w' });
    const paid = { ...asked, status: 'success', reference: '0xabc', updatedTime: START_TIME + 9 } as const;
    const query = { uid: 1, type: 'withdraw', ...ALL_TIME, limit: 10 } as const;
    history.project({ seq: 1, time: START_TIME, events: [asked] });
    assert.deepEqual(await history.walletRecords(query), [walletRecordView(asked, coinName)]);
    history.project({ seq: 2, time: START_TIME, events: [paid] });
    assert.deepEqual(await history.walletRecords(query), [walletRecordView(paid, coinName)]);
    // What has ended stays as it is, whatever is projected again.
    history.project({ seq: 3, time: START_TIME, events: [asked] });
    assert.deepEqual(await history.walletRecords(query), [walletRecordView(paid, coinName)]);
    assert.equal((await history.counts()).walletRecords, 1);
  });

  session(
    'the records of several accounts make one list, newest first, by page and status',
    async (history) => {
      const records = [
        aWalletRecord({ recordId: 1, uid: 7, kind: 'deposit', status: 'success' }),
        aWalletRecord({ recordId: 2, uid: 8, kind: 'withdrawal', status: 'pending' }),
        aWalletRecord({ recordId: 3, uid: 9, kind: 'deposit', status: 'success' }),
        aWalletRecord({ recordId: 4, uid: 7, kind: 'withdrawal', status: 'fail' }),
      ];
      history.project({ seq: 1, time: START_TIME, events: records });
      const found = async (choice: object) => {
        const rows = await history.familyWalletRecords({ uids: [7, 8], ...ALL_TIME, limit: 10, ...choice });
        return rows.map((row) => `${row.uid} ${parseId(row.orderId)}`);
      };
      assert.deepEqual(await found({}), ['7 4', '8 2', '7 1']);
      assert.deepEqual(await found({ limit: 2 }), ['7 4', '8 2']);
      assert.deepEqual(await found({ beforeId: 2 }), ['7 1']);
      assert.deepEqual(await found({ status: 'pending' }), ['8 2']);
      assert.deepEqual(await found({ uids: [] }), []);
      assert.deepEqual(await found({ uids: undefined }), ['7 4', '9 3', '8 2', '7 1']);
      assert.deepEqual(await found({ uids: undefined, type: 'deposit' }), ['9 3', '7 1']);
      assert.deepEqual(await found({ type: 'deposit' }), ['7 1']);
      assert.deepEqual(await found({ endTime: START_TIME - 1 }), []);
    },
  );

  session('deposits and withdrawals are found by id, client id, coin and status', async (history) => {
    const deposit = aWalletRecord({ recordId: 1, kind: 'deposit', status: 'success', fee: 0n });
    const first = aWalletRecord({ recordId: 2, clientOid: 'w' });
    const second = aWalletRecord({ recordId: 3, coin: 0, status: 'fail', reference: 'no' });
    const foreign = aWalletRecord({ recordId: 4, uid: 2, clientOid: 'w' });
    history.project({ seq: 1, time: START_TIME, events: [deposit, first, second, foreign] });
    const found = async (filters: object, type: 'deposit' | 'withdraw' = 'withdraw') =>
      (await history.walletRecords({ uid: 1, type, ...ALL_TIME, limit: 10, ...filters })).map(orderKey);
    assert.deepEqual(await found({}, 'deposit'), [1]);
    assert.deepEqual(await found({}), [3, 2]);
    assert.deepEqual(await found({ clientOid: 'w' }), [2]);
    assert.deepEqual(await found({ coin: 'BTC' }), [3]);
    assert.deepEqual(await found({ status: 'pending' }), [2]);
    assert.deepEqual(await found({ orderId: 3 }), [3]);
    assert.deepEqual(await found({ orderId: 4 }), []);
    assert.deepEqual(await found({ beforeId: 3, limit: 1 }), [2]);
  });
}
