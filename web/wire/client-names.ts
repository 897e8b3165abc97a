/**
 * What client libraries call the calls of this interface. A test holds the names against the libraries themselves
 * (`test/docs/reference.test.ts`).
 */

/** Method and path, without `/api/` and the present version. */
export const keyOf = (method: string, path: string): string =>
  `${method} ${path.replace(/^\/api\/(?:v3\/)?/, '')}`;

/** Methods of the SDK: of its `RestClientV3`, and of `RestClientV2` for older paths. */
export const SDK_METHODS: Readonly<Record<string, string>> = {
  'GET public/time': 'getServerTime',
  'GET v2/public/time': 'getServerTime',
  'GET v2/spot/public/coins': 'getSpotCoinInfo',
  'GET market/candles': 'getCandles',
  'GET market/history-candles': 'getHistoryCandles',
  'GET market/instruments': 'getInstruments',
  'GET market/tickers': 'getTickers',
  'GET market/index-components': 'getIndexComponents',
  'GET market/fills': 'getFills',
  'GET market/orderbook': 'getOrderBook',
  'GET market/rpi-symbols': 'getRpiSymbols',
  'GET market/rpi-orderbook': 'getRpiOrderBook',
  'GET market/current-fund-rate': 'getCurrentFundingRate',
  'GET market/history-fund-rate': 'getHistoryFundingRate',
  'GET market/open-interest': 'getOpenInterest',
  'GET market/position-tier': 'getPositionTier',
  'GET market/oi-limit': 'getContractsOi',
  'GET market/discount-rate': 'getDiscountRate',
  'GET market/liquidations': 'getLiquidations',
  'GET market/risk-reserve': 'getRiskReserve',
  'GET market/risk-reserve-hour': 'getRiskReserveHour',
  'GET market/risk-reserve-all': 'getRiskReserveAll',
  'GET market/proof-of-reserves': 'getProofOfReserves',
  'GET market/fee-group': 'getMarketFeeGroup',
  'GET trade/unfilled-orders': 'getUnfilledOrders',
  'GET trade/history-orders': 'getHistoryOrders',
  'GET trade/order-info': 'getOrderInfo',
  'GET trade/fills': 'getTradeFills',
  'POST trade/place-order': 'submitNewOrder',
  'POST trade/place-batch': 'placeBatchOrders',
  'POST trade/modify-order': 'modifyOrder',
  'POST trade/batch-modify-order': 'batchModifyOrders',
  'POST trade/cancel-order': 'cancelOrder',
  'POST trade/cancel-batch': 'cancelBatchOrders',
  'POST trade/cancel-symbol-order': 'cancelAllOrders',
  'POST trade/countdown-cancel-all': 'countdownCancelAll',
  'POST trade/place-strategy-order': 'submitStrategyOrder',
  'POST trade/modify-strategy-order': 'modifyStrategyOrder',
  'POST trade/cancel-strategy-order': 'cancelStrategyOrder',
  'GET trade/unfilled-strategy-orders': 'getUnfilledStrategyOrders',
  'GET trade/history-strategy-orders': 'getHistoryStrategyOrders',
  'GET position/current-position': 'getCurrentPosition',
  'GET position/adlRank': 'getPositionAdlRank',
  'GET position/history-position': 'getPositionHistory',
  'POST trade/close-positions': 'closeAllPositions',
  'POST account/move-positions': 'movePositions',
  'GET account/move-position-history': 'getMovePositionHistory',
  'GET account/info': 'getAccountInfo',
  'GET account/assets': 'getBalances',
  'GET account/settings': 'getAccountSettings',
  'GET account/fee-rate': 'getFeeRate',
  'GET account/all-fee-rate': 'getAllFeeRates',
  'GET account/switch-status': 'getUnifiedAccountSwitchStatus',
  'POST account/switch': 'downgradeAccountToClassic',
  'POST account/adjust-account-mode': 'adjustAccountMode',
  'GET account/delta-info': 'getDeltaInfo',
  'GET account/collateral-type': 'getCollateralType',
  'POST account/set-collateral-type': 'setCollateralType',
  'GET account/custom-collateral-coins': 'getCustomCollateralCoins',
  'POST account/set-leverage': 'setLeverage',
  'POST account/set-hold-mode': 'setHoldMode',
  'POST account/set-margin': 'setMargin',
  'GET account/open-interest-limit': 'getOpenInterestLimit',
  'POST account/max-open-available': 'getMaxOpenAvailable',
  'GET account/pre-set-leverage': 'preSetLeverage',
  'GET account/eligible-symbols': 'getEligibleSymbols',
  'GET account/eligible-margin-tier': 'getEligibleMarginTier',
  'GET account/eligible-loan-info': 'getEligibleLoanInfo',
  'GET account/repayable-coins': 'getRepayableCoins',
  'GET account/payment-coins': 'getPaymentCoins',
  'POST account/repay': 'submitRepay',
  'GET account/convert-records': 'getConvertRecords',
  'GET trade/loan-data': 'getLoanData',
  'GET market/margin-loans': 'getMarginLoans',
  'POST user/create-sub': 'createSubAccount',
  'POST user/sub-account/agent-create': 'createAgentSubAccount',
  'POST user/freeze-sub': 'freezeSubAccount',
  'GET user/sub-list': 'getSubAccountList',
  'POST user/create-sub-api': 'createSubAccountApiKey',
  'POST user/update-sub-api': 'updateSubAccountApiKey',
  'POST user/delete-sub-api': 'deleteSubAccountApiKey',
  'GET user/sub-api-list': 'getSubAccountApiKeys',
  'GET user/rate-limit-quota': 'getRateLimitQuota',
  'POST user/set-rate-limit-quota': 'setRateLimitQuota',
  'POST broker/create-sub': 'createBrokerSubAccount',
  'GET broker/sub-list': 'getBrokerSubAccountList',
  'POST broker/modify-sub': 'modifyBrokerSubAccount',
  'POST broker/create-sub-apikey': 'createBrokerSubApiKey',
  'POST broker/modify-sub-apikey': 'modifyBrokerSubApiKey',
  'POST broker/delete-sub-apikey': 'deleteBrokerSubApiKey',
  'GET broker/query-sub-apikey': 'getBrokerSubApiKey',
  'POST broker/sub-deposit-address': 'getBrokerSubDepositAddress',
  'POST broker/sub-withdrawal': 'brokerSubWithdrawal',
  'GET broker/all-sub-deposit-withdrawal': 'getBrokerAllSubDepositWithdrawal',
  'GET broker/commission': 'getBrokerCommission',
  'POST account/transfer': 'submitTransfer',
  'POST account/sub-transfer': 'subAccountTransfer',
  'POST account/sub-master-transfer': 'subMasterTransfer',
  'GET account/sub-transfer-record': 'getSubTransferRecords',
  'GET v2/spot/account/transferRecords': 'getSpotTransferHistory',
  'GET account/transferable-coins': 'getTransferableCoins',
  'GET account/max-transferable': 'getMaxTransferable',
  'GET account/funding-assets': 'getFundingAssets',
  'GET account/sub-unified-assets': 'getSubUnifiedAssets',
  'GET account/deduct-info': 'getDeductInfo',
  'POST account/switch-deduct': 'switchDeduct',
  'GET account/deposit-address': 'getDepositAddress',
  'GET account/sub-deposit-address': 'getSubDepositAddress',
  'GET account/deposit-records': 'getDepositRecords',
  'POST account/sub-deposit-records': 'getSubDepositRecords',
  'POST account/withdraw': 'submitWithdraw',
  'POST account/cancel-withdrawal': 'cancelWithdrawal',
  'GET account/withdrawal-records': 'getWithdrawRecords',
  'GET account/max-withdrawal': 'getMaxWithdrawal',
  'POST account/deposit-account': 'setDepositAccount',
  'GET account/withdraw-address': 'getWithdrawAddressBook',
  'GET account/financial-records': 'getFinancialRecords',
  'GET tax/records': 'getTaxRecords',
  'GET loan/coins': 'getLoanCoins',
  'GET loan/interest': 'getLoanInterest',
  'GET loan/borrow-ongoing': 'getLoanBorrowOngoing',
  'GET loan/debts': 'getLoanDebts',
  'POST loan/borrow': 'loanBorrow',
  'POST loan/repay': 'loanRepay',
  'POST loan/revise-pledge': 'loanRevisePledge',
  'GET loan/borrow-history': 'getLoanBorrowHistory',
  'GET loan/repay-history': 'getLoanRepayHistory',
  'GET loan/pledge-rate-history': 'getLoanPledgeRateHistory',
  'GET loan/reduces': 'getLoanReduces',
  'GET v2/mix/market/symbol-price': 'getFuturesSymbolPrice',
  'GET v2/mix/market/current-fund-rate': 'getFuturesCurrentFundingRate',
  'GET v2/mix/market/tickers': 'getFuturesAllTickers',
  'GET v2/mix/account/account': 'getFuturesAccountAsset',
  'POST v2/mix/account/set-margin-mode': 'setFuturesMarginMode',
  'POST v2/mix/account/set-margin': 'setFuturesPositionMargin',
  'POST v2/mix/account/set-auto-margin': 'setFuturesPositionAutoMargin',
};

