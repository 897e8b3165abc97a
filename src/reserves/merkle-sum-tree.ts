/**
 * A Merkle sum tree over the liabilities to all accounts. Its root can be published: the owner of an account can compute the
 * root and the sums of the whole from the account's numbers and the path of its leaf, and so verify that the account was
 * counted. A path shows the holdings of neighbours and not whose they are: each leaf has a nonce that only its owner gets,
 * and leaves are sorted by nonce.
 *   leaf  SHA-256 of `leaf|uid|nonce|holdings`
 *   node  SHA-256 of `node|hash of the left|its holdings|hash of the right|its holdings`
 * A node contains the holdings of each side and not only their sum: with a sum alone each side could be shown another share
 * of it, and a claim be hidden behind a larger one. Holdings are `BTC=1.5,USDT=20`: coins sorted by name, without zero
 * amounts. A node without a neighbour moves up unchanged.
 */
import { hash } from 'node:crypto';
import {
  canonicalText,
  type HeldCoins,
  type Holdings,
  holdingsOf,
  NOTHING,
  readHoldings,
  sumOf,
} from './held-coins.ts';

export interface Claim {
  readonly uid: number;
  readonly nonce: string;
  readonly held: HeldCoins;
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

/** What is kept of a node: sums are needed for the level above only, and their text for proofs. */
interface Node {
  readonly hash: string;
  readonly holdings: string;
}

/** A level with the sums of its nodes. */
interface Level {
  readonly nodes: Node[];
  readonly sums: HeldCoins[];
}

/** Nodes hashed between two pauses for other work. */
const NODES_AT_A_TIME = 50;
/** Claims sorted between two pauses, and the length of what groups of them share. */
const CLAIMS_AT_A_TIME = 500;
const GROUPED_BY = 3;
const EMPTY_ROOT = sha256('empty');
const HASH = /^[0-9a-f]{64}$/;
const NONCE = /^[0-9a-z]+$/;

export class MerkleSumTree {
  /** By index of the leaf, in the order of nonces. */
  private readonly uids: Float64Array;
  private readonly nonces: readonly string[];
  /** From the leaves up to the root. */
  private readonly levels: readonly (readonly Node[])[];
  readonly totals: HeldCoins;

  private constructor(
    uids: Float64Array,
    nonces: readonly string[],
    levels: readonly (readonly Node[])[],
    totals: HeldCoins,
  ) {
    this.uids = uids;
    this.nonces = nonces;
    this.levels = levels;
    this.totals = totals;
  }

  static async build(unsorted: readonly Claim[], pause: () => Promise<void>): Promise<MerkleSumTree> {
    const claims = await sortedByNonce(unsorted, pause);
    let hashed = 0;
    const rest = async () => {
      if (++hashed % NODES_AT_A_TIME === 0) await pause();
    };
    const uids = new Float64Array(claims.length);
    const nonces: string[] = [];
    let level: Level = { nodes: [], sums: [] };
    for (const [at, { uid, nonce, held }] of claims.entries()) {
      uids[at] = uid;
      nonces.push(nonce);
      const holdings = canonicalText(held);
      add(level, { hash: leafHash(uid, nonce, holdings), holdings }, held);
      await rest();
    }
    const levels = [level.nodes];
    while (level.nodes.length > 1) {
      const above: Level = { nodes: [], sums: [] };
      for (let at = 0; at < level.nodes.length; at += 2) {
        addParent(above, level, at);
        await rest();
      }
      levels.push(above.nodes);
      level = above;
    }
    return new MerkleSumTree(uids, nonces, levels, level.sums[0] ?? NOTHING);
  }

  get root(): string {
    return this.levels.at(-1)![0]?.hash ?? EMPTY_ROOT;
  }

  get size(): number {
    return this.uids.length;
  }

  /** Undefined for an account that was owed nothing. */
  proofOf(uid: number): InclusionProof | undefined {
    const leaf = this.uids.indexOf(uid);
    if (leaf < 0) return undefined;
    const path: PathStep[] = [];
    for (let at = leaf, height = 0; height < this.levels.length - 1; at >>= 1, height++) {
      const neighbour = this.levels[height]![at ^ 1];
      if (neighbour === undefined) continue;
      const holdings = holdingsOf(neighbour.holdings);
      path.push({ at: at % 2 === 0 ? 'right' : 'left', hash: neighbour.hash, holdings });
    }
    const holdings = holdingsOf(this.levels[0]![leaf]!.holdings);
    return { uid, nonce: this.nonces[leaf]!, holdings, path };
  }
}

function add({ nodes, sums }: Level, node: Node, sum: HeldCoins): void {
  nodes.push(node);
  sums.push(sum);
}

function addParent(above: Level, { nodes, sums }: Level, at: number): void {
  const left = nodes[at]!;
  const right = nodes[at + 1];
  if (right === undefined) {
    add(above, left, sums[at]!);
    return;
  }
  const sum = sumOf(sums[at]!, sums[at + 1]!);
  add(above, { hash: nodeHash(left, right), holdings: canonicalText(sum) }, sum);
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

/** The root and sums that a proof leads to; undefined when it contains what no tree can, as a negative amount. */
export function verifyProof(proof: InclusionProof): { root: string; totals: Holdings } | undefined {
  const own = readHoldings(proof.holdings);
  if (own === undefined || !NONCE.test(proof.nonce)) return undefined;
  let sums = own;
  let root = leafHash(proof.uid, proof.nonce, canonicalText(own));
  for (const { at, hash: beside, holdings } of proof.path) {
    const more = readHoldings(holdings);
    if (more === undefined || !HASH.test(beside)) return undefined;
    const here: Node = { hash: root, holdings: canonicalText(sums) };
    const neighbour: Node = { hash: beside, holdings: canonicalText(more) };
    root = at === 'left' ? nodeHash(neighbour, here) : nodeHash(here, neighbour);
    sums = sumOf(sums, more);
  }
  return { root, totals: holdingsOf(canonicalText(sums)) };
}

function leafHash(uid: number, nonce: string, holdings: string): string {
  return sha256(`leaf|${uid}|${nonce}|${holdings}`);
}

function nodeHash(left: Node, right: Node): string {
  return sha256(`node|${left.hash}|${left.holdings}|${right.hash}|${right.holdings}`);
}

function sha256(text: string): string {
  return hash('sha256', text);
}
