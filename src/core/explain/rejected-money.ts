/** Rejections of transfers, withdrawals, funds, loans and conversions (rules 4, 6.8, 7, 13.5 to 13.7). */
import { coinBounds } from '../loan/borrow.ts';
import { wholeEquity } from '../margin/bad-debt.ts';
import { coinUsd } from '../margin/collateral.ts';
import { freeCustody } from '../margin/custody.ts';
import { mostLeaving } from '../margin/other-wallets.ts';
import { freshPrices } from '../margin/pledges.ts';
import type { Command } from '../model/command.ts';
import { NEWEST_EDITION } from '../model/edition.ts';
import { WALLET_NAMES } from '../model/enums.ts';
import { LOANS_MAX, LOANS_PER_ACCOUNT_MAX, MONEY_MAX, PENDING_WITHDRAWALS_MAX } from '../model/limits.ts';
import { boundsOf, levelsOf } from '../model/loan-terms.ts';
import { freePledge, loanFor, pledgeFor } from '../model/ltv.ts';
import { formatOrderId } from '../model/order-id.ts';
import { formatMoney } from '../model/units.ts';
import type { State } from '../state/state.ts';
import { amountText, coinName, type Facts, quoteText, rateText, timeText, usdText } from './figures.ts';
import { coinPriceFacts, crossFacts, indexFacts } from './price-facts.ts';
import { available, coinAmount, rejection } from './rejection.ts';
import type { Subject } from './subject.ts';

const RANGE = `above 0, at most ${formatMoney(MONEY_MAX)}`;

function amounts({ command }: Subject): Facts {
  switch (command.type) {
    case 'setEdition':
      return { edition: String(command.edition) };
    case 'componentPrice':
      return { price: formatMoney(command.price), volume: formatMoney(command.volume) };
    case 'loanBorrow':
      return { loan: formatMoney(command.loanAmount), pledge: formatMoney(command.pledgeAmount) };
    case 'setAutoMargin':
      return { room: formatMoney(command.room) };
    case 'placeOrder':
    case 'placeStrategy':
    case 'modifyStrategy':
      return { amount: quoteText(command.quoteAmount) };
    default:
      return 'amount' in command ? { amount: formatMoney(command.amount) } : {};
  }
}

function amountRange({ state, command }: Subject): string {
  if (command.type === 'setEdition') return `above ${state.edition}, at most ${NEWEST_EDITION}`;
  if (command.type === 'adjustMargin') return 'not 0';
  if (command.type === 'fundInsurance' || command.type === 'fundLoanPool')
    return `not 0, at most ${formatMoney(MONEY_MAX)} in either direction`;
  return RANGE;
}

function transferFacts({ command, account, receiver, state }: Subject): Facts {
  if (
    command.type !== 'transfer' &&
    command.type !== 'movePositions' &&
    command.type !== 'internalWithdrawal'
  )
    return {};
  const partyOf = (each: typeof account) => String(each === undefined ? 0 : state.accounts[each.party]!.uid);
  return {
    ...('initiatorUid' in command && { by: String(command.initiatorUid) }),
    from: 'fromUid' in command ? String(command.fromUid) : String(command.uid),
    to: String(command.toUid),
    partyOfFrom: partyOf(account),
    partyOfTo: partyOf(receiver),
    ...(command.type === 'transfer' && {
      fromWallet: WALLET_NAMES[command.fromWallet],
      toWallet: WALLET_NAMES[command.toWallet],
    }),
  };
}

const oidFacts = ({ command }: Subject): Facts =>
  'clientOid' in command ? { clientOid: command.clientOid ?? '' } : {};

function custodyFacts({ state, coin, command }: Subject): Facts {
  const of = coin ?? withdrawalCoin(state, command);
  if (of === undefined) return {};
  return { asked: asked(state, command), held: amountText(state, of, freeCustody(state, of)) };
}

