/** Every method of the SDK's `RestClientV3` whose endpoint is served: one call each, and what is looked at in its result. */
import assert from 'node:assert/strict';
import { type SdkClient, sdkClient } from '../clients/clients.ts';
import { type Row, SPOT, SWAP, type World } from './world.ts';

const PASSPHRASE = 'Passphrase1';
const placed = new Map<string, string>();
const made = { sub: '', subKey: '', brokerSub: '', brokerKey: '', withdrawal: '' };

const positive = (text: string | undefined, what: string) => assert.ok(Number(text) > 0, `${what}: ${text}`);
const some = (list: readonly unknown[], what: string) => assert.ok(list.length > 0, `${what} are empty`);

async function rest(client: SdkClient, world: World, name: string): Promise<string> {
  const price = await world.lowPrice(SPOT);
  const order = { ...SPOT, side: 'buy', orderType: 'limit', qty: '0.001', price } as const;
  const { orderId } = (await client.submitNewOrder(order)).data;
  placed.set(name, orderId);
  return orderId;
}

export const SDK_CALLS: Readonly<Record<string, Row<World>>> = {
  getServerTime: {
    checks: 'the time, within a second of ours',
    call: async ({ alice }) => {
      const { serverTime } = (await alice.getServerTime()).data;
      assert.ok(Math.abs(Number(serverTime) - Date.now()) < 60_000);
    },
  },
  fetchServerTime: {
    checks: 'the same as a number',
    call: async ({ alice }) => assert.ok(Math.abs((await alice.fetchServerTime()) - Date.now()) < 60_000),
  },
  getInstruments: {
    checks: 'all five categories',
    call: async ({ alice }) => {
      for (const category of ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const) {
        some((await alice.getInstruments({ category })).data, category);
      }
    },
  },
  getTickers: {
    checks: 'a traded price and both sides of the book',
    call: async ({ alice }) => {
      const [ticker] = (await alice.getTickers(SPOT)).data;
      positive(ticker!.lastPrice, 'lastPrice');
      assert.ok(Number(ticker!.ask1Price) > Number(ticker!.bid1Price));
    },
  },
  getOrderBook: {
    checks: 'levels sorted from the best',
    call: async ({ alice }) => {
      const { a, b } = (await alice.getOrderBook({ ...SPOT, limit: '20' })).data;
      assert.ok(a.length > 3 && b.length > 3);
      assert.ok(Number(a[0]![0]) < Number(a[1]![0]) && Number(b[0]![0]) > Number(b[1]![0]));
    },
  },
  getFills: {
    checks: 'trades of the market',
    call: async ({ alice }) =>
      positive((await alice.getFills({ ...SPOT, limit: '5' })).data[0]!.price, 'price'),
  },
  getCandles: {
    checks: 'candles of seven fields, also of mark and index prices',
    call: async ({ alice }) => {
      assert.equal((await alice.getCandles({ ...SPOT, interval: '1m', limit: '10' })).data[0]!.length, 7);
      for (const type of ['MARK', 'INDEX'] as const) {
        some((await alice.getCandles({ ...SWAP, interval: '1m', type })).data, type);
      }
    },
  },
  getHistoryCandles: {
    checks: 'the past before the exchange began',
    call: async ({ alice }) => {
      const endTime = String(Date.now() - 86_400_000);
      const candles = (await alice.getHistoryCandles({ ...SPOT, interval: '1H', endTime, limit: '5' })).data;
      assert.equal(candles.length, 5);
    },
  },
  getOpenInterest: {
    checks: 'contracts that are held',
    call: async ({ alice }) =>
      positive((await alice.getOpenInterest(SWAP)).data.list[0]!.openInterest, 'open interest'),
  },
  getCurrentFundingRate: {
    checks: 'rate, bounds and the next settlement',
    call: async ({ alice }) => {
      const [rate] = (await alice.getCurrentFundingRate({ symbol: 'BTCUSDT' })).data;
      assert.ok(Number(rate!.nextUpdate) > Date.now());
    },
  },
  getHistoryFundingRate: {
    checks: 'the list of settled rates',
    call: async ({ alice }) =>
      assert.ok('resultList' in ((await alice.getHistoryFundingRate(SWAP)).data as object)),
  },
  getPositionTier: {
    checks: 'tiers with falling leverage',
    call: async ({ alice }) => {
      const tiers = (await alice.getPositionTier(SWAP)).data;
      assert.ok(Number(tiers[0]!.leverage) > Number(tiers.at(-1)!.leverage));
    },
  },
  getDiscountRate: {
    checks: 'collateral rates by coin',
    call: async ({ alice }) => some((await alice.getDiscountRate()).data, 'rates'),
  },
  getRiskReserveAll: {
    checks: 'insurance funds',
    call: async ({ alice }) =>
      some((await alice.getRiskReserveAll({ category: SWAP.category })).data.list, 'funds'),
  },
  getContractsOi: {
    checks: 'limits of open interest',
    call: async ({ alice }) => some((await alice.getContractsOi({ category: SWAP.category })).data, 'limits'),
  },
  getIndexComponents: {
    checks: 'venues with prices and weights',
    call: async ({ alice }) => {
      const { componentList } = (await alice.getIndexComponents({ symbol: 'BTCUSDT' })).data;
      positive(componentList[0]!.equivalentPrice, 'price');
    },
  },
  getLiquidations: {
    checks: 'a list',
    call: async ({ alice }) => assert.ok(Array.isArray((await alice.getLiquidations(SWAP)).data.list)),
  },
  getRpiSymbols: {
    checks: 'pairs that take RPI orders',
    call: async ({ alice }) => some((await alice.getRpiSymbols()).data, 'pairs'),
  },
  getRpiOrderBook: {
    checks: 'levels of three fields',
    call: async ({ alice }) => assert.equal((await alice.getRpiOrderBook(SPOT)).data.b[0]!.length, 3),
  },
  getAccountInfo: {
    checks: 'the caller',
    call: async (w) => assert.equal((await w.alice.getAccountInfo()).data.userId, w.uid('alice')),
  },
  getAccountSettings: {
    checks: 'a unified account',
    call: async ({ alice }) => assert.equal((await alice.getAccountSettings()).data.accountMode, 'unified'),
  },
  getBalances: {
    checks: 'coins and their worth',
    call: async ({ alice }) => positive((await alice.getBalances()).data.accountEquity, 'equity'),
  },
  getFundingAssets: {
    checks: 'the funding wallet, empty at first',
    call: async ({ alice }) => assert.deepEqual((await alice.getFundingAssets()).data, []),
  },
  getFeeRate: {
    checks: 'maker and taker rate',
    call: async ({ alice }) => positive((await alice.getFeeRate(SPOT)).data.takerFeeRate, 'rate'),
  },
  getAllFeeRates: {
    checks: 'a rate for every pair',
    call: async ({ alice }) => some((await alice.getAllFeeRates({ category: 'SPOT' })).data, 'rates'),
  },
  getUnifiedAccountSwitchStatus: {
    checks: 'every account is unified',
    call: async ({ alice }) =>
      assert.equal((await alice.getUnifiedAccountSwitchStatus()).data.status, 'success'),
  },
  downgradeAccountToClassic: {
    checks: 'refused with 25009: there is no classic account',
    call: ({ alice }) => refusedWith('25009', alice.downgradeAccountToClassic()),
  },
  adjustAccountMode: {
    checks: 'advanced is taken, others are refused with 25009',
    call: async ({ alice }) => {
      await alice.adjustAccountMode({ mode: 'advanced' });
      await refusedWith('25009', alice.adjustAccountMode({ mode: 'isolated' }));
    },
  },
  getCollateralType: {
    checks: 'all coins',
    call: async ({ alice }) => assert.equal((await alice.getCollateralType()).data.collateralType, 'all'),
  },
  setCollateralType: {
    checks: 'all is taken',
    call: async ({ alice }) =>
      assert.equal((await alice.setCollateralType({ collateralType: 'all' })).data, 'success'),
  },
  getCustomCollateralCoins: {
    checks: 'coins, without a key',
    call: async (w) => some((await sdkClient(w.server.url).getCustomCollateralCoins()).data, 'coins'),
  },
  getDeductInfo: {
    checks: 'off at first',
    call: async ({ alice }) => assert.equal((await alice.getDeductInfo()).data.deduct, 'off'),
  },
  switchDeduct: {
    checks: 'remembered',
    call: async ({ alice }) => {
      await alice.switchDeduct({ deduct: 'on' });
      assert.equal((await alice.getDeductInfo()).data.deduct, 'on');
    },
  },

  submitNewOrder: {
    checks: 'a limit order rests, a market order fills',
    call: async (w) => {
      assert.match(await rest(w.alice, w, 'first'), /^1[0-9]{18}$/);
      const order = { ...SPOT, side: 'sell', orderType: 'market', qty: '0.01' } as const;
      const { orderId } = (await w.alice.submitNewOrder(order)).data;
      placed.set('market', orderId);
      assert.equal((await w.alice.getOrderInfo({ orderId })).data.orderStatus, 'filled');
    },
  },
  getOrderInfo: {
    checks: 'the order',
    call: async ({ alice }) => {
      const orderId = placed.get('first')!;
      assert.equal((await alice.getOrderInfo({ orderId })).data.orderStatus, 'new');
    },
  },
  modifyOrder: {
    checks: 'a new price, the same id',
    call: async (w) => {
      const orderId = placed.get('first')!;
      const price = (Number(await w.lowPrice(SPOT)) - 100).toFixed(1);
      assert.equal((await w.alice.modifyOrder({ orderId, price })).data.orderId, orderId);
      assert.equal(Number((await w.alice.getOrderInfo({ orderId })).data.price), Number(price));
    },
  },
  placeBatchOrders: {
    checks: 'an id for each',
    call: async (w) => {
      const price = await w.lowPrice(SPOT);
      const order = { ...SPOT, side: 'buy', orderType: 'limit', qty: '0.001', price } as const;
      const results = (await w.alice.placeBatchOrders([order, order])).data;
      for (const [n, { orderId }] of results.entries()) placed.set(`batch${n}`, orderId);
      assert.equal(new Set(results.map(({ orderId }) => orderId)).size, 2);
    },
  },
  batchModifyOrders: {
    checks: 'a new quantity',
    call: async ({ alice }) => {
      const orderId = placed.get('batch0')!;
      await alice.batchModifyOrders([{ orderId, qty: '0.002', ...SPOT }]);
      assert.equal((await alice.getOrderInfo({ orderId })).data.qty, '0.002');
    },
  },
  getUnfilledOrders: {
    checks: 'the open orders',
    call: async ({ alice }) => assert.equal((await alice.getUnfilledOrders(SPOT)).data.list.length, 3),
  },
  cancelOrder: {
    checks: 'the order is gone',
    call: async ({ alice }) => {
      const orderId = placed.get('first')!;
      await alice.cancelOrder({ orderId });
      assert.equal((await alice.getOrderInfo({ orderId })).data.orderStatus, 'cancelled');
    },
  },
  cancelBatchOrders: {
    checks: 'the order is gone',
    call: async ({ alice }) => {
      const orderId = placed.get('batch0')!;
      const [result] = (await alice.cancelBatchOrders([{ ...SPOT, orderId }])).data;
      assert.equal(result!.orderId, orderId);
    },
  },
  cancelAllOrders: {
    checks: 'the rest is gone',
    call: async ({ alice }) => {
      assert.equal((await alice.cancelAllOrders(SPOT)).data.list.length, 1);
      assert.deepEqual((await alice.getUnfilledOrders(SPOT)).data.list, []);
    },
  },
  getHistoryOrders: {
    checks: 'filled and cancelled orders',
    call: async ({ alice }) => {
      const statuses = (await alice.getHistoryOrders({ category: 'SPOT' })).data.list.map(
        (each) => each.orderStatus,
      );
      assert.deepEqual(new Set(statuses), new Set(['filled', 'cancelled']));
    },
  },
  getTradeFills: {
    checks: 'the fills of an order add up',
    call: async ({ alice }) => {
      const { list } = (await alice.getTradeFills({ orderId: placed.get('market')! })).data;
      assert.equal(list.reduce((sum, fill) => sum + Number(fill.execQty), 0).toFixed(6), '0.010000');
    },
  },
  countdownCancelAll: {
    checks: 'set and switched off',
    call: async ({ alice }) => {
      await alice.countdownCancelAll({ countdown: '60' });
      assert.equal((await alice.countdownCancelAll({ countdown: '0' })).data, 'success');
    },
  },
  getMaxOpenAvailable: {
    checks: 'how much can be bought',
    call: async ({ alice }) => {
      const asked = { ...SWAP, orderType: 'market', side: 'buy' } as const;
      positive((await alice.getMaxOpenAvailable(asked)).data.maxOpen, 'maxOpen');
    },
  },

  setHoldMode: {
    checks: 'hedge and back',
    call: async ({ bot }) => {
      await bot.setHoldMode({ holdMode: 'hedge_mode' });
      assert.equal((await bot.getAccountSettings()).data.holdMode, 'hedge_mode');
      await bot.setHoldMode({ holdMode: 'one_way_mode' });
    },
  },
  setLeverage: {
    checks: 'shown in the settings',
    call: async ({ bot }) => {
      await bot.setLeverage({ ...SWAP, leverage: '15', marginMode: 'isolated' } as never);
      const [config] = (await bot.getAccountSettings()).data.symbolConfigList;
      assert.deepEqual([config!.leverage, config!.marginMode], ['15', 'isolated']);
    },
  },
  getCurrentPosition: {
    checks: 'the position that an order opened',
    call: async ({ bot }) => {
      const order = { ...SWAP, side: 'buy', orderType: 'market', qty: '0.01' } as const;
      await bot.submitNewOrder({ ...order, marginMode: 'isolated' });
      const [position] = (await bot.getCurrentPosition(SWAP)).data.list;
      assert.deepEqual(
        [position!.total, position!.posSide, position!.marginMode],
        ['0.01', 'long', 'isolated'],
      );
    },
  },
  setMargin: {
    checks: 'more margin in the isolated position',
    call: async ({ bot }) => {
      const [before] = (await bot.getCurrentPosition(SWAP)).data.list;
      await bot.setMargin({ ...SWAP, posSide: 'long', operation: 'add', amount: '50' });
      const [after] = (await bot.getCurrentPosition(SWAP)).data.list;
      assert.equal((Number(after!.positionBalance) - Number(before!.positionBalance)).toFixed(4), '50.0000');
    },
  },
  getPositionAdlRank: {
    checks: 'a rank for the position',
    call: async ({ bot }) => assert.equal((await bot.getPositionAdlRank()).data.length, 1),
  },
  closeAllPositions: {
    checks: 'closed at market',
    call: async ({ bot }) => {
      some((await bot.closeAllPositions(SWAP)).data.list, 'orders');
      assert.deepEqual((await bot.getCurrentPosition(SWAP)).data.list, []);
    },
  },
  getPositionHistory: {
    checks: 'the position that was',
    call: async ({ bot }) =>
      assert.equal((await bot.getPositionHistory(SWAP)).data.list[0]!.closeTotalPos, '0.01'),
  },

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
      some((await alice.getTransferableCoins({ fromType: 'uta', toType: 'spot' })).data, 'coins');
    },
  },
  getMaxWithdrawal: {
    checks: 'both wallets together',
    call: async ({ alice }) => {
      positive((await alice.getMaxWithdrawal({ coin: 'USDT' })).data.totalMaxWithdrawal, 'USDT');
    },
  },
  getFinancialRecords: {
    checks: 'a line for each movement',
    call: async ({ alice }) =>
      some((await alice.getFinancialRecords({ category: 'SPOT' })).data.list, 'lines'),
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
  getWithdrawRecords: {
    checks: 'the withdrawal, pending',
    call: async (w) => {
      const [record] = (await w.alice.getWithdrawRecords(w.lately())).data;
      assert.deepEqual([record!.orderId, record!.status], [made.withdrawal, 'pending']);
    },
  },
  cancelWithdrawal: {
    checks: 'taken back',
    call: async ({ alice }) => {
      assert.equal((await alice.cancelWithdrawal({ orderId: made.withdrawal })).data, 'success');
    },
  },

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
      await alice.freezeSubAccount({ subUid: made.sub, operation: 'freeze' });
      await alice.freezeSubAccount({ subUid: made.sub, operation: 'unfreeze' });
    },
  },
  createSubAccountApiKey: {
    checks: 'a key that works',
    call: async (w) => {
      const asked = { subUid: made.sub, note: 'desk', type: 'read_write', passphrase: PASSPHRASE } as const;
      const rights = { permissions: ['uta_mgt', 'uta_trade'], ips: [] as string[] };
      const key = (await w.alice.createSubAccountApiKey({ ...asked, ...rights } as never)).data;
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
    call: async ({ alice }) => {
      const { list } = (await alice.getSubTransferRecords({ subUid: made.sub } as never)).data as unknown as {
        list: unknown[];
      };
      some(list, 'records');
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
  deleteSubAccountApiKey: {
    checks: 'the key is gone',
    call: async ({ alice }) => {
      await alice.deleteSubAccountApiKey({ apiKey: made.subKey });
      await refusedWith('40037', subs.get(made.sub)!.getAccountInfo());
    },
  },

  createBrokerSubAccount: {
    checks: 'a sub-account of the broker',
    call: async ({ bob }) => {
      const asked = { subaccountName: 'matrix-desk', label: 'desk' };
      made.brokerSub = (await bob.createBrokerSubAccount(asked)).data.subUid;
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
      made.brokerKey = (await bob.createBrokerSubApiKey({ ...key, ...rights } as never)).data.apiKey;
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
};

const subs = new Map<string, SdkClient>();

async function refusedWith(code: string, call: Promise<unknown>): Promise<void> {
  const refusal = await call.then(
    () => undefined,
    (error: { body?: { code?: string } }) => error.body?.code,
  );
  assert.equal(refusal, code);
}

/** Methods that call nothing of ours. */
export const SDK_LOCAL: Readonly<Record<string, string>> = {
  getClientType: 'tells the kind of client',
  fetchLatencySummary: 'measures with getServerTime',
};

/** Methods whose endpoint is not served: 404 `40404`. The first pattern that fits gives the reason. */
export const SDK_NOT_SERVED: readonly (readonly [methods: RegExp, reason: string])[] = [
  [/^getCopyFutures|^copyFutures/, 'copy trading is another business'],
  [/StockPlus/i, 'stock brokerage is another business'],
  [/Reality|getCashDividendRecords/, 'stock tokens are another business'],
  [/P2p/i, 'peer-to-peer trading is another business'],
  [/EarnElite/, 'earning products are another business'],
  [
    /^getLoan(Transfered|Symbols|RiskUnit|RepaidHistory|ProductInfo|Order|LTVConvert|MarginCoinInfo)$|^bindLoanUid$/,
    'loans to institutions are another business',
  ],
  [
    /^get(Spot(Whale|Fund|Net)Flow|MarginLongShort|MarginLoanGrowth|MarginIsolatedBorrow|FuturesActiveBuySell|Futures(Position|Account)?LongShort)$/,
    'statistics about who trades; everything they are made of is in the trades and candles',
  ],
  [
    /^getMarketFeeGroup$|^getMarketScoreWeights$/,
    'fee groups and maker scores are a programme of the vendor; fees are set per account here',
  ],
  [/^getProofOfReserves$/, 'there are no reserves to prove; `bourse books` shows that the books add up'],
  [
    /^getEligible/,
    'regional lists; nothing is restricted by region here, instruments and tiers are the whole list',
  ],
  [/^getDeltaInfo$/, 'accounts have no delta-neutral mode'],
  [/^getOpenInterestLimit$/, 'the same limits are told by getContractsOi'],
  [/^movePositions$|^getMovePositionHistory$/, 'positions stay with the account that opened them'],
  [/^getTaxRecords$/, 'asks for a year; the history keeps 90 days'],
  [/RateLimitQuota$/, 'limits are those of the interface for everybody'],
  [/^getWithdrawAddressBook$/, 'there is no address book'],
  [/^setDepositAccount$/, 'the operator says which wallet a deposit goes to'],
  [/^getBrokerAllSubDepositWithdrawal$/, "each sub-account's own records are served"],
  [/^getBrokerCommission$/, 'there is no commission programme'],
];
