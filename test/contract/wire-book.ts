/**
 * What every call takes and answers, and what every push holds, as the tables of the two documents have it and in their
 * notation: `*` required, `a/b` the allowed values, `[…]` a list, `?` only where it applies, everything text unless it
 * says otherwise. What this exchange adds has the reason beside it.
 */

const FUT = 'USDT-FUTURES/COIN-FUTURES/USDC-FUTURES';
const SPOT_FUT = `SPOT/${FUT}`;
const ALL5 = `SPOT/MARGIN/${FUT}`;
/** The funding wallet and the unified account; the other wallets that clients know do not exist here. */
const WALLET = 'spot/uta';

const TIMES = 'startTime, endTime';
const PAGE = `${TIMES}, limit, cursor`;
const NAMED = 'orderId, clientOid';
const LOAN_PAGE = 'orderId, pledgeCoin, startTime*, endTime*, pageNum, pageSize';

const IDS = '{orderId, clientOid}';
/** `code` and `msg` of what failed. */
const RESULT = '{orderId, clientOid, code?, msg?}';
const page = (item: string) => `{list:[${item}], cursor}`;

const BY = 'market/mark';
const AS = 'limit/market';
const PRESET = `takeProfit, stopLoss, tpTriggerBy ${BY}, slTriggerBy ${BY}, tpOrderType ${AS}, slOrderType ${AS}, tpLimitPrice, slLimitPrice`;
const PRESET_TOLD =
  'takeProfit, stopLoss, tpTriggerBy, slTriggerBy, tpOrderType, slOrderType, tpLimitPrice, slLimitPrice';
const TRIGGER = `triggerBy ${BY}, triggerPrice, triggerOrderType ${AS}, triggerOrderPrice, callbackRatio`;
const STP = 'stpMode none/cancel_taker/cancel_maker/cancel_both';

const PLACED = [
  `category* ${ALL5}, symbol*, qty*, side* buy/sell, orderType* ${AS}, price, clientOid, ${STP}`,
  `timeInForce gtc/ioc/fok/post_only/rpi, posSide long/short, reduceOnly yes/no, marginMode crossed/isolated/cross`,
  PRESET,
  // An order that waits, in the words of its clients.
  `triggerPrice, triggerBy ${BY}, callbackRatio, stopPrice, triggerType fill_price/mark_price`,
  'trailingPercent, trailingTriggerPrice',
].join(', ');
const AMENDED = `${NAMED}, qty, price, autoCancel yes/no, symbol, category ${ALL5}, requestId`;

const FEES = 'feeDetail:[{feeCoin, fee}]';
const OPEN_ORDER = [
  'orderId, clientOid, category, symbol, price, qty, amount, orderType, cumExecQty, cumExecValue, avgPrice',
  'orderStatus, side, timeInForce, posSide, holdMode, delegateType, marginMode, stpMode, reduceOnly',
  `${PRESET_TOLD}, ${FEES}, createdTime, updatedTime`,
  // Names that one client reads instead (wire 3.6).
  'priceAvg, quoteVolume, baseVolume',
].join(', ');
const CLOSED_ORDER = `${OPEN_ORDER}, cancelReason, execType`;
const WHOLE_ORDER = `{${CLOSED_ORDER}, tradeSide}`;
const FILL = [
  '{execId, execLinkId, orderId, clientOid, category, symbol, orderType, side, execPrice, execQty, execValue',
  `tradeScope, tradeSide, posSide, ${FEES}, createdTime, updatedTime, execPnl, isRPI}`,
].join(', ');
const PLAN = [
  `{orderId, clientOid, category, symbol, qty, posSide, status, triggerType, ${PRESET_TOLD}, triggerBy`,
  'triggerPrice, triggerOrderType, triggerOrderPrice, createdTime, updatedTime',
  // What it is and how it ended.
  'type, side, reduceOnly, tpslMode, callbackRatio, cancelReason, failReason, subOrderId}',
].join(', ');
const POSITION = [
  '{category, symbol, marginCoin, holdMode, posSide, marginMode, positionBalance, available, frozen, total',
  'leverage, curRealisedPnl, avgPrice, positionStatus, unrealisedPnl, liquidationPrice, mmr, profitRate',
  'markPrice, breakEvenPrice, totalFunding, openFeeTotal, closeFeeTotal, createdTime, updatedTime}',
].join(', ');
const INSTRUMENT = [
  '{symbol, category, baseCoin, quoteCoin, buyLimitPriceRatio, sellLimitPriceRatio, minOrderQty, maxOrderQty',
  'minOrderAmount, pricePrecision, quantityPrecision, quotePrecision, maxSymbolOrderNum, maxProductOrderNum',
  'maxPositionNum, status, maintainTime, launchTime, symbolType',
  'isRwa?, isReality?, feeRateUpRatio?, openCostUpRatio?, makerFeeRate?, takerFeeRate?, priceMultiplier?',
  'quantityMultiplier?, type?, offTime?, limitOpenTime?, deliveryTime?, deliveryStartTime?, deliveryPeriod?',
  'fundInterval?, minLeverage?, maxLeverage?, maxMarketOrderQty?',
  'isIsolatedBaseBorrowable?, isIsolatedQuotedBorrowable?, warningRiskRatio?, liquidationRiskRatio?',
  'maxCrossedLeverage?, maxIsolatedLeverage?, userMinBorrow?, areaSymbol?}',
].join(', ');
const TICKER = [
  'symbol, lastPrice, openPrice24h, highPrice24h, lowPrice24h, ask1Price, ask1Size, bid1Price, bid1Size',
  'price24hPcnt, volume24h, turnover24h, ts, indexPrice?, markPrice?, fundingRate?, openInterest?',
].join(', ');
const CANDLES = `category* ${SPOT_FUT}, symbol*, interval*, ${TIMES}, type market/mark/index/premium, limit`;
const COIN = '{coin, equity, usdValue, balance, available, debt, locked}';
const TIER = '{tier, minTierValue, maxTierValue, leverage, mmr}';
const FUND_RATE = '[{symbol, fundingRate, fundingRateInterval, nextUpdate, minFundingRate, maxFundingRate}]';
const MAX_OPEN = {
  asks: `category* ${ALL5}, symbol*, orderType* ${AS}, side* buy/sell, price, size`,
  answers:
    '{available, maxOpen, buyOpenCost, sellOpenCost, maxBuyOpen, maxSellOpen, maxBuyAvailable, maxSellAvailable}',
};
const LEVERAGE = 'symbol, leverage, coin, posSide long/short, longLeverage, shortLeverage';
const MARGIN_MODE = 'crossed/isolated/cross';
const MOVED = '[{orderId, clientOid, code, msg}]';

