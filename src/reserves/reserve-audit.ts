/**
 * Proof of reserves: assets in custody against liabilities to accounts, coin by coin. The liability to an account is
 * the sum of its wallets, orders, margins, pledges and pending withdrawals, less its debt in the same coin; a debt
 * reduces no other account's claim, and unrealised profit is not a claim. An audit is of one instant and is published
 * when that instant is durable. Requests between two audits get the last one, and hashing pauses for other work.
 */

import { createHmac, hash, type KeyObject } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../core/model/ledger-accounts.ts';
import { bucketBalance } from '../core/reads/ledger-reads.ts';
import { coinUsd } from '../core/reads/margin-reads.ts';
import { type CoinSolvency, type Solvency, worstSolvency } from '../core/reads/solvency-reads.ts';
import type { State } from '../core/state/state.ts';
import { RESERVE_AUDIT_INTERVAL_MS } from '../sequencer/limits.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import { eachRowInSlices } from './ledger-slices.ts';
import { type Claim, MerkleSumTree } from './merkle-sum-tree.ts';
import { solvencyInSlices } from './solvency-slices.ts';

const NONCE_DIGITS = 32;
/** Nonces computed between two pauses for other work. */
const NONCES_AT_A_TIME = 200;
const ACCOUNTS_AT_A_TIME = 250;

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
  readonly tree: MerkleSumTree;
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
  #last: Audit | undefined;
  #ranMs = 0;
  #underWay: Promise<Audit> | undefined;

  /** Nonces are derived from the key: with it and the journal every root can be computed again. */
  constructor(sequencer: Sequencer, key: KeyObject, wallMs: () => number) {
    this.#sequencer = sequencer;
    this.#key = key;
    this.#wallMs = wallMs;
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

  async #run(): Promise<Audit> {
    const { state } = this.#sequencer;
    // What an hour has collected and not yet paid out (rules 14.3) is in no account: the claims are whole when it is over.
    while (state.works.length > 0 && this.#sequencer.failure === undefined) await turn();
    this.#ranMs = this.#wallMs();
    const time = state.now;
    const owing = claimsOf(state);
    const durable = this.#sequencer.durable();
    const held = state.coins.map(
      (_, coin) => -bucketBalance(state, SystemAccount.external, coin, Bucket.cash),
    );
    const looking = solvencyInSlices(state);
    const prices = state.coins.map((_, coin) => coinUsd(state, coin));
    const names = state.coins.map(({ coin }) => coin);
    const growing = owing
      .then((claims) => this.#named(claims, time))
      .then((named) => MerkleSumTree.build(names, named, turn));
    const [tree, backing] = await Promise.all([growing, looking, durable]);
    const owed = tree.totals;
    const worth = (amounts: readonly bigint[]) =>
      amounts.reduce((sum, amount, coin) => (owed[coin]! > 0n ? sum + amount * prices[coin]! : sum), 0n);
    const coins = names.map((coin, index) => ({
      coin,
      owed: owed[index]!,
      held: held[index]!,
      backing: backing[index]!,
    }));
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

  /** Without the nonce, which only its owner gets, amounts cannot be tried against a leaf. */
  async #named(owed: readonly Omit<Claim, 'nonce'>[], time: number): Promise<Claim[]> {
    const secret = createHmac('sha256', this.#key).update(`reserves|${time}`).digest('hex');
    const claims: Claim[] = [];
    for (const claim of owed) {
      claims.push({ ...claim, nonce: hash('sha256', `${secret}|${claim.uid}`).slice(0, NONCE_DIGITS) });
      if (claims.length % NONCES_AT_A_TIME === 0) await turn();
    }
    return claims;
  }
}

/** All of the instant of the call: the ledger by a view of it, loans before the first pause. */
async function claimsOf(state: State): Promise<Omit<Claim, 'nonce'>[]> {
  const coins = state.coins.length;
  const lent = [...state.loans.loans.values()].map((loan) => ({
    account: loan.account,
    coin: loan.loanCoin,
    debt: loan.debt(),
  }));
  // By account. A map of a hundred thousand would pause for each of its larger tables.
  const net = new Array<bigint[] | undefined>(state.accounts.length);
  await eachRowInSlices(state, (account, coin, buckets) => {
    if (account < FIRST_USER_ACCOUNT) return;
    let amounts = net[account];
    if (amounts === undefined) {
      amounts = Array.from({ length: coins }, () => 0n);
      net[account] = amounts;
    }
    for (const amount of buckets) if (amount !== 0n) amounts[coin]! += amount;
  });
  for (const { account, coin, debt } of lent) {
    const amounts = net[account];
    if (amounts !== undefined) amounts[coin]! -= debt;
  }
  const claims: Omit<Claim, 'nonce'>[] = [];
  for (const [account, amounts] of net.entries()) {
    if ((account + 1) % ACCOUNTS_AT_A_TIME === 0) await turn();
    if (amounts === undefined) continue;
    const owed = amounts.map((amount) => (amount > 0n ? amount : 0n));
    if (owed.every((amount) => amount === 0n)) continue;
    const { uid } = state.accounts[account]!;
    claims.push({ uid, amounts: owed });
  }
  return claims;
}