function withdrawalCoin(state: State, command: Command): number | undefined {
  return command.type === 'endWithdrawal' ? state.withdrawals.get(command.withdrawalId)?.coin : undefined;
}

function asked(state: State, command: Command): string {
  if (command.type === 'endWithdrawal') {
    const withdrawal = state.withdrawals.get(command.withdrawalId);
    if (withdrawal === undefined) return '0';
    return formatMoney(withdrawal.fromFunding + withdrawal.fromUnified - withdrawal.fee);
  }
  if (!('amount' in command)) return '0';
  const size = command.amount < 0n ? -command.amount : command.amount;
  return formatMoney(command.type === 'requestWithdrawal' ? size - command.fee : size);
}

function custodyBound({ state, coin, command }: Subject): string {
  const of = coin ?? withdrawalCoin(state, command);
  return of === undefined ? '' : `at most ${amountText(state, of, freeCustody(state, of))}`;
}

function loanFacts(s: Subject): Facts {
  const { state, command } = s;
  if (command.type !== 'loanBorrow') return {};
  const { loanCoin, pledgeCoin, loanAmount, pledgeAmount } = command;
  const spec = state.coins[pledgeCoin]?.pledge;
  const prices = freshPrices(state, loanCoin, pledgeCoin);
  if (spec === undefined || prices === undefined) return amounts(s);
  const { init } = levelsOf(spec);
  const loan = loanAmount > 0n ? loanAmount : loanFor(pledgeAmount, init, prices);
  const pledge = pledgeAmount > 0n ? pledgeAmount : pledgeFor(loanAmount, init, prices);
  return {
    loan: amountText(state, loanCoin, loan),
    pledge: amountText(state, pledgeCoin, pledge),
    initialRate: rateText(init),
    loanPrice: usdText(coinUsd(state, loanCoin)),
    pledgePrice: usdText(coinUsd(state, pledgeCoin)),
  };
}

function bounds({ state, command }: Subject, which: 'loan' | 'pledge'): string {
  if (command.type !== 'loanBorrow') return '';
  const coin = which === 'loan' ? command.loanCoin : command.pledgeCoin;
  const spec = state.coins[coin]?.[which];
  if (spec === undefined) return '';
  const { min, max } = coinBounds(state, coin, boundsOf(spec));
  return `${amountText(state, coin, min)} to ${amountText(state, coin, max)}`;
}
const loanBounds = (s: Subject): string => bounds(s, 'loan');
const pledgeBounds = (s: Subject): string => bounds(s, 'pledge');

function loanOf({ state, command }: Subject) {
  return 'loanId' in command ? state.loans.loans.get(command.loanId) : undefined;
}

function loanName({ command }: Subject): Facts {
  return 'loanId' in command ? { loan: formatOrderId(command.loanId) } : {};
}

function ownLoans({ state, account }: Subject): string {
  const ids =
    account === undefined ? [] : [...state.loans.of(account.index)].map(({ id }) => formatOrderId(id));
  return ids.length === 0 ? 'none: the account has no ongoing loan' : `one of ${ids.join(', ')}`;
}

function pledgeFacts(s: Subject): Facts {
  const { state } = s;
  const loan = loanOf(s);
  if (loan === undefined) return {};
  const prices = freshPrices(state, loan.loanCoin, loan.pledgeCoin);
  const spec = state.coins[loan.pledgeCoin]?.pledge;
  return {
    asked: coinAmount(s),
    debt: amountText(state, loan.loanCoin, loan.debt()),
    pledge: amountText(state, loan.pledgeCoin, loan.pledge),
    ...(prices !== undefined &&
      spec !== undefined && {
        initialRate: rateText(levelsOf(spec).init),
        free: amountText(
          state,
          loan.pledgeCoin,
          freePledge(loan.debt(), loan.pledge, levelsOf(spec).init, prices),
        ),
      }),
  };
}

