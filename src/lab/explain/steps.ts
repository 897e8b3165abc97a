/**
 * The steps of a liquidation: the rule of each, the bound that it keeps to, and what would have spared it. A new kind of event,
 * ledger line or forced order does not compile until it is said here what it is.
 */
import type { Facts } from '../../core/explain/figures.ts';
import { CANCEL_REASON_NAMES, CancelReason, OrderKind, StrategyStatus } from '../../core/model/enums.ts';
import type { Event, LedgerLineKind } from '../../core/model/event.ts';

export const STEP_KINDS = [
  'accountBegins',
  'positionBegins',
  'orderCancelled',
  'strategyCancelled',
  'marginAdded',
  'lossOwed',
  'pairNetted',
  'coinsSold',
  'positionCut',
  'positionClosed',
  'deleveragedAgainst',
  'deleveraged',
  'walletPays',
  'pledgeReleased',
  'loanClosed',
  'loanForced',
  'fundPays',
  'fundTakes',
  'lendingFundPays',
  'debtLeft',
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

export interface StepWords {
  readonly rule: string;
  readonly bound: string;
  readonly rightWouldBe: string;
}

type Words = (facts: Facts) => StepWords;

/** What each kind of forced order is; the end of a contract is no liquidation. */
const ORDER_STEPS: Readonly<Record<OrderKind, StepKind | undefined>> = {
  [OrderKind.user]: undefined,
  [OrderKind.offset]: 'pairNetted',
  [OrderKind.reduce]: 'positionCut',
  [OrderKind.liquidation]: 'positionClosed',
  [OrderKind.adl]: 'deleveraged',
  [OrderKind.delivery]: undefined,
  [OrderKind.delisting]: undefined,
  [OrderKind.move]: undefined,
};

/** Of a liquidation, and of own orders that the fund does not pay for. */
const CANCELS: ReadonlySet<CancelReason> = new Set([CancelReason.burst, CancelReason.delegatedRiskOrder]);

/** Lines that are steps themselves; each of the others comes with the event of its step, or never in a liquidation. */
const LINE_STEPS: Readonly<Record<LedgerLineKind, 'fund' | 'marginAdded' | 'of another event' | 'never'>> = {
  liquidation: 'fund',
  marginAdded: 'marginAdded',
  forcedTransferIn: 'of another event',
  forcedTransferOut: 'of another event',
  forcedIn: 'of another event',
  forcedOut: 'of another event',
  pledgeIn: 'of another event',
  buyDeal: 'of another event',
  sellDeal: 'of another event',
  openLong: 'of another event',
  openShort: 'of another event',
  closeLong: 'of another event',
  closeShort: 'of another event',
  deposit: 'never',
  withdrawal: 'never',
  withdrawalReturned: 'never',
  commission: 'never',
  transferIn: 'never',
  transferOut: 'never',
  tradeIn: 'never',
  tradeOut: 'never',
  fundingIn: 'never',
  fundingOut: 'never',
  marginRemoved: 'of another event',
  debtWrittenOff: 'never',
  loanIn: 'never',
  loanOut: 'never',
  loanInterest: 'never',
  pledgeOut: 'never',
  interest: 'never',
  convertIn: 'never',
  convertOut: 'never',
};

export const isPartOfAStep = (line: LedgerLineKind): boolean => LINE_STEPS[line] === 'of another event';

/**
 * What an event is in a liquidation. `inside`: did one of the account begin before it? Then a pledge is not released by its
 * owner, and a loan is closed for what the account owes. `closed`: has the position that it is about been closed in it?
 */
export function stepOf(event: Event, inside: boolean, closed: boolean): StepKind | undefined {
  switch (event.type) {
    case 'order':
      return inside && CANCELS.has(event.order.cancelReason) ? 'orderCancelled' : undefined;
    case 'strategyOrder':
      return inside && event.order.status === StrategyStatus.cancelled ? 'strategyCancelled' : undefined;
    case 'fill':
      return ORDER_STEPS[event.fill.futures?.kind ?? OrderKind.user];
    case 'conversion':
      return event.forced ? 'coinsSold' : undefined;
    case 'transfer':
      return event.initiatorUid === 0 ? 'walletPays' : undefined;
    case 'pledgeRevised':
      return inside && !event.into ? 'pledgeReleased' : undefined;
    case 'loanReduced':
      return inside ? 'loanClosed' : 'loanForced';
    case 'ledgerLine':
      return lineStep(event, inside, closed);
    // What a step leaves, and what others see of it.
    case 'loan':
    case 'positionClosed':
    case 'riskWarning':
    case 'trade':
      return undefined;
    // Of other work.
    case 'loanRepaid':
    case 'loanNotice':
    case 'positionMoved':
    case 'fundingSettled':
    case 'walletRecord':
    case 'candle':
    case 'priceCandle':
    case 'insuranceHour':
    case 'accountOpened':
    case 'coinListed':
    case 'instrument':
      return undefined;
  }
}

function lineStep(
  { kind, amount, instrument }: Extract<Event, { type: 'ledgerLine' }>,
  inside: boolean,
  closed: boolean,
): StepKind | undefined {
  const line = LINE_STEPS[kind];
  if (line === 'marginAdded') return !inside ? undefined : closed ? 'lossOwed' : 'marginAdded';
  if (line !== 'fund') return undefined;
  if (amount <= 0n) return 'fundTakes';
  return instrument < 0 ? 'lendingFundPays' : 'fundPays';
}

const words = (rule: string, bound: string, rightWouldBe: string): StepWords => ({
  rule,
  bound,
  rightWouldBe,
});
const inTheAccount = (amount: string | undefined): string => `${amount} more in the unified account`;
/** A closed long sells. */
const reachText = ({ side, reach }: Facts): string => `${side === 'sell' ? 'at least' : 'at most'} ${reach}`;

export const STEPS: Readonly<Record<StepKind, Words>> = {
  accountBegins: ({ liquidationRatio, lacks }) =>
    words(
      'rules 6.4',
      `a margin ratio below ${liquidationRatio}`,
      `at least ${lacks} more of collateral value`,
    ),
  positionBegins: ({ lacks }) =>
    words('rules 5.7', 'margin and profit above maintenance', `at least ${lacks} more of margin`),
  orderCancelled: ({ cancelReason }) =>
    cancelReason === CANCEL_REASON_NAMES[CancelReason.burst]
      ? words('rules 5.9 number 1', 'no open order', 'orders that their owner has cancelled before')
      : words(
          'rules 13.7',
          'no own order between bankruptcy and reach',
          'orders that others have placed there',
        ),
  strategyCancelled: () =>
    words(
      'rules 5.9 number 1',
      'no strategy order that waits',
      'orders that their owner has cancelled before',
    ),
  marginAdded: ({ amount }) =>
    words(
      'rules 5.9',
      'up to the initial margin, within what the position may take, and only if that cures it',
      `${amount} more of margin before`,
    ),
  lossOwed: ({ amount, budget }) =>
    words(
      'rules 13.7',
      `what the margin and the fund lack, of which the fund pays at most ${budget}`,
      `${amount} more of margin`,
    ),
  pairNetted: ({ qty, price }) =>
    words(
      'rules 5.9 number 3',
      `the smaller side of the pair, at the mark ${price}, without fee`,
      `a close of ${qty} on both sides by their owner`,
    ),
  coinsSold: ({ repaid }) =>
    words('rules 6.8', 'what is owed, and what is there of the coin', inTheAccount(repaid)),
  positionCut: (facts) =>
    words(
      'rules 5.9 number 5',
      `to the largest size within the tier two below, ${reachText(facts)}`,
      'a smaller position, or more collateral',
    ),
  positionClosed: (facts) =>
    words(
      'rules 5.9',
      `${reachText(facts)}; beyond ${facts.bankruptcyPrice} what the fund pays, at most ${facts.budget}`,
      'a close by the owner before, or more collateral',
    ),
  deleveragedAgainst: ({ price, bankruptcyPrice, reach }) => {
    const rest = `what the book does not take, at ${bankruptcyPrice} or ${reach}, whichever is better for the account`;
    return price === bankruptcyPrice || price === reach
      ? words('rules 5.11', rest, 'orders of others in the book up to there')
      : words(
          'rules 15.1',
          `${rest}, as far as the other side can bear it, which is ${price}`,
          'orders of others in the book up to there, or another side with money',
        );
  },
  deleveraged: ({ price }) =>
    words(
      'rules 5.11',
      `at ${price}, which leaves the account its own money`,
      'a lower place in the queue: less leverage',
    ),
  walletPays: ({ amount }) => words('rules 16.2', 'what is still owed', inTheAccount(amount)),
  pledgeReleased: ({ amount, supplementRate }) =>
    words(
      'rules 17.1',
      `what is still owed, and a pledge rate below ${supplementRate}`,
      `${inTheAccount(amount)}, or as much in the funding wallet`,
    ),
  loanClosed: ({ released, repaid, fee }) =>
    words(
      'rules 17.1',
      `only what is not needed for ${repaid} of debt and ${fee} of fee comes back`,
      `${inTheAccount(released)}, or as much in the funding wallet`,
    ),
  loanForced: ({ forceRate, supplementRate }) =>
    words(
      'rules 7.5',
      `a pledge rate below ${forceRate}`,
      `more pledge, or a smaller debt, when the rate was at ${supplementRate}`,
    ),
  fundPays: ({ amount, budget }) =>
    words(
      'rules 13.7',
      `at most ${budget} beyond the fee that it gets for the close`,
      `${amount} more behind the position`,
    ),
  fundTakes: () =>
    words('rules 5.9', 'what the margin of the closed position leaves', 'a close by the owner before'),
  lendingFundPays: ({ amount, budget }) =>
    words('rules 13.7', `what the account lacks over all wallets, at most ${budget}`, inTheAccount(amount)),
  debtLeft: ({ owed }) => words('rules 13.7', 'nothing owed', `a deposit of ${owed}`),
};