const DEPOSIT =
  'orderId, recordId, coin, type, dest, size, status, fromAddress, toAddress, chain, createdTime, updatedTime';
const SUB_DEPOSITS = `subUid*, coin, startTime*, endTime*, limit, cursor`;
const ADDRESS = '{address, chain, coin, tag, url}';
const WITHDRAWAL =
  'coin*, transferType* on_chain/internal_transfer, address*, size*, chain, innerToType uid, tag, remark, clientOid, accountType';
const LEDGER = '{category, id, symbol, coin, type, amount, fee, balance, ts}';
const TRANSFER = `fromType* ${WALLET}, toType* ${WALLET}, amount*, coin*, allowBorrow yes/no`;
const TRANSFERRED =
  '{transferId, oldTransferId, fromType, toType, amount, coin, fromUserId, toUserId, status, clientOid, createdTime, updatedTime}';

const SUB = 'username, subUid, status:normal/freeze, note, createdTime, updatedTime';
const SUB_KEY = 'note, apiKey, type, permissions:[text], ips:[text]';
const KEY_TYPE = 'read_write/read_only';
const BROKER_SUB = 'subUid, subaccountName, status:normal/freeze, permList:[text], label, cTime';
const BROKER_KEY = 'subUid, label, apiKey, permType, permList:[text], ipList:[text]';
const REPAID = 'loanCoin, pledgeCoin, repayAmount, payInterest, repayLoanAmount, repayUnlockAmount';
const TERM = 'FLEXIBLE/SEVEN/THIRTY';
const DEBT = '[{coin, amount, amountUsdt}]';
const ON_MIX = `symbol*, productType* ${FUT}, marginCoin`;
const MIX_ACCOUNT = [
  '{symbol, marginCoin, marginMode, posMode, crossedMarginLeverage, isolatedLongLever, isolatedShortLever',
  'longLeverage, shortLeverage, isolatedLongAutoMargin, isolatedShortAutoMargin}',
].join(', ');

export interface Row {
  readonly asks: string;
  readonly answers: string;
}
type Section = Readonly<Record<string, Row>>;
const row = (asks: string, answers: string): Row => ({ asks, answers });

