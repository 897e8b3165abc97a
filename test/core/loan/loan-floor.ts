/** Pledge loans in the trading scenarios: terms of the published samples, pools with money, loans in people's words. */

import type { CommandResult } from '../../../src/core/model/command-result.ts';
import { Bucket } from '../../../src/core/model/ledger-accounts.ts';
import type { CoinSpec } from '../../../src/core/model/listing-spec.ts';
import {
  LOAN_TERM_NAMES,
  type LoanSpec,
  type LoanTerm,
  type LoanTermName,
  type PledgeSpec,
} from '../../../src/core/model/loan-terms.ts';
import { RejectReason } from '../../../src/core/model/reject-reason.ts';
import { formatUnits } from '../../../src/core/model/units.ts';
import { loanDebts, type OngoingLoan, ongoingLoans } from '../../../src/core/reads/loan-reads.ts';
import { money, moneyUnits, type RefusalName, refusalName } from '../dsl/words.ts';
import { BTC_PERPETUAL, FUTURES_COINS, FuturesFloor } from '../futures/futures-floor.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Prices that nobody repeats grow old after a quarter of an hour (rules 5.14). */
const PAUSE = 5 * 60_000;

const LIMITS = { minUsdt: '1', maxUsdt: '1000000' };
/** 3.05 %, 5.4 % and 7.7 % a year (rules 7.1). */
const USDT_LOAN: LoanSpec = {
  flexibleRate: '0.0305',
  sevenDayRate: '0.054',
  thirtyDayRate: '0.077',
  ...LIMITS,
};
/** 0.00000229 an hour for seven days, as in the published sample. */
const ETH_LOAN: LoanSpec = { flexibleRate: '0.01', sevenDayRate: '0.02', thirtyDayRate: '0.03', ...LIMITS };
export const PLEDGE: PledgeSpec = {
  initRate: '0.65',
  supRate: '0.75',
  forceRate: '0.83',
  minUsdt: '0',
  maxUsdt: '10000000',
};

const TERMS: Readonly<Record<string, Pick<CoinSpec, 'loan' | 'pledge'>>> = {
  USDT: { loan: USDT_LOAN, pledge: PLEDGE },
  ETH: { loan: ETH_LOAN, pledge: { ...PLEDGE, initRate: '0.6' } },
  BTC: { pledge: PLEDGE },
};

export const LOAN_COINS: readonly CoinSpec[] = FUTURES_COINS.map((spec) => ({
  ...spec,
  ...TERMS[spec.coin],
}));

export interface LoanWords {
  /** Such as '10000 USDT'; the other amount follows. */
  readonly loan: string;
  readonly pledge: string;
  readonly term?: LoanTermName;
}

export interface RepayWords {
  readonly amount?: string;
  readonly fromPledge?: boolean;
  readonly unlock?: boolean;
}

export class LoanFloor extends FuturesFloor {
  /** What was told last, by index; told again over pauses, for the desk deals at fresh prices only. */
  private readonly told = new Map<string, string>();
  feedLives = true;

  /** USDT is worth a dollar, BTC 60,000, ETH 1,702.80 USDT, and the pools are full unless told otherwise. */
  constructor(
    pools: Readonly<Record<string, string>> = { USDT: '1000000', ETH: '1000' },
    perpetual = BTC_PERPETUAL,
  ) {
    super(perpetual, LOAN_COINS);
    this.told.set('BTCUSDT', '60000');
    this.index('1702.8', 'ETHUSD');
    for (const [coin, amount] of Object.entries(pools)) this.fundPool(amount, coin);
  }

  override index(price: string, name = 'BTCUSDT'): void {
    // The constructor of the floor below tells the first price.
    this.told?.set(name, price);
    super.index(price, name);
  }

  override at(time: number): void {
    if (this.feedLives && time - this.now > PAUSE) {
      this.now = time - 1000;
      for (const [name, price] of this.told) this.tell(price, name, 'the feed');
    }
    super.at(time);
  }

  fundPool(amount: string, coin: string, reference = `pool ${this.log.length}`): RefusalName {
    const command = { type: 'fundLoanPool', time: this.now, coin: this.coin(coin) } as const;
    return refusalName(this.send({ ...command, amount: moneyUnits(amount), reference }).rejectReason);
  }

