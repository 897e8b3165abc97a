/**
 * The one table of calls: who may call it, how often a second, what it takes and answers (interface 4, 5 and 8, wire 4); and
 * what every push holds. In the notation of the documents: `*` required, `a/b` the allowed values, `[…]` a list, `?` only
 * where it applies, everything text unless it says otherwise. What this exchange adds has the reason beside it. The answers
 * of interface 4 are those of `endpoints.ts`, which holds every field of them against its kind.
 */
import type { Access } from '../../src/api/route.ts';
import { ENDPOINTS } from './endpoints.ts';
import {
  BROKER_KEY as BROKER_KEY_SHAPE,
  CATEGORIES,
  INSTRUMENTS,
  ORDER_FAILURE,
  ORDER_IDS,
  orderDetail,
  STRATEGY_ORDER,
} from './objects.ts';
import { notationOf } from './shape.ts';

const FUT = 'USDT-FUTURES/COIN-FUTURES/USDC-FUTURES';
const SPOT_FUT = `SPOT/${FUT}`;
const ALL5 = `SPOT/MARGIN/${FUT}`;
/** The funding wallet and the unified account; the other wallets that clients know do not exist here. */
const WALLET = 'spot/uta';
const OLD_WALLET = `${WALLET}/usdt_futures/usdc_futures/coin_futures/crossed_margin/isolated_margin/p2p`;

const TIMES = 'startTime, endTime';
const PAGE = `${TIMES}, limit, cursor`;
const NAMED = 'orderId, clientOid';
const LOAN_PAGE = 'orderId, pledgeCoin, startTime*, endTime*, pageNum, pageSize';

const IDS = notationOf(ORDER_IDS);
/** `code` and `msg` of what failed. */
const RESULT = notationOf(ORDER_IDS, ORDER_FAILURE);
const page = (item: string) => `{list:[${item}], cursor}`;

const BY = 'market/mark';
const AS = 'limit/market';
const PRESET = `takeProfit, stopLoss, tpTriggerBy ${BY}, slTriggerBy ${BY}, tpOrderType ${AS}, slOrderType ${AS}, tpLimitPrice, slLimitPrice`;
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
const WHOLE_ORDER = notationOf(...CATEGORIES.map(orderDetail));
const PLAN = notationOf(STRATEGY_ORDER);
const INSTRUMENT = notationOf(...INSTRUMENTS);
/** The part of a ticker that calls and pushes share. */
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
const BROKER_KEY = notationOf(BROKER_KEY_SHAPE).slice(1, -1);
const REPAID = 'loanCoin, pledgeCoin, repayAmount, payInterest, repayLoanAmount, repayUnlockAmount';
const TERM = 'FLEXIBLE/SEVEN/THIRTY';
const ON_MIX = `symbol*, productType* ${FUT}, marginCoin`;
const MIX_ACCOUNT = [
  '{symbol, marginCoin, marginMode, posMode, crossedMarginLeverage, isolatedLongLever, isolatedShortLever',
  'longLeverage, shortLeverage, isolatedLongAutoMargin, isolatedShortAutoMargin}',
].join(', ');

export interface Row {
  readonly access: Access;
  readonly perSecond: number;
  readonly asks: string;
  readonly answers: string;
}

/** A row as it stands in the table: access and rate, parameters, and the answer unless interface 4 has it. */
type Written = Omit<Row, 'answers'> & { readonly answers: string | undefined };

function row(right: `${Access} ${number}`, asks: string, answers?: string): Written {
  const [access, perSecond] = right.split(' ') as [Access, string];
  return { access, perSecond: Number(perSecond), asks, answers };
}