export const CALLS: Readonly<Record<string, Section>> = {
  'interface 4.1': {
    'GET market/candles': row(CANDLES, '[[text]]'),
    'GET market/instruments': row(`category* ${ALL5}, symbol`, `[${INSTRUMENT}]`),
    'GET market/tickers': row(
      `category* ${SPOT_FUT}, symbol`,
      `[{category, ${TICKER}, deliveryStartTime?, deliveryTime?, deliveryStatus?}]`,
    ),
    'GET market/index-components': row(
      'symbol*',
      '{symbol, componentList:[{exchange, spotPair, equivalentPrice, weight}]}',
    ),
    'GET market/fills': row(
      `category* ${ALL5}, symbol*, limit`,
      '[{execId, execLinkId, price, size, side, ts, isRPI}]',
    ),
  },
  'interface 4.2': {
    'GET trade/unfilled-orders': row(`category ${ALL5}, symbol, ${PAGE}`, page(`{${OPEN_ORDER}}`)),
    'GET trade/history-orders': row(`category* ${ALL5}, symbol, ${PAGE}`, page(`{${CLOSED_ORDER}}`)),
    'GET trade/order-info': row(NAMED, WHOLE_ORDER),
    // The symbol is one that a client adds (wire 3.9).
    'GET trade/fills': row(`category ${ALL5}, symbol, orderId, ${PAGE}`, page(FILL)),
    'GET trade/history-strategy-orders': row(`category* ${ALL5}, type tpsl/trigger, ${PAGE}`, page(PLAN)),
  },
  'interface 4.3': {
    'POST trade/cancel-order': row(`${NAMED}, category ${ALL5}, symbol`, IDS),
    'POST trade/cancel-batch': row(`[${NAMED}, category* ${ALL5}, symbol*]`, `[${RESULT}]`),
    'POST trade/cancel-symbol-order': row(`category* ${ALL5}, symbol`, `{list:[${RESULT}]}`),
    'POST trade/batch-modify-order': row(`[${AMENDED}]`, `[${RESULT}]`),
  },
  'interface 4.4': {
    'GET position/current-position': row(
      `category* ${FUT}, symbol, posSide long/short`,
      `{list:[${POSITION}]}`,
    ),
    'GET position/adlRank': row('', '[{symbol, marginCoin, adlRank, holdSide}]'),
    'POST account/set-leverage': row(
      `category* MARGIN/${FUT}, ${LEVERAGE}, marginMode ${MARGIN_MODE}`,
      '"success"',
    ),
  },
  'interface 4.5': {
    'GET account/info': row(
      '',
      '{userId, inviterId, parentId, channelCode, channel, ips, permType, permissions:[text], regisTime}',
    ),
    'GET account/repayable-coins': row('', '{repayableCoinList:[{coin, size, amount}], maxSelection}'),
    'POST broker/modify-sub-apikey': row(
      `subUid*, passphrase*, apiKey*, label, ipList [text], permType ${KEY_TYPE}, permList [uta_trade/uta_mgt/withdraw]`,
      `{${BROKER_KEY}}`,
    ),
  },
  'interface 4.6': {
    'GET loan/borrow-history': row(
      `${LOAN_PAGE}, loanCoin, status`,
      '[{orderId, loanCoin, pledgeCoin, initPledgeAmount, initLoanAmount, hourRate, pledgeDays, daily, borrowTime, status}]',
    ),
    'GET loan/pledge-rate-history': row(
      `${LOAN_PAGE}, reviseSide down/up`,
      '[{loanCoin, pledgeCoin, orderId, reviseTime, reviseSide, reviseAmount, afterPledgeRate, beforePledgeRate}]',
    ),
    'GET loan/debts': row('', `{pledgeInfos:${DEBT}, loanInfos:${DEBT}}`),
  },

  'wire 4.1': {
    'POST trade/place-order': row(PLACED, IDS),
    'POST trade/place-batch': row(`[${PLACED}]`, `[${RESULT}]`),
    'POST trade/modify-order': row(`${AMENDED}, ${PRESET}, triggerPrice`, IDS),
    'POST trade/place-strategy-order': row(
      [
        `category* ${ALL5}, symbol*, clientOid, type tpsl/trigger/trailing, tpslMode full/partial, qty, side buy/sell`,
        `posSide long/short, reduceOnly yes/no, ${STP}, ${PRESET}, ${TRIGGER}`,
      ].join(', '),
      IDS,
    ),
    'POST trade/modify-strategy-order': row(`category ${ALL5}, ${NAMED}, qty, ${PRESET}, ${TRIGGER}`, IDS),
    'POST trade/cancel-strategy-order': row(NAMED, 'null'),
    'GET trade/unfilled-strategy-orders': row(`category* ${ALL5}, type tpsl/trigger, symbol`, `[${PLAN}]`),
    'GET trade/strategy-sub-orders': row(NAMED, page(WHOLE_ORDER)),
    'POST trade/countdown-cancel-all': row('countdown*', '"success"'),
    'POST trade/close-positions': row(`category* ${FUT}, symbol, posSide long/short`, `{list:[${RESULT}]}`),
    'GET trade/loan-data': row(
      '',
      '{currentLoans, interestPaymentTime, debtCoinList:[{coin, debt, interestFreeAmount, interestRateNextHour}]}',
    ),
    'POST account/max-open-available': MAX_OPEN,
    'GET account/max-open-available': MAX_OPEN,
    'GET position/history-position': row(
      `category* ${FUT}, symbol, ${PAGE}`,
      page(
        [
          '{positionId, category, symbol, marginCoin, holdMode, posSide, marginMode, openPriceAvg, closePriceAvg',
          'openTotalPos, closeTotalPos, cumRealisedPnl, netProfit, totalFunding, openFeeTotal, closeFeeTotal',
          'createdTime, updatedTime}',
        ].join(', '),
      ),
    ),
    // A name of one's own, so that a retry moves nothing twice.
    'POST account/move-positions': row(
      `fromUid*, toUid*, category* ${FUT}, positionList* [symbol*, side* buy/sell, qty*], clientOid`,
      `{closePosition:${MOVED}, openPosition:${MOVED}}`,
    ),
    'GET account/move-position-history': row(
      `category* ${FUT}, symbol, ${PAGE}`,
      page(
        '{category, fromUid, toUid, orderId, openExecId, closeExecId, symbol, posSide, qty, price, status, createdTime, updatedTime}',
      ),
    ),
  },
  'wire 4.2': {
    'GET public/time': row('', '{serverTime}'),
    'GET market/time': row('', '{serverTime}'),
    'GET v2/public/time': row('', '{serverTime}'),
    'GET market/orderbook': row(
      `category* ${ALL5}, symbol*, limit`,
      // The number of the `books` stream, so that the two fit together.
      '{a:[[text]], b:[[text]], ts, seq:integer}',
    ),
    'GET market/history-candles': row(CANDLES, '[[text]]'),
    'GET market/current-fund-rate': row(`category ${FUT}, symbol`, FUND_RATE),
    'GET market/history-fund-rate': row(
      `category* ${FUT}, symbol*, cursor, limit`,
      '{resultList:[{symbol, fundingRate, fundingRateTimestamp}]}',
    ),
    'GET market/open-interest': row(`category* ${FUT}, symbol`, '{list:[{symbol, openInterest}], ts}'),
    'GET market/position-tier': row(`category* MARGIN/${FUT}, symbol, coin`, `[${TIER}]`),
    'GET market/risk-reserve': row(
      `category* ${FUT}, symbol*, marginCoin`,
      '{totalBalance, coin, riskReserveRecords:[{type, amount, balance, ts}]}',
    ),
    'GET market/risk-reserve-hour': row(
      `category* ${FUT}, symbol*, marginCoin`,
      '{coin, riskReserveRecords:[{amount, balance, ts}]}',
    ),
    'GET market/risk-reserve-all': row(`category* ${FUT}`, '{list:[{symbols:[text], coin, balance}]}'),
    'GET market/discount-rate': row('', '[{coin, list:[{tierStartValue, discountRate}]}]'),
    'GET market/margin-loans': row(
      'coin*',
      '{dailyInterest, annualInterest, limit, masterSubLimit, platformRemaingQuota}',
    ),
    'GET market/oi-limit': row(`category* ${FUT}, symbol`, '[{symbol, notionalValue, totalNotionalValue}]'),
    'GET market/proof-of-reserves': row(
      '',
      '{merkleRootHash, totalReserveRatio, list:[{coin, userAssets, platformAssets, reserveRatio}]}',
    ),
    'GET market/liquidations': row(
      `category* ${FUT}, symbol, limit, cursor`,
      page('{symbol, side, price, amount, ts}'),
    ),
    'GET market/fee-group': row(
      'category* SPOT/FUTURES, group DEFAULT/GROUP_A/GROUP_B/GROUP_C',
      '[{category, group, labelList:[{weight, label, symbols:[text]}], tierList:[{level, makerFeeRate, takerFeeRate}]}]',
    ),
    'GET market/rpi-symbols': row('', '[{category, symbol}]'),
    'GET market/rpi-orderbook': row(`category* ${SPOT_FUT}, symbol*, limit`, '{a:[[text]], b:[[text]], ts}'),
  },
  'wire 4.3': {
    'GET account/assets': row(
      '',
      [
        '{accountEquity, usdtEquity, btcEquity, unrealisedPnl, usdtUnrealisedPnl, btcUnrealizedPnl, effEquity, mmr',
        `imr, mgnRatio, positionMgnRatio, assets:[${COIN}]}`,
      ].join(', '),
    ),
    'GET account/funding-assets': row('coin', '[{coin, available, frozen, balance}]'),
    'GET account/settings': row(
      '',
      [
        '{uid, accountMode, assetMode, accountLevel, holdMode, stpMode',
        'symbolConfigList:[{category, symbol, marginMode, leverage}], coinConfigList:[{coin, leverage}]}',
      ].join(', '),
    ),
    'POST account/set-hold-mode': row('holdMode* one_way_mode/hedge_mode', '"success"'),
    'GET account/fee-rate': row(`category* ${ALL5}, symbol*`, '{makerFeeRate, takerFeeRate}'),
    'GET account/all-fee-rate': row(`category* ${ALL5}, symbol`, '[{symbol, makerFeeRate, takerFeeRate}]'),
    'GET account/financial-records': row(
      `category* ${ALL5}/OTHER, symbol, coin, type, ${PAGE}`,
      page(LEDGER),
    ),
    'GET account/funding-financial-records': row(
      `coin, type, symbol, ${PAGE}`,
      page('{id, coin, groupType, type, amount, fee, balance, ts}'),
    ),
    'GET account/convert-records': row(
      `fromCoin, toCoin, ${PAGE}`,
      page('{fromCoin, fromCoinSize, toCoin, toCoinSize, price, ts}'),
    ),
    'POST account/transfer': row(`${TRANSFER}, clientOid`, '{transferId, clientOid}'),
    'GET account/transferable-coins': row(`fromType* ${WALLET}, toType* ${WALLET}`, '[text]'),
    'GET account/max-transferable': row('coin*', '{coin, maxTransfer, borrowMaxTransfer}'),
    'GET account/max-withdrawal': row(
      'coin*',
      '{coin, otcMaxWithdrawal, spotMaxWithdrawal, utaMaxWithdrawal, totalMaxWithdrawal}',
    ),
    'POST account/repay': row('repayableCoinList* [text], paymentCoinList* [text]', '{result, repayAmount}'),
    'GET account/payment-coins': row('', '{paymentCoinList:[{coin, size, amount}], maxSelection}'),
    'GET account/deposit-address': row('coin*, chain, size', ADDRESS),
    'GET account/deposit-records': row(
      'startTime*, endTime*, coin, orderId, clientOid, limit, cursor',
      `[{${DEPOSIT}}]`,
    ),
    'GET account/sub-deposit-address': row('subUid*, coin*, chain, size', ADDRESS),
    'GET account/sub-deposit-records': row(SUB_DEPOSITS, `[{${DEPOSIT}}]`),
    'POST account/sub-deposit-records': row(SUB_DEPOSITS, `[{${DEPOSIT}}]`),
    'POST account/withdrawal': row(WITHDRAWAL, IDS),
    'POST account/withdraw': row(WITHDRAWAL, IDS),
    'GET account/withdrawal-records': row(
      'startTime*, endTime*, coin, orderId, clientOid, limit, cursor',
      `[{${DEPOSIT}, clientOid, fee, confirm, tag}]`,
    ),
    'GET account/withdraw-address': row(
      'coin, type evm/regular/universal/internal, limit, cursor',
      '{addressList:[{coin, chain, address, countryCode, label, memo, type, internalType, createdTime}], cursor}',
    ),
    'POST account/cancel-withdrawal': row(NAMED, '"success"'),
    'POST account/deposit-account': row('coin*, accountType* funding/unified', '"success"'),
    'POST account/switch-deduct': row('deduct* on/off', 'true'),
    'GET account/deduct-info': row('', '{deduct}'),
    'POST account/switch': row('', 'null'),
    'GET account/switch-status': row('', '{status, reason}'),
    'POST account/adjust-account-mode': row('mode* basic/advanced/delta/isolated, targetUid', 'null'),
    'GET account/collateral-type': row('', '{collateralType, collateralCoins}'),
    'POST account/set-collateral-type': row(
      'collateralType* mainstream/all/custom, collateralCoins',
      '"success"',
    ),
    'GET account/custom-collateral-coins': row('', '[{collateralCoin}]'),
    'GET account/pre-set-leverage': row(
      `category* MARGIN/${FUT}, ${LEVERAGE}, marginMode* ${MARGIN_MODE}`,
      '{estMaxOpen, estMaxBorrowable, requiredMargin, marginChange}',
    ),
    'POST account/set-margin': row(
      `category* ${FUT}, symbol*, posSide* long/short, operation* add/remove, amount*`,
      '"success"',
    ),
    'GET account/open-interest-limit': row(
      `category* ${FUT}, symbol*`,
      '{symbol, singleUserLimit, masterSubLimit, marketMakerLimit}',
    ),
    'GET account/eligible-symbols': row('symbol', `[${INSTRUMENT}]`),
    'GET account/eligible-margin-tier': row('coin', `[{coin, tiers:[${TIER}]}]`),
    'GET account/eligible-loan-info': row('coin', '[{coin, limit, masterSubLimit, platformRemaingQuota}]'),
    'GET tax/records': row(
      `bizType* ${ALL5}/OTHER, marginType isolated/crossed, coin, startTime*, endTime*, limit, cursor`,
      '[{id, coin, type, amount, fee, balance, ts}]',
    ),
  },
  'wire 4.4': {
    'POST user/create-sub': row('username*, accountMode classic/unified, note', `{${SUB}}`),
    'POST user/freeze-sub': row('subUid*, operation* freeze/unfreeze', '{}'),
    'GET user/sub-list': row(
      'limit, cursor',
      `{list:[{${SUB}, accountMode, type}], hasNext:boolean, cursor}`,
    ),
    'POST user/create-sub-api': row(
      `subUid*, note*, type* ${KEY_TYPE}, passphrase*, permissions* [uta_mgt/uta_trade], ips* [text]`,
      `{${SUB_KEY}, secret}`,
    ),
    // One of the two spellings is required.
    'POST user/update-sub-api': row(
      `apiKey, apikey, passphrase*, type ${KEY_TYPE}, permissions [uta_mgt/uta_trade], ips [text]`,
      `{${SUB_KEY}}`,
    ),
    'POST user/delete-sub-api': row('apiKey*', '{}'),
    'GET user/sub-api-list': row(
      'subUid*, limit, cursor',
      `{items:[{${SUB_KEY}, ts}], list:[{${SUB_KEY}, ts}], hasNext:boolean, cursor}`,
    ),
    'POST user/sub-account/agent-create': row(
      'username*, passphrase*, note',
      '{username, subUid, apiKey, secret, note, createdTime}',
    ),
    // Letter case does not matter on the way in (wire rule 20).
    'GET user/rate-limit-quota': row(
      'category* SPOT/FUTURES, uid, cursor, limit',
      '{category, quotaList:[{uid, quota}], masterSubQuota, masterSubCap, cursor}',
    ),
    'POST user/set-rate-limit-quota': row('category* SPOT/FUTURES, uids* [text], quota*', '{}'),
    'GET account/sub-unified-assets': row('subUid, cursor, limit', `[{subUid, cursor, assets:[${COIN}]}]`),
    'POST account/sub-transfer': row(
      `${TRANSFER}, fromUserId*, toUserId*, clientOid*`,
      '{transferId, clientOid}',
    ),
    'POST account/sub-master-transfer': row(`${TRANSFER}, clientOid`, '{transferId, clientOid}'),
    'GET account/sub-transfer-record': row(
      `subUid, role initiator/receiver, coin, clientOid, ${PAGE}`,
      `{list:[${TRANSFERRED}], items:[${TRANSFERRED}], cursor}`,
    ),
  },
  'wire 4.5': {
    'POST broker/create-sub': row('subaccountName*, label*', `{${BROKER_SUB}, subaccountEmail}`),
    'GET broker/sub-list': row(
      'limit, cursor, status normal/freeze',
      `{subList:[{${BROKER_SUB}, subaccountEmail, language, uTime}]}`,
    ),
    'POST broker/modify-sub': row(
      'subUid*, status normal/freeze, permList [withdraw/transfer/spot_trade/contract_trade/margin_trade/deposit]',
      `{${BROKER_SUB}, uTime}`,
    ),
    'POST broker/sub-withdrawal': row(
      'subUid*, coin*, dest* on_chain/internal_transfer, address*, amount*, chain, tag, clientOid',
      IDS,
    ),
    'POST broker/sub-deposit-address': row(
      'subUid*, coin*, chain',
      '{subUid, coin, address, chain, tag, url, cTime}',
    ),
    'GET broker/all-sub-deposit-withdrawal': row(
      `${PAGE}, status pending/fail/success`,
      '{list:[{uid, txId, type, subType, coin, amount, status, ts}], endId}',
    ),
    'GET broker/commission': row(
      `${TIMES}, pageSize, pageNo, bizType SPOT/FUTURES, subBizType spot_trade/spot_margin/usdt_futures/usdc_futures/coin_futures`,
      '[{uid, coin, symbol, dealtAmount, totalFee, deductedFee, paidFee, markUpFee, totalCommission}]',
    ),
    'POST broker/create-sub-apikey': row(
      `subUid*, passphrase*, label*, permType* ${KEY_TYPE}, permList* [uta_trade/uta_mgt/withdraw], ipList [text]`,
      `{${BROKER_KEY}, secretKey}`,
    ),
    'POST broker/delete-sub-apikey': row('subUid*, apiKey*', 'null'),
    'GET broker/query-sub-apikey': row('subUid*, apiKey', `{${BROKER_KEY}, secretKey}`),
  },
  'wire 4.6': {
    'GET loan/coins': row(
      'coin',
      [
        '{loanInfos:[{coin, hourRateFlexible, rateFlexible, hourRate7D, rate7D, hourRate30D, rate30D',
        'minBorrowAmount, maxBorrowAmount, minBorrowLimit, maxBorrowLimit}]',
        'pledgeInfos:[{coin, initRate, supRate, forceRate, minPledgeAmount, maxPledgeAmount}]}',
      ].join(', '),
    ),
    'GET loan/interest': row(
      `loanCoin*, pledgeCoin*, daily* ${TERM}, pledgeAmount*`,
      '{hourInterest, loanAmount}',
    ),
    'POST loan/borrow': row(`loanCoin*, pledgeCoin*, daily* ${TERM}, pledgeAmount, loanAmount`, '{orderId}'),
    'GET loan/borrow-ongoing': row(
      'orderId, loanCoin, pledgeCoin',
      [
        '[{orderId, loanCoin, loanAmount, interestAmount, hourInterestRate, pledgeCoin, pledgeAmount, pledgeRate',
        'supRate, forceRate, borrowTime, expireTime}]',
      ].join(', '),
    ),
    'POST loan/repay': row(
      'orderId*, method* borrowed_coin/collateral, repayAll* yes/no, amount, repayUnlock yes/no',
      `{${REPAID}}`,
    ),
    'GET loan/repay-history': row(`${LOAN_PAGE}, loanCoin`, `[{${REPAID}, orderId, repayTime}]`),
    'POST loan/revise-pledge': row(
      'orderId*, amount*, pledgeCoin*, reviseType IN/OUT',
      '{loanCoin, pledgeCoin, afterPledgeRate}',
    ),
    'GET loan/reduces': row(
      `${LOAN_PAGE}, loanCoin, status`,
      [
        '[{orderId, loanCoin, pledgeCoin, reduceTime, pledgeRate, pledgePrice, status, pledgeAmount, reduceFee',
        'residueAmount, runlockAmount, repayLoanAmount}]',
      ].join(', '),
    ),
  },
  'wire 6.1': {
    'GET v2/spot/public/coins': row(
      'coin',
      [
        '[{coinId, coin, transfer, areaCoin, chains:[{chain, needTag, withdrawable, rechargeable, withdrawFee',
        'extraWithdrawFee, depositConfirm, withdrawConfirm, minDepositAmount, minWithdrawAmount, browserUrl',
        'contractAddress, withdrawStep, withdrawMinScale, congestion}]}]',
      ].join(', '),
    ),
  },
  'wire 6.3': {
    'GET v2/mix/market/symbol-price': row(
      `symbol*, productType* ${FUT}`,
      '[{symbol, price, indexPrice, markPrice, ts}]',
    ),
    'GET v2/mix/market/tickers': row(
      `productType* ${FUT}`,
      [
        '[{symbol, lastPr, askPr, bidPr, askSz, bidSz, high24h, low24h, open24h, change24h, baseVolume, quoteVolume',
        'indexPrice, markPrice, fundingRate, holdingAmount, nextFundingTime, fundingRateInterval, ts}]',
      ].join(', '),
    ),
    'GET v2/mix/market/current-fund-rate': row(`productType* ${FUT}, symbol`, FUND_RATE),
    'GET v2/mix/account/account': row(ON_MIX, MIX_ACCOUNT),
    'POST v2/mix/account/set-margin-mode': row(`${ON_MIX}, marginMode* ${MARGIN_MODE}`, MIX_ACCOUNT),
    'POST v2/mix/account/set-margin': row(`${ON_MIX}, amount*, holdSide long/short`, '""'),
    'POST v2/mix/account/set-auto-margin': row(
      `symbol*, productType ${FUT}, marginCoin, autoMargin* on/off, amount, holdSide long/short`,
      '"success"',
    ),
    'GET v2/spot/account/transferRecords': row(
      `coin, fromType ${WALLET}, clientOid, idLessThan, ${TIMES}, limit`,
      '[{transferId, coin, size, fromType, fromSymbol, toType, toSymbol, status, ts, clientOid}]',
    ),
  },
};