  setRate(coin: string, term: LoanTermName, yearRate: string): RefusalName {
    const command = { type: 'setLoanRate', time: this.now, coin: this.coin(coin), yearRate } as const;
    return refusalName(this.send({ ...command, term: termOf(term) }).rejectReason);
  }

  /** One of both amounts is given: `10000 USDT` and `BTC`, or `USDT` and `0.25 BTC`. */
  askFor(name: string, { loan, pledge, term = 'FLEXIBLE' }: LoanWords): CommandResult {
    const [loanAmount, loanCoin] = amountOf(loan);
    const [pledgeAmount, pledgeCoin] = amountOf(pledge);
    return this.send({
      type: 'loanBorrow',
      time: this.now,
      uid: this.uid(name),
      loanCoin: this.coin(loanCoin),
      pledgeCoin: this.coin(pledgeCoin),
      term: termOf(term),
      loanAmount,
      pledgeAmount,
    });
  }

  /** The id of a loan that must come about. */
  borrow(name: string, words: LoanWords): number {
    const { rejectReason, orderId } = this.askFor(name, words);
    if (rejectReason !== RejectReason.none) throw new Error(refusalName(rejectReason));
    if (!this.state.loans.loans.has(orderId)) throw new Error('the loan was rolled back');
    return orderId;
  }

  /** All of it unless an amount is given. */
  repay(name: string, loanId: number, words: RepayWords = {}): CommandResult {
    return this.send({
      type: 'loanRepay',
      time: this.now,
      uid: this.uid(name),
      loanId,
      fromPledge: words.fromPledge ?? false,
      all: words.amount === undefined,
      amount: moneyUnits(words.amount ?? '0'),
      unlock: words.unlock ?? false,
    });
  }

  revise(name: string, loanId: number, way: 'IN' | 'OUT', amount: string, coin = 'BTC'): CommandResult {
    return this.send({
      type: 'loanRevise',
      time: this.now,
      uid: this.uid(name),
      loanId,
      pledgeCoin: this.coin(coin),
      into: way === 'IN',
      amount: moneyUnits(amount),
    });
  }

  loan(name: string, loanId: number): OngoingLoan | undefined {
    return ongoingLoans(this.state, this.uid(name), { loanId })[0];
  }

  /** `10000 + 1.5007 USDT for 0.25641026 BTC at 65.01 %`, or `closed`. */
  standing(name: string, loanId: number): string {
    const ongoing = this.loan(name, loanId);
    if (ongoing === undefined) return 'closed';
    const { loan, pledgeRate } = ongoing;
    const owed = `${money(loan.principal)} + ${money(loan.interestOwed())} ${this.coinName(loan.loanCoin)}`;
    const pledged = `${money(loan.pledge)} ${this.coinName(loan.pledgeCoin)}`;
    return `${owed} for ${pledged} at ${formatUnits(pledgeRate, 2)} %`;
  }

  /** `11.00002748 ETH = 18730.85` and so on. */
  debts(name: string): { loans: string[]; pledges: string[] } {
    const { loans, pledges } = loanDebts(this.state, this.uid(name));
    const text = (rows: typeof loans) =>
      rows.map(
        ({ coin, amount, usdt }) => `${money(amount)} ${this.coinName(coin)} = ${formatUnits(usdt, 2)}`,
      );
    return { loans: text(loans), pledges: text(pledges) };
  }

  pledged(name: string, coin: string): string {
    const { index } = this.state.accountByUid.get(this.uid(name))!;
    return money(this.state.ledger.balanceOf(index, this.coin(coin), Bucket.pledge));
  }

  pool(coin: string): string {
    return this.house('sys:loanpool', coin);
  }

  /** How each loan ended, oldest first. */
  endings(): string[] {
    return this.eventsOf('loan')
      .filter(({ status }) => status !== 'ONGOING')
      .map(({ status }) => status);
  }

  private coinName(coin: number): string {
    return this.state.coins[coin]!.coin;
  }
}

function termOf(name: LoanTermName): LoanTerm {
  return LOAN_TERM_NAMES.indexOf(name) as LoanTerm;
}

function amountOf(words: string): [bigint, string] {
  const [first, second] = words.split(' ');
  return second === undefined ? [0n, first!] : [moneyUnits(first!), second];
}
