/** What is asked, and the answer. */
import type { Facts } from '../../core/explain/figures.ts';
import type { MarginView } from '../../core/explain/margin-terms.ts';
import type { Check } from '../../core/explain/rejections.ts';

export type Question =
  | { readonly kind: 'command'; readonly seq: number }
  | {
      readonly kind: 'id';
      readonly what: 'orderId' | 'fill' | 'liquidation';
      readonly id: number;
      readonly text: string;
    }
  | { readonly kind: 'clientOid'; readonly uid: number; readonly clientOid: string }
  | { readonly kind: 'liquidation'; readonly uid: number }
  | { readonly kind: 'position'; readonly uid: number; readonly symbol: string };

/** Who asks. */
export interface Asker {
  /** The accounts that see their side; undefined for the operator, who may ask about any. */
  readonly own: readonly number[] | undefined;
  /** Other accounts by their uid, and not as "another account". */
  readonly others: boolean;
}

/** A trade of the command: its level of the book, and the other side. */
export interface MatchView {
  readonly level: number;
  readonly symbol: string;
  readonly category: string;
  readonly side: string;
  readonly price: string;
  readonly qty: string;
  readonly value: string;
  readonly taker: string;
  readonly maker: string;
  readonly takerOrderId?: string;
  readonly makerOrderId?: string;
  /** What each side was charged, in the coin named; of sides that are shown and keep records. */
  readonly fees: readonly Facts[];
}

export interface PostingView {
  readonly from: string;
  readonly to: string;
  readonly coin: string;
  readonly amount: string;
  /** What the bucket holds afterwards; of accounts that are shown. */
  readonly fromBalance?: string;
  readonly toBalance?: string;
}

/** Something that happened, before the command or in it. */
export interface Moment {
  readonly time: number;
  readonly seq: number;
  readonly what: string;
  readonly facts: Facts;
  /** Of a step of a liquidation: where the rule book says so, what it keeps to, and what would have spared it. */
  readonly rule?: string;
  readonly bound?: string;
  readonly rightWouldBe?: string;
}

export interface Explanation {
  readonly what: string;
  readonly verdict: string;
  readonly command: {
    readonly seq: number;
    readonly type: string;
    readonly time: number;
    readonly account: string;
  };
  readonly checks: readonly Check[];
  readonly matches: readonly MatchView[];
  readonly postings: readonly PostingView[];
  readonly margin: MarginView | null;
  readonly timeline: readonly Moment[];
  readonly rightWouldBe: string;
  readonly docs: readonly string[];
  /** Commands that were replayed for it. */
  readonly replayed: number;
}

/** Why there is no answer. */
export interface Unexplained {
  readonly refused: 'unknown' | 'gone';
  readonly message: string;
  /** The first command that can be explained. */
  readonly oldest?: number;
}

export type Answer = Explanation | Unexplained;
