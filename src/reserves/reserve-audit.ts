/**
 * Proof of reserves: what the venue holds in custody against what its accounts are owed, coin by coin. An account is
 * owed what its wallets, orders, margins, pledges and withdrawals under way hold, less what it owes of the same coin; a
 * debt reduces nobody else's claim, and profit that is not realised is no claim yet. An audit is taken at one instant
 * and published when that instant is durable. Nobody can ask for one more often than the interval: who asks gets the
 * last one, and the hashing leaves others their turn.
 */
import { createHmac, hash, type KeyObject } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../core/model/ledger-accounts.ts';
import { coinUsd } from '../core/reads/margin-reads.ts';
import type { State } from '../core/state/state.ts';
import { RESERVE_AUDIT_INTERVAL_MS } from '../sequencer/limits.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import { type Claim, MerkleSumTree } from './merkle-sum-tree.ts';

const NONCE_DIGITS = 32;
/** Nonces that are made before others get their turn. */
const NONCES_AT_A_TIME = 500;

export interface CoinReserve {
  readonly coin: string;
  readonly owed: bigint;
  readonly held: bigint;
}

export interface Audit {
  /** Time of the exchange. */
  readonly time: number;
  readonly tree: MerkleSumTree;
  /** Coins that somebody is owed. */
  readonly coins: readonly CoinReserve[];
  /** All of them in 10^-16 dollars, as far as they have a price. */
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

  /** The key makes the nonces: whoever has it and the log can work out every root again. */
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

  /** One at a time: who comes while one is under way gets that. */
  run(): Promise<Audit> {
    this.#underWay ??= this.#run().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #run(): Promise<Audit> {
    const { state } = this.#sequencer;
    this.#ranMs = this.#wallMs();
    const time = state.now;
    const claims = claimsOf(state);
    const held = state.coins.map((_, coin) => -state.ledger.peek(SystemAccount.external, coin, Bucket.cash));
    const prices = state.coins.map((_, coin) => coinUsd(state, coin));
    const names = state.coins.map(({ coin }) => coin);
    const growing = this.#named(claims, time).then((named) => MerkleSumTree.build(names, named, turn));
    const [tree] = await Promise.all([growing, this.#sequencer.durable()]);
    const owed = tree.totals;
    const worth = (amounts: readonly bigint[]) =>
      amounts.reduce((sum, amount, coin) => (owed[coin]! > 0n ? sum + amount * prices[coin]! : sum), 0n);
    const coins = names.map((coin, index) => ({ coin, owed: owed[index]!, held: held[index]! }));
    this.#last = {
      time,
      tree,
      coins: coins.filter((row) => row.owed > 0n),
      owedUsd: worth(owed),
      heldUsd: worth(held),
    };
    return this.#last;
  }

  /** Nobody can try amounts against a leaf, or find it, whose nonce only its owner is told. */
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

/** All of one instant, so nothing may come in between. */
function claimsOf(state: State): Omit<Claim, 'nonce'>[] {
  const net = new Map<number, bigint[]>();
  state.ledger.eachRow((account, coin, buckets) => {
    if (account < FIRST_USER_ACCOUNT) return;
    const amounts = net.get(account) ?? state.coins.map(() => 0n);
    for (const amount of buckets) amounts[coin]! += amount;
    net.set(account, amounts);
  });
  for (const loan of state.loans.loans.values()) {
    const amounts = net.get(loan.account);
    if (amounts !== undefined) amounts[loan.loanCoin]! -= loan.debt();
  }
  const claims: Omit<Claim, 'nonce'>[] = [];
  for (const [account, amounts] of net) {
    const owed = amounts.map((amount) => (amount > 0n ? amount : 0n));
    if (owed.every((amount) => amount === 0n)) continue;
    const { uid } = state.accounts[account]!;
    claims.push({ uid, amounts: owed });
  }
  return claims;
}