/** Coins whose prices the command needs. */
function pricedCoins(s: Subject): readonly number[] {
  const { command, account, state, instrument } = s;
  if (command.type === 'repay') return [command.debtCoin, command.payCoin];
  if (command.type === 'loanBorrow') return [command.loanCoin, command.pledgeCoin];
  const loan = loanOf(s);
  if (loan !== undefined) return [loan.loanCoin, loan.pledgeCoin];
  const held = account === undefined ? [] : state.ledger.coinsOf(account.index);
  return instrument === undefined ? held : [...new Set([instrument.base, instrument.quote, ...held])];
}

function priceFacts(s: Subject): Facts {
  const { state } = s;
  const coins = pricedCoins(s).filter((coin) => state.coins[coin] !== undefined);
  return Object.assign({ now: timeText(state.now) }, ...coins.map((coin) => coinPriceFacts(state, coin)));
}

function conversionFacts(s: Subject): Facts {
  const { state, command } = s;
  const known = command.type === 'repay' ? crossFacts(state, command.debtCoin, command.payCoin) : {};
  return { ...priceFacts(s), ...known };
}

function contractIndex({ state, instrument }: Subject): Facts {
  if (instrument === undefined) return {};
  const { index } = state.market(instrument);
  return { now: timeText(state.now), ...indexFacts(state, instrument.indexName, index) };
}

/** What the rule would let out of the wallet now. */
function stillLeaving({ state, account, coin }: Subject): string {
  if (account === undefined || coin === undefined) return '0';
  return `${formatMoney(mostLeaving(state, account, coin))} ${coinName(state, coin)}`;
}

const equityFacts = ({ state, account }: Subject): Facts =>
  account === undefined ? {} : { equityOfAllWallets: usdText(wholeEquity(state, account)) };

