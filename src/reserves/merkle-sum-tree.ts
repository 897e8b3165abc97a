/**
 * A Merkle sum tree over the liabilities to all accounts. Its root can be published: the owner of an account can
 * compute
 * the root and the sums of the whole from the account's numbers and the path of its leaf, and so verify that the
 * account
 * was counted. A path shows the holdings of neighbours and not whose they are: each leaf has a nonce that only its
 * owner
 * gets, and leaves are sorted by nonce.
 *   leaf  SHA-256 of `leaf|uid|nonce|holdings`
 *   node  SHA-256 of `node|hash of the left|its holdings|hash of the right|its holdings`
 * A node contains the holdings of each side and not only their sum: with a sum alone each side could be shown another
 * share of it, and a claim be hidden behind a larger one. Holdings are `BTC=1.5,USDT=20`: coins sorted by name,
 * without
 * zero amounts. A node without a neighbour moves up unchanged.
 */
import { hash } from 'node:crypto';
import { formatMoney, MONEY_SCALE, parseUnits } from '../core/model/units.ts';

/** Coins and amounts as decimal text. */
export type Holdings = Readonly<Record<string, string>>;

export interface Claim {
  readonly uid: number;
  readonly nonce: string;
  /** By index of the coin, never negative. */
  readonly amounts: readonly bigint[];
}

export interface PathStep {
  /** Side of the neighbour. */
  readonly at: 'left' | 'right';
  readonly hash: string;
  readonly holdings: Holdings;
}

export interface InclusionProof {
  readonly uid: number;
  readonly nonce: string;
  readonly holdings: Holdings;
  readonly path: readonly PathStep[];
}

/** A child of a node. */
type Side = Omit<PathStep, 'at'>;

interface Node {
  readonly hash: string;
  readonly amounts: readonly bigint[];
}

/** Nodes hashed between two pauses for other work. */
const NODES_AT_A_TIME = 50;
/** Claims sorted between two pauses, and the length of what groups of them share. */
const CLAIMS_AT_A_TIME = 500;
const GROUPED_BY = 3;
const EMPTY_ROOT = sha256('empty');

export class MerkleSumTree {
  private readonly coins: readonly string[];
  /** Sorted by nonce. */
  private readonly claims: readonly Claim[];
  /** From the leaves up to the root. */
  private readonly levels: readonly (readonly Node[])[];

  private constructor(
    coins: readonly string[],
    claims: readonly Claim[],
    levels: readonly (readonly Node[])[],
  ) {
    this.coins = coins;
    this.claims = claims;
    this.levels = levels;
  }

  static async build(
    coins: readonly string[],
    unsorted: readonly Claim[],
    pause: () => Promise<void>,
  ): Promise<MerkleSumTree> {
    const claims = await sortedByNonce(unsorted, pause);
    let hashed = 0;
    const rest = async () => {
      if (++hashed % NODES_AT_A_TIME === 0) await pause();
    };
    const leaves: Node[] = [];
    for (const { uid, nonce, amounts } of claims) {
      leaves.push({ hash: leafHash(uid, nonce, holdingsOf(coins, amounts)), amounts });
      await rest();
    }
    const levels: Node[][] = [leaves];
    for (let below = leaves; below.length > 1; ) {
      const level: Node[] = [];
      for (let at = 0; at < below.length; at += 2) {
        level.push(parentOf(coins, below[at]!, below[at + 1]));
        await rest();
      }
      levels.push(level);
      below = level;
    }
    return new MerkleSumTree(coins, claims, levels);
  }

  get root(): string {
    return this.levels.at(-1)![0]?.hash ?? EMPTY_ROOT;
  }

  /** By index of the coin. */
  get totals(): readonly bigint[] {
    return this.levels.at(-1)![0]?.amounts ?? this.coins.map(() => 0n);
  }

  get size(): number {
    return this.claims.length;
  }

  /** Undefined for an account that was owed nothing. */
  proofOf(uid: number): InclusionProof | undefined {
    let at = this.claims.findIndex((claim) => claim.uid === uid);
    if (at < 0) return undefined;
    const { nonce, amounts } = this.claims[at]!;
    const path: PathStep[] = [];
    for (const level of this.levels.slice(0, -1)) {
      const neighbour = level[at ^ 1];
      if (neighbour !== undefined) {
        const holdings = holdingsOf(this.coins, neighbour.amounts);
        path.push({ at: at % 2 === 0 ? 'right' : 'left', hash: neighbour.hash, holdings });
      }
      at >>= 1;
    }
    return { uid, nonce, holdings: holdingsOf(this.coins, amounts), path };
  }
}