const LOWER5 = 'spot/margin/usdt-futures/coin-futures/usdc-futures';
const BOOK = '{a:[[text]], b:[[text]], seq:integer, pseq:integer, ts}';
const SIDE = 'side:buy/sell';
const FILLED = `category:${LOWER5}, symbol, orderId, clientOid, execId, ${SIDE}, holdSide:""/long/short/net, tradeScope:taker/maker, execPrice, execQty, execTime, updatedTime`;

/** What one element of a push holds; `…` is a long list of words, which are those of the interface (`objects.ts`). */
export const PUSHES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'wire 5.3': {
    // The category is added, as over HTTP.
    ticker: `{category:${ALL5}, ${TICKER}, nextFundingTime?, deliveryTime?, deliveryStartTime?, deliveryStatus?:delivery_config_period/delivery_normal/delivery_before/delivery_period}`,
    kline: '{start, open, high, low, close, volume, turnover}',
    books: BOOK,
    books1: BOOK,
    books5: BOOK,
    books15: BOOK,
    books50: BOOK,
    'rpi-books': BOOK,
    'rpi-books1': BOOK,
    'rpi-books5': BOOK,
    'rpi-books50': BOOK,
    publicTrade: '{i, L, p, P, v, S:buy/sell, T, isRPI:yes/no}',
    liquidation: `{symbol, ${SIDE}, price, amount, ts}`,
  },
  'wire 5.4': {
    account: [
      '{totalEquity, effEquity, mmr, imr, mgnRatio, positionMgnRatio, unrealisedPnL',
      'coin:[{coin, equity, balance, available, locked, borrow, debts, usdValue}]}',
    ].join(', '),
    position: [
      '{symbol, marginCoin, holdMode:one_way_mode/hedge_mode, posSide:long/short, marginMode:crossed/isolated, size',
      'available, frozen, leverage, marginSize, avgPrice, markPrice, breakEvenPrice, liqPrice, mmr, unrealisedPnl',
      'curRealisedPnl, profitRate, totalFundingFee, openFeeTotal, closeFeeTotal, positionStatus:opening/ended',
      'createdTime, updatedTime}',
    ].join(', '),
    // The last three are names that one client reads.
    order: [
      `{category:${LOWER5}, symbol, orderId, clientOid, requestId?, price, qty, amount`,
      'holdMode:""/one_way_mode/hedge_mode, holdSide:""/long/short/net, tradeSide:…, delegateType:…',
      `orderType:${AS}, timeInForce:ioc/fok/gtc/post_only/rpi, ${SIDE}, marginMode:""/crossed/isolated`,
      'marginCoin, reduceOnly:yes/no, cumExecQty, cumExecValue, avgPrice, totalProfit',
      'orderStatus:live/new/partially_filled/filled/cancelled, cancelReason:…, leverage',
      `${STP.replace(' ', ':')}, ${FEES}, createdTime, updatedTime`,
      'posMode?:one_way_mode/hedge_mode, newSize?, baseSize?}',
    ].join(', '),
    fill: `{${FILLED}, execLinkId, orderType:${AS}, tradeSide:…, execValue, execPnl, ${FEES}, isRPI:yes/no}`,
    'fast-fill': `{${FILLED}}`,
    'strategy-order': [
      `{category:${LOWER5}, symbol, orderId, clientOid, qty, ${SIDE}, posSide:""/long/short, reduceOnly:yes/no`,
      'type:tpsl/trigger, status:pending/success/failed/cancelled/submitting',
      'triggerType:""/takeProfit/stopLoss, tpTriggerBy:""/market/mark, slTriggerBy:""/market/mark',
      'takeProfit, stopLoss, tpOrderType:""/limit/market, slOrderType:""/limit/market, tpLimitPrice',
      'slLimitPrice, triggerBy:""/market/mark, triggerPrice, triggerOrderType:""/limit/market',
      'triggerOrderPrice, createdTime, updatedTime}',
    ].join(', '),
    // The category is added: a symbol alone may stand in several.
    'adl-notification': `{category:${LOWER5}, symbol, ${SIDE}, status:triggered, price, amount, ts}`,
  },
};