/** Calls for which ccxt has no method of its own. */
export const NOT_IN_CCXT: ReadonlySet<string> = new Set([
  'GET public/time',
  'GET market/time',
  'GET account/max-open-available',
  'POST account/sub-deposit-records',
  'POST account/withdraw',
]);

export const sdkMethod = (method: string, path: string): string | undefined =>
  SDK_METHODS[keyOf(method, path)];

export const sdkClient = (path: string): string =>
  path.startsWith('/api/v2/') ? 'RestClientV2' : 'RestClientV3';

/** The part of ccxt's tables that has a path: its first word behind the version, or all of the present version. */
export function ccxtSection(path: string): string {
  const [, older] = /^\/api\/v2\/(\w+)/.exec(path) ?? [];
  if (older === undefined) return 'uta';
  return older === 'public' ? 'common' : older;
}

/** ccxt names a method after each path that it knows: privateUtaPostV3TradePlaceOrder. */
export function ccxtMethod(method: string, path: string, isPrivate: boolean): string | undefined {
  if (NOT_IN_CCXT.has(keyOf(method, path))) return undefined;
  const words = [ccxtSection(path), method.toLowerCase(), ...path.replace('/api/', '').split(/[/-]/)];
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return `${isPrivate ? 'private' : 'public'}${name}`;
}