/** By their first characters first, for nonces are spread evenly: many short sorts instead of one long. */
async function sortedByNonce(claims: readonly Claim[], pause: () => Promise<void>): Promise<Claim[]> {
  const groups = new Map<string, Claim[]>();
  for (const [n, claim] of claims.entries()) {
    const start = claim.nonce.slice(0, GROUPED_BY);
    const group = groups.get(start);
    if (group === undefined) groups.set(start, [claim]);
    else group.push(claim);
    if (n % CLAIMS_AT_A_TIME === 0) await pause();
  }
  const sorted: Claim[] = [];
  let rested = 0;
  for (const start of [...groups.keys()].sort()) {
    const group = groups.get(start)!.sort((a, b) => (a.nonce < b.nonce ? -1 : 1));
    sorted.push(...group);
    if (sorted.length - rested < CLAIMS_AT_A_TIME) continue;
    rested = sorted.length;
    await pause();
  }
  return sorted;
}

/**
 * The root and sums that a proof leads to; undefined when it contains what no tree can: a negative amount, or no
 * number.
 */
export function verifyProof(proof: InclusionProof): { root: string; totals: Holdings } | undefined {
  const own = unitsOf(proof.holdings);
  if (own === undefined) return undefined;
  let sums = own;
  let root = leafHash(proof.uid, proof.nonce, proof.holdings);
  for (const { at, ...neighbour } of proof.path) {
    const more = unitsOf(neighbour.holdings);
    if (more === undefined) return undefined;
    const here = { hash: root, holdings: decimals(sums) };
    root = at === 'left' ? nodeHash(neighbour, here) : nodeHash(here, neighbour);
    sums = sumOf(sums, more);
  }
  return { root, totals: decimals(sums) };
}

function parentOf(coins: readonly string[], left: Node, right: Node | undefined): Node {
  if (right === undefined) return left;
  const amounts = left.amounts.map((amount, coin) => amount + right.amounts[coin]!);
  const sideOf = (node: Node): Side => ({ hash: node.hash, holdings: holdingsOf(coins, node.amounts) });
  return { hash: nodeHash(sideOf(left), sideOf(right)), amounts };
}

function holdingsOf(coins: readonly string[], amounts: readonly bigint[]): Holdings {
  const held = coins.flatMap((coin, index): [string, bigint][] => {
    const amount = amounts[index]!;
    return amount === 0n ? [] : [[coin, amount]];
  });
  return decimals(new Map(held));
}

function decimals(units: ReadonlyMap<string, bigint>): Holdings {
  const rows = [...units].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(rows.map(([coin, amount]) => [coin, formatMoney(amount)]));
}

function unitsOf(holdings: Holdings): ReadonlyMap<string, bigint> | undefined {
  const units = new Map<string, bigint>();
  for (const [coin, text] of Object.entries(holdings)) {
    const amount = parseUnits(text, MONEY_SCALE);
    if (amount === undefined || amount <= 0n) return undefined;
    units.set(coin, amount);
  }
  return units;
}

function sumOf(a: ReadonlyMap<string, bigint>, b: ReadonlyMap<string, bigint>): Map<string, bigint> {
  const sums = new Map(a);
  for (const [coin, amount] of b) sums.set(coin, (sums.get(coin) ?? 0n) + amount);
  return sums;
}

function leafHash(uid: number, nonce: string, holdings: Holdings): string {
  return sha256(`leaf|${uid}|${nonce}|${canonicalText(holdings)}`);
}

function nodeHash(left: Side, right: Side): string {
  return sha256(
    `node|${left.hash}|${canonicalText(left.holdings)}|${right.hash}|${canonicalText(right.holdings)}`,
  );
}

function canonicalText(holdings: Holdings): string {
  return Object.keys(holdings)
    .sort()
    .map((coin) => `${coin}=${holdings[coin]!}`)
    .join(',');
}

function sha256(text: string): string {
  return hash('sha256', text);
}