const ARG = 'arg:{instType?, topic?, symbol?, instId?, interval?}';
const IN_PUSH = `action:snapshot/update, ${ARG}, ts:integer`;

/** Each call over a socket, and the same under the name that another client has for it. */
const TRADE_TOPICS = [
  'place-order/batch-place/batch-place-order/modify-order/batch-modify/batch-modify-order',
  'cancel-order/batch-cancel/batch-cancel-order',
].join('/');

/** The frames around them. */
export const FRAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'wire 5.2': {
    ping: '"ping"',
    pong: '"pong"',
    subscribe: `{op:subscribe/unsubscribe, args:[{instType?, topic?, symbol?, instId?, interval?}]}`,
    acknowledgement: `{event:subscribe/unsubscribe, ${ARG}, connId}`,
    error: `{event:"error", code:…, msg, arg?:{instType?, topic?, symbol?, instId?, interval?}, connId}`,
    login: '{op:"login", args:[{apiKey, passphrase, timestamp:text or number, sign}]}',
    'logged-in': '{event:"login", code:0, msg:"success", connId}',
    push: `{${IN_PUSH}, data:[…]}`,
  },
  'wire 5.5': {
    'trade-reply': [
      `{event:"trade", id, category, topic:${TRADE_TOPICS}, args:[{symbol, orderId, clientOid, cTime?, code?, msg?}], code:"0"`,
      'msg:"success", ts, connId, receiveTime, pushTime, rateLimit:[{limit, remaining}]}',
    ].join(', '),
    'trade-refusal': '{event:"error", id, code, msg, connId}',
  },
};