export const REJECTED_MONEY_COMMANDS = {
  amountOutOfRange: rejection('the amount is in range', 'rules 0.3', amounts, amountRange),
  sameWallet: rejection(
    'the two ends differ',
    'rules 4.1',
    transferFacts,
    'another account or another wallet',
  ),
  notOneParty: rejection(
    'both accounts are of one party, and the sender may do it',
    'rules 4.1',
    transferFacts,
    'by the main account, or by a sub-account with its own money to itself or upwards',
    'an account of the same party; to others a withdrawal',
  ),
  transferOidInUse: rejection(
    'the client id is new',
    'rules 4.2',
    oidFacts,
    'not that of an earlier transfer or withdrawal',
    'another clientOid; the earlier one has been carried out already',
  ),
  unknownWithdrawal: rejection(
    'the withdrawal is pending',
    'rules 4.2',
    ({ command }) => (command.type === 'endWithdrawal' ? { id: formatOrderId(command.withdrawalId) } : {}),
    'a pending withdrawal, of the caller or of anybody for the operator',
    ({ state }) => `one of the ${state.withdrawals.size} that are pending`,
  ),
  tooManyWithdrawals: rejection(
    'few enough withdrawals are pending',
    'rules 4.2',
    ({ state }) => ({ pending: String(state.withdrawals.size) }),
    `fewer than ${PENDING_WITHDRAWALS_MAX}`,
    'the same when some have been paid',
  ),
  feeAboveAmount: rejection(
    'the amount exceeds the fee',
    'rules 4.2',
    ({ command }) =>
      command.type === 'requestWithdrawal'
        ? { amount: formatMoney(command.amount), fee: formatMoney(command.fee) }
        : {},
    ({ command }) =>
      command.type === 'requestWithdrawal' ? `above ${formatMoney(command.fee)}` : 'above the fee',
  ),
  custodyTooSmall: rejection('the exchange holds as much', 'rules 13.5', custodyFacts, custodyBound),
  debtIsCovered: rejection(
    'the account owes more than it owns',
    'rules 13.7',
    equityFacts,
    'equity of all wallets of at most 0',
    'a repayment out of what the account owns',
  ),

  coinNotOffered: rejection(
    'the coin is lent and pledged',
    'rules 7.1',
    ({ state, command }) =>
      command.type === 'loanBorrow'
        ? { loan: coinName(state, command.loanCoin), pledge: coinName(state, command.pledgeCoin) }
        : 'coin' in command
          ? { coin: coinName(state, command.coin) }
          : {},
    'a coin with terms for loans, against another coin with terms for pledges',
    ({ state }) => {
      const lent = state.coins.filter(({ loan }) => loan !== undefined).map(({ coin }) => coin);
      const pledged = state.coins.filter(({ pledge }) => pledge !== undefined).map(({ coin }) => coin);
      return `a loan of ${lent.join(', ') || 'none'} against ${pledged.join(', ') || 'none'}`;
    },
  ),
  oneAmountNeeded: rejection(
    'one of the two amounts is given',
    'rules 7.2',
    amounts,
    'one above 0, the other 0',
  ),
  loanTooSmall: rejection(
    'the loan is large enough',
    'rules 7.2',
    loanFacts,
    loanBounds,
    (s) => `at least ${available(s)}`,
  ),
  loanTooLarge: rejection(
    'the loan is small enough',
    'rules 7.2',
    loanFacts,
    loanBounds,
    (s) => `at most ${available(s)}`,
  ),
  pledgeTooSmall: rejection(
    'the pledge is large enough',
    'rules 7.2',
    loanFacts,
    pledgeBounds,
    (s) => `at least ${available(s)}`,
  ),
  pledgeTooLarge: rejection(
    'the pledge is small enough',
    'rules 7.2',
    loanFacts,
    pledgeBounds,
    (s) => `at most ${available(s)}`,
  ),
  tooManyLoans: rejection(
    'there is room for one more loan',
    'rules 7.2',
    ({ state, account }) => ({
      ofTheAccount: String(account === undefined ? 0 : state.loans.countOf(account.index)),
      ofAll: String(state.loans.size),
    }),
    `fewer than ${LOANS_PER_ACCOUNT_MAX} of the account and ${LOANS_MAX} of all`,
    'the same when an older loan is repaid',
  ),
  unknownLoan: rejection(
    'the loan is ongoing',
    'rules 7.6',
    loanName,
    'an ongoing loan of the account',
    ownLoans,
  ),
  otherPledgeCoin: rejection(
    'the coin is that of the pledge',
    'rules 7.4',
    ({ state, command }) =>
      command.type === 'loanRevise' ? { coin: coinName(state, command.pledgeCoin) } : {},
    (s) => {
      const loan = loanOf(s);
      return loan === undefined ? '' : coinName(s.state, loan.pledgeCoin);
    },
  ),
  pledgeNeeded: rejection(
    'the rest of the pledge is enough',
    'rules 7.4',
    pledgeFacts,
    (s) => `at most ${available(s)}`,
  ),
  noCoinPrice: rejection(
    'the coins have reliable prices',
    'rules 13.6',
    priceFacts,
    'an index price that is neither stale nor silent',
    'the same when their indices have been reported',
  ),
  walletAwaitsPrice: rejection(
    'the wallet keeps what may be owed while prices are unknown',
    'rules 16.1',
    priceFacts,
    'what stays covers what the unified account can come to owe at any price',
    (s) => `at most ${stillLeaving(s)}, or the same when the indices have been reported`,
  ),
  conversionPriceOld: rejection(
    'the prices are fresh and agree',
    'rules 13.6',
    conversionFacts,
    'reported within the last minute, cross and direct index within 0.5 %',
    'the same after the next price, or payment in the coin of the debt',
  ),
  staleIndexPrice: rejection(
    'the index has been reported lately',
    'rules 13.6',
    contractIndex,
    'within the last minute',
    'the same after the next price of the index',
  ),
} as const;
