/**
 * Follows the open work of an hour from outside: what everybody held at the instant, what funding everybody has paid and
 * received by the end, and that nothing of an account changes while it is not settled (rules 14.3).
 */
import assert from 'node:assert/strict';
import type { Event } from '../../src/core/model/event.ts';
import { tradeValue } from '../../src/core/model/instrument.ts';
import { Bucket } from '../../src/core/model/ledger-accounts.ts';
import type { Position } from '../../src/core/model/position.ts';
import { divCeil, divFloor, MONEY_ONE, RATE_ONE } from '../../src/core/model/units.ts';
import { type FundingDue, HourWork } from '../../src/core/state/open-work.ts';
import type { State } from '../../src/core/state/state.ts';

interface Counts {
  hours: number;
  inPortions: number;
  between: number;
  paid: number;
  received: number;
}

/** What a position was at the instant. */
type Held = Pick<Position, 'id' | 'account' | 'instrument' | 'long' | 'lots' | 'isolated'>;

const UNIFIED = [Bucket.cash, Bucket.locked, Bucket.isolated, Bucket.isolatedOrders];

export class HourOracle {
  private readonly state: State;
  private readonly counts: Counts;
  private work: HourWork | undefined;
  private nowBefore = 0;
  private positions: Held[] = [];
  /** Of accounts that are not settled yet, as they were at the instant. */
  private images = new Map<number, string>();
  /** Lines of funding by position. */
  private lines = new Map<string, bigint>();
  /** Contracts whose funding the operator forces meanwhile: their lines are those of both. */
  private readonly forced = new Set<number>();

  constructor(state: State, counts: Counts) {
    this.state = state;
    this.counts = counts;
  }

  /** Call before each command. */
  before(): void {
    this.nowBefore = this.state.now;
    if (this.work !== undefined) {
      this.counts.between++;
      return;
    }
    this.positions = [...this.state.accountByUid.values()].flatMap(({ positions }) =>
      [...positions.values()].map(({ id, account, instrument, long, lots, isolated }) => ({
        id,
        account,
        instrument,
        long,
        lots,
        isolated,
      })),
    );
    this.images = new Map(
      [...this.state.accountByUid.values()].map(({ index }) => [index, this.imageOf(index)]),
    );
  }

  /** Call after each command. */
  after(events: readonly Event[]): void {
    const [first] = this.state.works;
    // One that waits for the end of a contract goes by what that leaves.
    const open = first instanceof HourWork ? first : undefined;
    if (this.work === undefined) {
      // One whose instant was not seen cannot be judged.
      if (open === undefined || open.time !== this.nowBefore + 1) return;
      this.work = open;
      this.lines = new Map();
      this.forced.clear();
      this.counts.hours++;
      this.counts.inPortions++;
    }
    for (const work of this.state.works) {
      if (work === this.work || !(work instanceof HourWork)) continue;
      for (const { instrument } of work.fundings) this.forced.add(instrument);
    }
    for (const event of events) {
      if (event.type !== 'ledgerLine' || (event.kind !== 'fundingIn' && event.kind !== 'fundingOut'))
        continue;
      // Later hours may be settled by the command that ends this one.
      if (event.time > this.work.time + 5000) continue;
      this.lines.set(event.reference, (this.lines.get(event.reference) ?? 0n) + event.amount);
    }
    const { sweep } = this.work;
    for (const [account, image] of this.images) {
      if (sweep.isDone(account)) this.images.delete(account);
      else assert.equal(this.imageOf(account), image, `account ${account} changed before it was settled`);
    }
    if (open === this.work) return;
    this.judge(this.work);
    this.work = undefined;
  }

  private judge(work: HourWork): void {
    for (const funding of work.fundings) {
      if (funding.rate === 0n) continue;
      const held = this.positions.filter(({ instrument }) => instrument === funding.instrument);
      const receivers = held.filter(({ long }) => long !== funding.rate > 0n);
      const due = receivers.reduce((sum, each) => sum + this.amountOf(funding, each, divFloor), 0n);
      assert.equal(funding.due, due, 'receivers are those of the instant');
      if (this.forced.has(funding.instrument)) continue;
      for (const each of receivers) {
        const whole = this.amountOf(funding, each, divFloor);
        const share = funding.collected >= due ? whole : divFloor(whole * funding.collected, due);
        const line = this.lines.get(String(each.id)) ?? 0n;
        // An isolated position may have paid funding that it owed in the meantime.
        if (!each.isolated) assert.equal(line, share, `position ${each.id} received ${line}`);
        this.counts.received++;
      }
      for (const each of held) {
        if (receivers.includes(each) || each.isolated) continue;
        const line = this.lines.get(String(each.id)) ?? 0n;
        assert.equal(-line, this.amountOf(funding, each, divCeil), `position ${each.id} paid ${-line}`);
        this.counts.paid++;
      }
      assert.ok(funding.paid <= funding.collected, 'nobody is paid more than was collected');
    }
  }

  private amountOf(funding: FundingDue, { lots }: Held, rounding: typeof divCeil): bigint {
    const instrument = this.state.instruments[funding.instrument]!;
    const rate = funding.rate < 0n ? -funding.rate : funding.rate;
    const exact = tradeValue(instrument, funding.markTicks, lots) * rate;
    if (!instrument.futures!.coinMargined) return rounding(exact, RATE_ONE);
    return funding.coinPrice === 0n ? 0n : rounding(exact * MONEY_ONE, RATE_ONE * funding.coinPrice);
  }

  /** Money of the unified account and positions. */
  private imageOf(account: number): string {
    const { ledger, accounts } = this.state;
    const money = ledger
      .coinsOf(account)
      .map((coin) => UNIFIED.map((bucket) => ledger.balanceOf(account, coin, bucket)).join(' '));
    const positions = [...accounts[account]!.positions.values()].map(
      ({ id, size, iso }) => `${id} ${size} ${iso}`,
    );
    return [...money, ...positions].join('; ');
  }
}
