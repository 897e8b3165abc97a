/** The claims of one instant and the tree over them: gathered row by row, hashed, and asked for proofs. */
import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { type HeldCoins, heldCoins } from './held-coins.ts';
import { type Claim, type InclusionProof, MerkleSumTree } from './merkle-sum-tree.ts';

/** What an account is owed of a coin, or owes: several rows of one coin are added. */
export type ClaimRow = readonly [uid: number, coin: number, units: bigint];

export interface AuditPlan {
  /** By index of the coin. */
  readonly coins: readonly string[];
  /** Nonces are derived from it. */
  readonly secret: string;
  /** The exchange's time of the audit. */
  readonly time: number;
}

export interface TreeSummary {
  readonly root: string;
  readonly totals: HeldCoins;
  /** Accounts that are owed something. */
  readonly size: number;
}

/** A proof and the audit that it belongs to. */
export interface AuditedProof extends InclusionProof {
  readonly time: number;
  readonly root: string;
}

/** Where the tree is: on the thread that asks for it, or on one of its own. */
export interface TreePlace {
  begin(): void;
  add(rows: readonly ClaimRow[]): void;
  build(plan: AuditPlan): Promise<TreeSummary>;
  /** From now on proofs are of the tree that was built last. */
  publish(): void;
  /** Is the published tree gone? */
  readonly isLost: boolean;
  /** Of the published tree; undefined for an account that was owed nothing then. */
  proofOf(uid: number): Promise<AuditedProof | undefined>;
}

interface Built {
  readonly time: number;
  readonly tree: MerkleSumTree;
}

const NONCE_DIGITS = 32;
/** Rows and claims between two pauses for other work. */
const ROWS_AT_A_TIME = 500;
const CLAIMS_AT_A_TIME = 200;

export class ClaimTree implements TreePlace {
  #rows: (readonly ClaimRow[])[] = [];
  #built: Built | undefined;
  #published: Built | undefined;
  readonly isLost = false;

  begin(): void {
    this.#rows = [];
  }

  add(rows: readonly ClaimRow[]): void {
    this.#rows.push(rows);
  }

  async build({ coins, secret, time }: AuditPlan): Promise<TreeSummary> {
    const rows = this.#rows;
    this.begin();
    const byUid = await rowsByUid(rows);
    const tree = await MerkleSumTree.build(await claimsOf(byUid, coins, secret), turn);
    this.#built = { time, tree };
    const { root, totals, size } = tree;
    return { root, totals, size };
  }

  publish(): void {
    this.#published = this.#built;
    this.#built = undefined;
  }

  proofOf(uid: number): Promise<AuditedProof | undefined> {
    const proof = this.#published?.tree.proofOf(uid);
    if (this.#published === undefined || proof === undefined) return Promise.resolve(undefined);
    const { time, tree } = this.#published;
    return Promise.resolve({ time, root: tree.root, ...proof });
  }
}

async function rowsByUid(chunks: readonly (readonly ClaimRow[])[]): Promise<Map<number, ClaimRow[]>> {
  const byUid = new Map<number, ClaimRow[]>();
  let seen = 0;
  for (const rows of chunks)
    for (const row of rows) {
      if (++seen % ROWS_AT_A_TIME === 0) await turn();
      const own = byUid.get(row[0]);
      if (own === undefined) byUid.set(row[0], [row]);
      else own.push(row);
    }
  return byUid;
}

/** Without the nonce, which only its owner gets, amounts cannot be tried against a leaf. */
async function claimsOf(
  byUid: ReadonlyMap<number, readonly ClaimRow[]>,
  coins: readonly string[],
  secret: string,
): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const [uid, rows] of byUid) {
    const held = heldCoins(rows.map(([, coin, units]) => [coins[coin]!, units]));
    if (held.names.length === 0) continue;
    claims.push({ uid, held, nonce: hash('sha256', `${secret}|${uid}`).slice(0, NONCE_DIGITS) });
    if (claims.length % CLAIMS_AT_A_TIME === 0) await turn();
  }
  return claims;
}
