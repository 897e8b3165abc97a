/**
 * Finds the accounts that a price move may have brought to liquidation without looking at everybody. Each account is
 * good for a certain relative move of all prices together; the watch adds up the largest move of each second and looks
 * again only at accounts whose allowance is used up. The bound is safe: moves multiply, and with R the free margin
 * over the exposure, a sum of moves S <= R / (1 + R) cannot make (1 + S)-fold prices cost more than R.
 */
import type { Account } from '../account.ts';
import { tradeValue } from '../instrument.ts';
import { Bucket } from '../ledger.ts';
import type { State } from '../state.ts';
import { divCeil, divFloor, larger, MONEY_ONE } from '../units.ts';
import { coinUsd } from './collateral.ts';
import { hasStaleIndex, isolatedSlack } from './liquidation.ts';
import { accountRisk, isolatedInQuote, markTicks } from './margin.ts';

/** Moves are counted in 10^-9. */
const GRAIN = 1_000_000_000n;
/** A price that appears or is lost uses up every allowance: none is larger than one. */
const FROM_NOTHING = GRAIN;

export class RiskWatch {
  private readonly state: State;
  /** Sum of the largest relative moves so far. */
  private moved = 0;
  private lastMarks: number[] = [];
  private lastCoins: bigint[] = [];
  /** Heap of accounts by the sum at which they must be looked at; entries that are out of date are skipped. */
  private readonly heap: { due: number; account: Account }[] = [];
  private readonly dueOf = new Map<Account, number>();

  constructor(state: State) {
    this.state = state;
    this.largestMove();
    for (const account of state.accountByUid.values()) if (account.positions.size > 0) this.look(account);
  }

  /** After prices were taken: accounts to be tested now, ascending uid. */
  afterPrices(): Account[] {
    this.moved += this.largestMove();
    const due: Account[] = [];
    while (this.heap.length > 0 && this.heap[0]!.due <= this.moved) {
      const { due: at, account } = this.pop();
      if (this.dueOf.get(account) !== at) continue;
      this.dueOf.delete(account);
      due.push(account);
    }
    return due.sort((a, b) => a.uid - b.uid);
  }

  /** Puts an account that was tested back under watch. */
  look(account: Account): void {
    if (account.positions.size === 0) {
      this.dueOf.delete(account);
      return;
    }
    const due = this.moved + this.allowance(account);
    this.dueOf.set(account, due);
    this.push({ due, account });
  }

  private largestMove(): number {
    const { state } = this;
    let largest = 0n;
    const marks = state.markets.map(({ futures, instrument }) =>
      futures === undefined ? 0 : markTicks(state, state.instruments[instrument]!),
    );
    const see = (before: bigint, now: bigint): void => {
      if (before === now) return;
      if (before === 0n || now === 0n) {
        largest = larger(largest, FROM_NOTHING);
        return;
      }
      const change = before < now ? now - before : before - now;
      const move = divCeil(change * GRAIN, before < now ? before : now);
      largest = larger(largest, move);
    };
    for (const [n, mark] of marks.entries()) see(BigInt(this.lastMarks[n] ?? 0), BigInt(mark));
    for (const [n, price] of state.coinPrices.entries()) see(this.lastCoins[n] ?? 0n, price);
    this.lastMarks = marks;
    this.lastCoins = state.coinPrices;
    return Number(largest);
  }

  /** How far all prices may move before the account must be looked at again. */
  private allowance(account: Account): number {
    const { state } = this;
    let least = Number.POSITIVE_INFINITY;
    let crossed = 0n;
    for (const position of account.positions.values()) {
      // The price may come back anywhere.
      if (hasStaleIndex(state, position)) return 0;
      const instrument = state.instruments[position.instrument]!;
      const mark = markTicks(state, instrument);
      // Twice the notional covers the position and the growth of its maintenance margin.
      const exposure = 2n * tradeValue(instrument, mark, position.lots);
      if (!position.isolated) {
        crossed += divCeil(exposure * coinUsd(state, instrument.quote), MONEY_ONE);
        continue;
      }
      const margin = instrument.futures!.coinMargined ? isolatedInQuote(state, position) : 0n;
      least = Math.min(least, share(isolatedSlack(state, position), exposure + margin));
    }
    if (crossed > 0n) {
      const { effective, maintenance } = accountRisk(state, account);
      least = Math.min(least, share(effective - maintenance, crossed + this.holdings(account)));
    }
    return least;
  }

  /** Dollar value of everything the account holds or owes: collateral moves too. */
  private holdings(account: Account): bigint {
    const { state } = this;
    let sum = 0n;
    for (const coin of state.ledger.coinsOf(account.index)) {
      const amount =
        state.ledger.peek(account.index, coin, Bucket.cash) +
        state.ledger.peek(account.index, coin, Bucket.locked);
      const usd = divCeil((amount < 0n ? -amount : amount) * coinUsd(state, coin), MONEY_ONE);
      sum += usd;
    }
    return sum;
  }

  private push(entry: { due: number; account: Account }): void {
    const { heap } = this;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.due <= entry.due) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  private pop(): { due: number; account: Account } {
    const { heap } = this;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.due < heap[child]!.due) child++;
      if (heap[child]!.due >= last.due) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

/** R / (1 + R) of what is free over what is exposed, in 10^-9. */
function share(free: bigint, exposure: bigint): number {
  if (free <= 0n || exposure <= 0n) return 0;
  return Number(divFloor(free * GRAIN, free + exposure));
}