const WRITTEN: Readonly<Record<string, Readonly<Record<string, Written>>>> = {
  'interface 4.1': {
    'GET market/candles': row('public 20', CANDLES),
    'GET market/instruments': row('public 20', `category* ${ALL5}, symbol`),
    'GET market/tickers': row('public 20', `category* ${SPOT_FUT}, symbol`),
    'GET market/index-components': row('public 10', 'symbol*'),
    'GET market/fills': row('public 20', `category* ${ALL5}, symbol*, limit`),
  },
  'interface 4.2': {
    'GET trade/unfilled-orders': row('trade_read 20', `category ${ALL5}, symbol, ${PAGE}`),
    'GET trade/history-orders': row('trade_read 20', `category* ${ALL5}, symbol, ${PAGE}`),
    'GET trade/order-info': row('trade_read 20', NAMED),
    // The symbol is one that a client adds (wire 3.9).
    'GET trade/fills': row('trade_read 20', `category ${ALL5}, symbol, orderId, ${PAGE}`),
    'GET trade/history-strategy-orders': row(
      'trade_read 20',
      `category* ${ALL5}, type tpsl/trigger, ${PAGE}`,
    ),
  },
  'interface 4.3': {
    'POST trade/cancel-order': row('trade_write 10', `${NAMED}, category ${ALL5}, symbol`),
    'POST trade/cancel-batch': row('trade_write 5', `[${NAMED}, category* ${ALL5}, symbol*]`),
    'POST trade/cancel-symbol-order': row('trade_write 5', `category* ${ALL5}, symbol`),
    'POST trade/batch-modify-order': row('trade_write 10', `[${AMENDED}]`),
  },
  'interface 4.4': {
    'GET position/current-position': row('trade_read 20', `category* ${FUT}, symbol, posSide long/short`),
    'GET position/adlRank': row('trade_write 1', ''),
    'POST account/set-leverage': row(
      'mgt_write 10',
      `category* MARGIN/${FUT}, ${LEVERAGE}, marginMode ${MARGIN_MODE}`,
    ),
  },
  'interface 4.5': {
    'GET account/info': row('none 5', ''),
    'GET account/repayable-coins': row('mgt_read 10', ''),
    'POST broker/modify-sub-apikey': row(
      'broker_write 20',
      `subUid*, passphrase*, apiKey*, label, ipList [text], permType ${KEY_TYPE}, permList [uta_trade/uta_mgt/withdraw]`,
    ),
  },
  'interface 4.6': {
    'GET loan/borrow-history': row('mgt_read 10', `${LOAN_PAGE}, loanCoin, status`),
    'GET loan/pledge-rate-history': row('mgt_read 10', `${LOAN_PAGE}, reviseSide down/up`),
    'GET loan/debts': row('mgt_read 10', ''),
  },

  'wire 4.1': {
    'POST trade/place-order': row('trade_write 10', PLACED, IDS),
    'POST trade/place-batch': row('trade_write 5', `[${PLACED}]`, `[${RESULT}]`),
    'POST trade/modify-order': row('trade_write 10', `${AMENDED}, ${PRESET}, triggerPrice`, IDS),
    'POST trade/place-strategy-order': row(
      'trade_write 10',
      [
        `category* ${ALL5}, symbol*, clientOid, type tpsl/trigger/trailing, tpslMode full/partial, qty, side buy/sell`,
        `posSide long/short, reduceOnly yes/no, ${STP}, ${PRESET}, ${TRIGGER}`,
      ].join(', '),
      IDS,
    ),
    'POST trade/modify-strategy-order': row(
      'trade_write 10',
      `category ${ALL5}, ${NAMED}, qty, ${PRESET}, ${TRIGGER}`,
      IDS,
    ),
    'POST trade/cancel-strategy-order': row('trade_write 10', NAMED, 'null'),
    'GET trade/unfilled-strategy-orders': row(
      'trade_read 20',
      `category* ${ALL5}, type tpsl/trigger, symbol`,
      `[${PLAN}]`,
    ),
    'GET trade/strategy-sub-orders': row('trade_read 10', NAMED, page(WHOLE_ORDER)),
    'POST trade/countdown-cancel-all': row('trade_write 1', 'countdown*', '"success"'),
    'POST trade/close-positions': row(
      'trade_write 5',
      `category* ${FUT}, symbol, posSide long/short`,
      `{list:[${RESULT}]}`,
    ),
    'GET trade/loan-data': row(
      'trade_read 10',
      '',
      '{currentLoans, interestPaymentTime, debtCoinList:[{coin, debt, interestFreeAmount, interestRateNextHour}]}',
    ),
    'POST account/max-open-available': row('trade_read 5', MAX_OPEN.asks, MAX_OPEN.answers),
    'GET account/max-open-available': row('trade_read 5', MAX_OPEN.asks, MAX_OPEN.answers),
    'GET position/history-position': row(
      'trade_read 20',
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
      'main_trade_write 1',
      `fromUid*, toUid*, category* ${FUT}, positionList* [symbol*, side* buy/sell, qty*], clientOid`,
      `{closePosition:${MOVED}, openPosition:${MOVED}}`,
    ),
    'GET account/move-position-history': row(
      'main_trade_read 5',
      `category* ${FUT}, symbol, ${PAGE}`,
      page(
        '{category, fromUid, toUid, orderId, openExecId, closeExecId, symbol, posSide, qty, price, status, createdTime, updatedTime}',
      ),
    ),
  },
  'wire 4.2': {
    'GET public/time': row('public 20', '', '{serverTime}'),
    'GET market/time': row('public 20', '', '{serverTime}'),
    'GET v2/public/time': row('public 20', '', '{serverTime}'),
    'GET market/orderbook': row(
      'public 20',
      `category* ${ALL5}, symbol*, limit`,
      // The number of the `books` stream, so that the two fit together.
      '{a:[[text]], b:[[text]], ts, seq:integer}',
    ),
    'GET market/history-candles': row('public 20', CANDLES, '[[text]]'),
    'GET market/current-fund-rate': row('public 20', `category ${FUT}, symbol`, FUND_RATE),
    'GET market/history-fund-rate': row(
      'public 20',
      `category* ${FUT}, symbol*, cursor, limit`,
      '{resultList:[{symbol, fundingRate, fundingRateTimestamp}]}',
    ),
    'GET market/open-interest': row(
      'public 20',
      `category* ${FUT}, symbol`,
      '{list:[{symbol, openInterest}], ts}',
    ),
    'GET market/position-tier': row('public 20', `category* MARGIN/${FUT}, symbol, coin`, `[${TIER}]`),
    'GET market/risk-reserve': row(
      'public 20',
      `category* ${FUT}, symbol*, marginCoin`,
      '{totalBalance, coin, riskReserveRecords:[{type, amount, balance, ts}]}',
    ),
    'GET market/risk-reserve-hour': row(
      'public 20',
      `category* ${FUT}, symbol*, marginCoin`,
      '{coin, riskReserveRecords:[{amount, balance, ts}]}',
    ),
    'GET market/risk-reserve-all': row(
      'public 3',
      `category* ${FUT}`,
      '{list:[{symbols:[text], coin, balance}]}',
    ),
    'GET market/discount-rate': row('public 20', '', '[{coin, list:[{tierStartValue, discountRate}]}]'),
    'GET market/margin-loans': row(
      'public 20',
      'coin*',
      '{dailyInterest, annualInterest, limit, masterSubLimit, platformRemaingQuota}',
    ),
    'GET market/oi-limit': row(
      'public 10',
      `category* ${FUT}, symbol`,
      '[{symbol, notionalValue, totalNotionalValue}]',
    ),
    'GET market/proof-of-reserves': row(
      'public 20',
      '',
      '{merkleRootHash, totalReserveRatio, list:[{coin, userAssets, platformAssets, reserveRatio}]}',
    ),
    'GET market/liquidations': row(
      'public 5',
      `category* ${FUT}, symbol, limit, cursor`,
      page('{symbol, side, price, amount, ts}'),
    ),
    'GET market/fee-group': row(
      'public 5',
      'category* SPOT/FUTURES, group DEFAULT/GROUP_A/GROUP_B/GROUP_C',
      '[{category, group, labelList:[{weight, label, symbols:[text]}], tierList:[{level, makerFeeRate, takerFeeRate}]}]',
    ),
    'GET market/rpi-symbols': row('public 10', '', '[{category, symbol}]'),
    'GET market/rpi-orderbook': row(
      'public 10',
      `category* ${SPOT_FUT}, symbol*, limit`,
      '{a:[[text]], b:[[text]], ts}',
    ),
  },
  'wire 4.3': {
    'GET account/assets': row(
      'mgt_read 20',
      '',
      [
        '{accountEquity, usdtEquity, btcEquity, unrealisedPnl, usdtUnrealisedPnl, btcUnrealizedPnl, effEquity, mmr',
        `imr, mgnRatio, positionMgnRatio, assets:[${COIN}]}`,
      ].join(', '),
    ),
    'GET account/funding-assets': row('mgt_read 20', 'coin', '[{coin, available, frozen, balance}]'),
    'GET account/settings': row(
      'mgt_read 20',
      '',
      [
        '{uid, accountMode, assetMode, accountLevel, holdMode, stpMode',
        'symbolConfigList:[{category, symbol, marginMode, leverage}], coinConfigList:[{coin, leverage}]}',
      ].join(', '),
    ),
    'POST account/set-hold-mode': row('mgt_write 10', 'holdMode* one_way_mode/hedge_mode', '"success"'),
    'GET account/fee-rate': row('mgt_read 3', `category* ${ALL5}, symbol*`, '{makerFeeRate, takerFeeRate}'),
    'GET account/all-fee-rate': row(
      'mgt_read 3',
      `category* ${ALL5}, symbol`,
      '[{symbol, makerFeeRate, takerFeeRate}]',
    ),
    'GET account/financial-records': row(
      'mgt_read 20',
      `category* ${ALL5}/OTHER, symbol, coin, type, ${PAGE}`,
      page(LEDGER),
    ),
    'GET account/funding-financial-records': row(
      'mgt_read 10',
      `coin, type, symbol, ${PAGE}`,
      page('{id, coin, groupType, type, amount, fee, balance, ts}'),
    ),
    'GET account/convert-records': row(
      'mgt_read 20',
      `fromCoin, toCoin, ${PAGE}`,
      page('{fromCoin, fromCoinSize, toCoin, toCoinSize, price, ts}'),
    ),
    'POST account/transfer': row('mgt_write 5', `${TRANSFER}, clientOid`, '{transferId, clientOid}'),
    'GET account/transferable-coins': row('mgt_read 10', `fromType* ${WALLET}, toType* ${WALLET}`, '[text]'),
    'GET account/max-transferable': row('mgt_read 3', 'coin*', '{coin, maxTransfer, borrowMaxTransfer}'),
    'GET account/max-withdrawal': row(
      'mgt_read 10',
      'coin*',
      '{coin, otcMaxWithdrawal, spotMaxWithdrawal, utaMaxWithdrawal, totalMaxWithdrawal}',
    ),
    'POST account/repay': row(
      'mgt_write 5',
      'repayableCoinList* [text], paymentCoinList* [text]',
      '{result, repayAmount}',
    ),
    'GET account/payment-coins': row(
      'mgt_read 10',
      '',
      '{paymentCoinList:[{coin, size, amount}], maxSelection}',
    ),
    'GET account/deposit-address': row('mgt_read 10', 'coin*, chain, size', ADDRESS),
    'GET account/deposit-records': row(
      'mgt_read 10',
      'startTime*, endTime*, coin, orderId, clientOid, limit, cursor',
      `[{${DEPOSIT}}]`,
    ),
    'GET account/sub-deposit-address': row('main_read 10', 'subUid*, coin*, chain, size', ADDRESS),
    'GET account/sub-deposit-records': row('main_read 10', SUB_DEPOSITS, `[{${DEPOSIT}}]`),
    'POST account/sub-deposit-records': row('main_read 10', SUB_DEPOSITS, `[{${DEPOSIT}}]`),
    'POST account/withdrawal': row('withdraw 1', WITHDRAWAL, IDS),
    'POST account/withdraw': row('withdraw 1', WITHDRAWAL, IDS),
    'GET account/withdrawal-records': row(
      'mgt_read 10',
      'startTime*, endTime*, coin, orderId, clientOid, limit, cursor',
      `[{${DEPOSIT}, clientOid, fee, confirm, tag}]`,
    ),
    'GET account/withdraw-address': row(
      'mgt_read 1',
      'coin, type evm/regular/universal/internal, limit, cursor',
      '{addressList:[{coin, chain, address, countryCode, label, memo, type, internalType, createdTime}], cursor}',
    ),
    'POST account/cancel-withdrawal': row('withdraw 1', NAMED, '"success"'),
    'POST account/deposit-account': row('mgt_write 1', 'coin*, accountType* funding/unified', '"success"'),
    'POST account/switch-deduct': row('mgt_write 1', 'deduct* on/off', 'true'),
    'GET account/deduct-info': row('mgt_read 1', '', '{deduct}'),
    'POST account/switch': row('mgt_write 1', '', 'null'),
    'GET account/switch-status': row('mgt_read 5', '', '{status, reason}'),
    'POST account/adjust-account-mode': row(
      'mgt_write 1',
      'mode* basic/advanced/delta/isolated, targetUid',
      'null',
    ),
    'GET account/delta-info': row(
      'mgt_read 20',
      '',
      '{deltaEquityRatio, deltaThreshold, positionThreshold, list:[{coin, positionRatio}]}',
    ),
    'GET account/collateral-type': row('mgt_read 10', '', '{collateralType, collateralCoins}'),
    'POST account/set-collateral-type': row(
      'mgt_write 2',
      'collateralType* mainstream/all/custom, collateralCoins',
      '"success"',
    ),
    'GET account/custom-collateral-coins': row('public 10', '', '[{collateralCoin}]'),
    'GET account/pre-set-leverage': row(
      'mgt_read 10',
      `category* MARGIN/${FUT}, ${LEVERAGE}, marginMode* ${MARGIN_MODE}`,
      '{estMaxOpen, estMaxBorrowable, requiredMargin, marginChange}',
    ),
    'POST account/set-margin': row(
      'mgt_write 10',
      `category* ${FUT}, symbol*, posSide* long/short, operation* add/remove, amount*`,
      '"success"',
    ),
    'GET account/open-interest-limit': row(
      'mgt_read 5',
      `category* ${FUT}, symbol*`,
      '{symbol, singleUserLimit, masterSubLimit, marketMakerLimit}',
    ),
    'GET account/eligible-symbols': row('mgt_read 10', 'symbol', `[${INSTRUMENT}]`),
    'GET account/eligible-margin-tier': row('mgt_read 10', 'coin', `[{coin, tiers:[${TIER}]}]`),
    'GET account/eligible-loan-info': row(
      'mgt_read 10',
      'coin',
      '[{coin, limit, masterSubLimit, platformRemaingQuota}]',
    ),
    'GET tax/records': row(
      'mgt_read 1',
      `bizType* ${ALL5}/OTHER, marginType isolated/crossed, coin, startTime*, endTime*, limit, cursor`,
      '[{id, coin, type, amount, fee, balance, ts}]',
    ),
  },
  'wire 4.4': {
    'POST user/create-sub': row('main_write 10', 'username*, accountMode classic/unified, note', `{${SUB}}`),
    'POST user/freeze-sub': row('main_write 10', 'subUid*, operation* freeze/unfreeze', '{}'),
    'GET user/sub-list': row(
      'main_read 10',
      'limit, cursor',
      `{list:[{${SUB}, accountMode, type}], hasNext:boolean, cursor}`,
    ),
    'POST user/create-sub-api': row(
      'main_write 10',
      `subUid*, note*, type* ${KEY_TYPE}, passphrase*, permissions* [uta_mgt/uta_trade], ips* [text]`,
      `{${SUB_KEY}, secret}`,
    ),
    // One of the two spellings is required.
    'POST user/update-sub-api': row(
      'main_write 10',
      `apiKey, apikey, passphrase*, type ${KEY_TYPE}, permissions [uta_mgt/uta_trade], ips [text]`,
      `{${SUB_KEY}}`,
    ),
    'POST user/delete-sub-api': row('main_write 10', 'apiKey*', '{}'),
    'GET user/sub-api-list': row(
      'main_read 10',
      'subUid*, limit, cursor',
      `{items:[{${SUB_KEY}, ts}], list:[{${SUB_KEY}, ts}], hasNext:boolean, cursor}`,
    ),
    'POST user/sub-account/agent-create': row(
      'main_write 1',
      'username*, passphrase*, note',
      '{username, subUid, apiKey, secret, note, createdTime}',
    ),
    // Letter case does not matter on the way in (wire rule 20).
    'GET user/rate-limit-quota': row(
      'main_read 10',
      'category* SPOT/FUTURES, uid, cursor, limit',
      '{category, quotaList:[{uid, quota}], masterSubQuota, masterSubCap, cursor}',
    ),
    'POST user/set-rate-limit-quota': row(
      'main_write 5',
      'category* SPOT/FUTURES, uids* [text], quota*',
      '{}',
    ),
    'GET account/sub-unified-assets': row(
      'main_read 1',
      'subUid, cursor, limit',
      `[{subUid, cursor, assets:[${COIN}]}]`,
    ),
    'POST account/sub-transfer': row(
      'main_write 5',
      `${TRANSFER}, fromUserId*, toUserId*, clientOid*`,
      '{transferId, clientOid}',
    ),
    'POST account/sub-master-transfer': row(
      'mgt_write 5',
      `${TRANSFER}, clientOid`,
      '{transferId, clientOid}',
    ),
    'GET account/sub-transfer-record': row(
      'mgt_read 5',
      `subUid, role initiator/receiver, coin, clientOid, ${PAGE}`,
      `{list:[${TRANSFERRED}], items:[${TRANSFERRED}], cursor}`,
    ),
  },
  'wire 4.5': {
    'POST broker/create-sub': row(
      'broker_write 20',
      'subaccountName*, label*',
      `{${BROKER_SUB}, subaccountEmail}`,
    ),
    'GET broker/sub-list': row(
      'broker_read 20',
      'limit, cursor, status normal/freeze',
      `{subList:[{${BROKER_SUB}, subaccountEmail, language, uTime}]}`,
    ),
    'POST broker/modify-sub': row(
      'broker_write 20',
      'subUid*, status normal/freeze, permList [withdraw/transfer/spot_trade/contract_trade/margin_trade/deposit]',
      `{${BROKER_SUB}, uTime}`,
    ),
    'POST broker/sub-withdrawal': row(
      'broker_withdraw 20',
      'subUid*, coin*, dest* on_chain/internal_transfer, address*, amount*, chain, tag, clientOid',
      IDS,
    ),
    'POST broker/sub-deposit-address': row(
      'broker_read 20',
      'subUid*, coin*, chain',
      '{subUid, coin, address, chain, tag, url, cTime}',
    ),
    'GET broker/all-sub-deposit-withdrawal': row(
      'broker_read 20',
      `${PAGE}, status pending/fail/success`,
      '{list:[{uid, txId, type, subType, coin, amount, status, ts}], endId}',
    ),
    'GET broker/commission': row(
      'broker_read 1',
      `${TIMES}, pageSize, pageNo, bizType SPOT/FUTURES, subBizType spot_trade/spot_margin/usdt_futures/usdc_futures/coin_futures`,
      '[{uid, coin, symbol, dealtAmount, totalFee, deductedFee, paidFee, markUpFee, totalCommission}]',
    ),
    'POST broker/create-sub-apikey': row(
      'broker_write 20',
      `subUid*, passphrase*, label*, permType* ${KEY_TYPE}, permList* [uta_trade/uta_mgt/withdraw], ipList [text]`,
      `{${BROKER_KEY}, secretKey}`,
    ),
    'POST broker/delete-sub-apikey': row('broker_write 20', 'subUid*, apiKey*', 'null'),
    'GET broker/query-sub-apikey': row('broker_read 20', 'subUid*, apiKey', `{${BROKER_KEY}, secretKey}`),
  },
  'wire 4.6': {
    'GET loan/coins': row(
      'mgt_read 10',
      'coin',
      [
        '{loanInfos:[{coin, hourRateFlexible, rateFlexible, hourRate7D, rate7D, hourRate30D, rate30D',
        'minBorrowAmount, maxBorrowAmount, minBorrowLimit, maxBorrowLimit}]',
        'pledgeInfos:[{coin, initRate, supRate, forceRate, minPledgeAmount, maxPledgeAmount}]}',
      ].join(', '),
    ),
    'GET loan/interest': row(
      'mgt_read 10',
      `loanCoin*, pledgeCoin*, daily* ${TERM}, pledgeAmount*`,
      '{hourInterest, loanAmount}',
    ),
    'POST loan/borrow': row(
      'mgt_write 10',
      `loanCoin*, pledgeCoin*, daily* ${TERM}, pledgeAmount, loanAmount`,
      '{orderId}',
    ),
    'GET loan/borrow-ongoing': row(
      'mgt_read 10',
      'orderId, loanCoin, pledgeCoin',
      [
        '[{orderId, loanCoin, loanAmount, interestAmount, hourInterestRate, pledgeCoin, pledgeAmount, pledgeRate',
        'supRate, forceRate, borrowTime, expireTime}]',
      ].join(', '),
    ),
    'POST loan/repay': row(
      'mgt_write 10',
      'orderId*, method* borrowed_coin/collateral, repayAll* yes/no, amount, repayUnlock yes/no',
      `{${REPAID}}`,
    ),
    'GET loan/repay-history': row(
      'mgt_read 10',
      `${LOAN_PAGE}, loanCoin`,
      `[{${REPAID}, orderId, repayTime}]`,
    ),
    'POST loan/revise-pledge': row(
      'mgt_write 10',
      'orderId*, amount*, pledgeCoin*, reviseType IN/OUT',
      '{loanCoin, pledgeCoin, afterPledgeRate}',
    ),
    'GET loan/reduces': row(
      'mgt_read 10',
      `${LOAN_PAGE}, loanCoin, status`,
      [
        '[{orderId, loanCoin, pledgeCoin, reduceTime, pledgeRate, pledgePrice, status, pledgeAmount, reduceFee',
        'residueAmount, runlockAmount, repayLoanAmount}]',
      ].join(', '),
    ),
  },
  'wire 6.1': {
    'GET v2/spot/public/coins': row(
      'public 3',
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
      'public 20',
      `symbol*, productType* ${FUT}`,
      '[{symbol, price, indexPrice, markPrice, ts}]',
    ),
    'GET v2/mix/market/tickers': row(
      'public 20',
      `productType* ${FUT}`,
      [
        '[{symbol, lastPr, askPr, bidPr, askSz, bidSz, high24h, low24h, open24h, change24h, baseVolume, quoteVolume',
        'indexPrice, markPrice, fundingRate, holdingAmount, nextFundingTime, fundingRateInterval, ts}]',
      ].join(', '),
    ),
    'GET v2/mix/market/current-fund-rate': row('public 20', `productType* ${FUT}, symbol`, FUND_RATE),
    'GET v2/mix/account/account': row('mgt_read 10', ON_MIX, MIX_ACCOUNT),
    'POST v2/mix/account/set-margin-mode': row(
      'mgt_write 5',
      `${ON_MIX}, marginMode* ${MARGIN_MODE}`,
      MIX_ACCOUNT,
    ),
    'POST v2/mix/account/set-margin': row('mgt_write 5', `${ON_MIX}, amount*, holdSide long/short`, '""'),
    'POST v2/mix/account/set-auto-margin': row(
      'mgt_write 5',
      `symbol*, productType ${FUT}, marginCoin, autoMargin* on/off, amount, holdSide long/short`,
      '"success"',
    ),
    'GET v2/spot/account/transferRecords': row(
      'mgt_read 20',
      `coin, fromType ${OLD_WALLET}, clientOid, idLessThan, ${TIMES}, limit`,
      '[{transferId, coin, size, fromType, fromSymbol, toType, toSymbol, status, ts, clientOid}]',
    ),
  },
};

/** Rows by section and call. */
export const CALLS: Readonly<Record<string, Readonly<Record<string, Row>>>> = Object.fromEntries(
  Object.entries(WRITTEN).map(([section, rows]) => [
    section,
    Object.fromEntries(
      Object.entries(rows).map(([call, { answers = ENDPOINTS[call]!.notation, ...rest }]) => [
        call,
        { ...rest, answers },
      ]),
    ),
  ]),
);

/** The row of a call, such as `GET market/candles`; calls of older dialects have their version in front. */
export const rowOf = (call: string): Row | undefined =>
  Object.values(CALLS).find((rows) => Object.hasOwn(rows, call))?.[call];

/** The name of a route in the table. */
export const callOf = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path.replace(/^\/api\/(v3\/)?/, '')}`;

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
