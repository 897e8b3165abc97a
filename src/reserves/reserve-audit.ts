/**
 * Proof of reserves: assets in custody against liabilities to accounts, coin by coin. The liability to an account is
 * the sum of its wallets, orders, margins, pledges and pending withdrawals, less its debt in the same coin; a debt
 * reduces no other account's claim, and unrealised profit is not a claim. An audit is of one instant and is published
 * when that instant is durable. Requests between two audits get the last one.
 */

import { createHmac, type KeyObject } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../core/model/ledger-accounts.ts';
import { bucketBalance } from '../core/reads/ledger-reads.ts';
import { coinUsd } from '../core/reads/margin-reads.ts';
import { type CoinSolvency, type Solvency, worstSolvency } from '../core/reads/solvency-reads.ts';
import type { State } from '../core/state/state.ts';
import { RESERVE_AUDIT_INTERVAL_MS } from '../sequencer/limits.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import {
  type AuditedProof,
  type ClaimRow,
  ClaimTree,
  type TreePlace,
  type TreeSummary,
} from './claim-tree.ts';
import { unitsOf } from './held-coins.ts';
import { eachLoanDebtInSlices, eachRowInSlices } from './ledger-slices.ts';
import { solvencyInSlices } from './solvency-slices.ts';
import { TreeThread } from './tree-thread.ts';

/** From so many accounts on the tree gets a thread of its own: to start one takes longer than to hash fewer. */
const THREAD_FROM = 2000;
/** Rows handed to the tree at a time. */
const ROWS_AT_A_TIME = 250;

export interface CoinReserve {
  readonly coin: string;
  readonly owed: bigint;
  readonly held: bigint;
  /** The same with positions at the mark, and what stands against it (rules 13.5). */
  readonly backing: CoinSolvency;
}

export interface Audit {
  /** The exchange's time. */
  readonly time: number;
  readonly tree: TreeSummary;
  /** Coins with a liability. */
  readonly coins: readonly CoinReserve[];
  /** Of the worst coin, and the coins of which something is missing or lent out. */
  readonly solvency: Solvency;
  readonly missing: readonly CoinReserve[];
  /** Sums in 10^-16 dollars, over the coins that have a price. */
  readonly owedUsd: bigint;
  readonly heldUsd: bigint;
}

export class ReserveAudits {
  readonly #sequencer: Sequencer;
  readonly #key: KeyObject;
  readonly #wallMs: () => number;
  readonly #threadFrom: number;
  readonly #here = new ClaimTree();
  readonly #thread = new TreeThread();
  /** Has the tree of the last audit. */
  #place: TreePlace = this.#here;
  #last: Audit | undefined;
  #ranMs = 0;
  #closed = false;
  #underWay: Promise<Audit> | undefined;

  /** Nonces are derived from the key: with it and the journal every root can be computed again. */
  constructor(sequencer: Sequencer, key: KeyObject, wallMs: () => number, threadFrom = THREAD_FROM) {
    this.#sequencer = sequencer;
    this.#key = key;
    this.#wallMs = wallMs;
    this.#threadFrom = threadFrom;
  }

  /** The last audit; only the first one is waited for. */
  latest(): Audit | Promise<Audit> {
    if (this.#last === undefined) return this.run();
    if (this.#wallMs() - this.#ranMs >= RESERVE_AUDIT_INTERVAL_MS) void this.run().catch(() => undefined);
    return this.#last;
  }

  /** One at a time: a call while one runs returns that one. */
  run(): Promise<Audit> {
    this.#underWay ??= this.#run().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  /** That an account was counted in the last audit; undefined when it was owed nothing. */
  async proofOf(uid: number): Promise<AuditedProof | undefined> {
    await this.latest();
    if (this.#place.isLost) await this.run();
    return this.#place.proofOf(uid);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread.close();
    await this.#underWay?.catch(() => undefined);
  }

  async #run(): Promise<Audit> {
    const { state } = this.#sequencer;
    // What an hour has collected and not yet paid out (rules 14.3) is in no account: the claims are whole when it is over.
    while (state.works.length > 0 && this.#sequencer.failure === undefined && !this.#closed) await turn();
    if (this.#closed) throw new Error('the exchange ends');
    this.#ranMs = this.#wallMs();
    const time = state.now;
    const place = state.accounts.length < this.#threadFrom ? this.#here : this.#thread;
    const gathered = gatherClaims(state, place);
    const durable = this.#sequencer.durable();
    const held = state.coins.map(
      (_, coin) => -bucketBalance(state, SystemAccount.external, coin, Bucket.cash),
    );
    const looking = solvencyInSlices(state);
    const prices = state.coins.map((_, coin) => coinUsd(state, coin));
    const names = state.coins.map(({ coin }) => coin);
    const secret = createHmac('sha256', this.#key).update(`reserves|${time}`).digest('hex');
    const growing = gathered.then(() => place.build({ coins: names, secret, time }));
    // One that fails is over when all that it began is.
    await Promise.allSettled([growing, looking, durable]);
    const [tree, backing] = await Promise.all([growing, looking, durable]);
    const owed = names.map((name) => unitsOf(tree.totals, name));
    const worth = (amounts: readonly bigint[]) =>
      amounts.reduce((sum, amount, coin) => (owed[coin]! > 0n ? sum + amount * prices[coin]! : sum), 0n);
    const coins = names.map((coin, index) => ({
      coin,
      owed: owed[index]!,
      held: held[index]!,
      backing: backing[index]!,
    }));
    place.publish();
    this.#place = place;
    this.#last = {
      time,
      tree,
      coins: coins.filter((row) => row.owed > 0n),
      solvency: worstSolvency(backing),
      missing: coins.filter((row) => row.backing.solvency !== 'solvent'),
      owedUsd: worth(owed),
      heldUsd: worth(held),
    };
    return this.#last;
  }
}

/** All of the instant of the call. */
async function gatherClaims(state: State, place: TreePlace): Promise<void> {
  place.begin();
  let rows: ClaimRow[] = [];
  const give = () => {
    if (rows.length > 0) place.add(rows);
    rows = [];
  };
  const add = (account: number, coin: number, units: bigint) => {
    rows.push([state.accounts[account]!.uid, coin, units]);
    if (rows.length === ROWS_AT_A_TIME) give();
  };
  const owed = eachRowInSlices(state, (account, coin, buckets) => {
    if (account < FIRST_USER_ACCOUNT) return;
    let units = 0n;
    for (const amount of buckets) units += amount;
    if (units !== 0n) add(account, coin, units);
  });
  const lent = eachLoanDebtInSlices(state, (account, coin, debt) => add(account, coin, -debt));
  await Promise.all([owed, lent]);
  give();
}