/** Numbers of error frames, and whether the connection ends with them. */
export const CONTROL_CODES: Readonly<Record<number, 'stays' | 'ends'>> = {
  30001: 'stays',
  30002: 'stays',
  30003: 'stays',
  30004: 'stays',
  30005: 'ends',
  30006: 'stays',
  30007: 'ends',
  30011: 'ends',
  30012: 'ends',
  30013: 'ends',
  30014: 'ends',
  30015: 'ends',
  30016: 'stays',
  30033: 'stays',
  // The code of the same refusal over HTTP.
  40014: 'stays',
};

/** Wire 5.1, by the names that the exchange has for them. */
export const SOCKET_LIMITS: Readonly<Record<string, number>> = {
  SUBSCRIBE_BYTES_MAX: 4096,
  MESSAGES_PER_SECOND: 10,
  SUBSCRIBE_REQUESTS_PER_HOUR: 240,
  CHANNELS_PER_CONNECTION_MAX: 1000,
  CONNECTIONS_PER_ADDRESS_MAX: 100,
  IDLE_MAX_MS: 2 * 60_000,
  AGE_MAX_MS: 24 * 3_600_000,
  AGE_NOTICE_MS: 60_000,
  BOOK_LEVELS_MAX: 1000,
};

export const BOOK_LEVELS: Readonly<Record<string, number | 'all'>> = {
  books: 'all',
  books1: 1,
  books5: 5,
  books15: 15,
  books50: 50,
  'rpi-books': 'all',
  'rpi-books1': 1,
  'rpi-books5': 5,
  'rpi-books50': 50,
};

export const TOPIC_RIGHTS: Readonly<Record<string, string>> = {
  account: 'mgt_read',
  position: 'trade_read',
  order: 'trade_read',
  fill: 'trade_read',
  'fast-fill': 'trade_read',
  'strategy-order': 'trade_read',
  'adl-notification': 'trade_read',
};
