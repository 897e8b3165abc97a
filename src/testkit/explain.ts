/** Why something happened, as the laboratory tells it. It imports nothing, as the interface. */

/** What to explain; of an account by its name. */
export type ToExplain =
  | { readonly orderId: string }
  | { readonly clientOid: string; readonly account: string }
  /** A sequence number. */
  | { readonly command: number }
  /** The last liquidation of an account, or the id of a forced order. */
  | { readonly liquidation: string }
  | { readonly fill: string }
  | { readonly position: string; readonly symbol: string };

type Facts = Readonly<Record<string, string>>;

export interface ExplainedCheck {
  /** A sentence that is true when it passes. */
  readonly check: string;
  /** Where the rule book says so. */
  readonly rule: string;
  readonly inputs: Facts;
  readonly bound: string;
  readonly verdict: 'passed' | 'refused' | 'not reached';
  readonly reason?: string;
  readonly rightWouldBe?: string;
}

export interface ExplainedMargin {
  readonly equity: string;
  /** After collateral discounts: margin is compared with this. */
  readonly effective: string;
  readonly initial: string;
  readonly maintenance: string;
  readonly ratio: string;
  readonly liquidationRatio: string;
  readonly terms: readonly {
    readonly of: 'equity' | 'initial' | 'maintenance';
    readonly what: string;
    readonly rule: string;
    readonly inputs: Facts;
    readonly usd: string;
  }[];
  readonly isolated: readonly {
    readonly symbol: string;
    readonly category: string;
    readonly side: 'long' | 'short';
    readonly inputs: Facts;
    readonly equity: string;
    readonly maintenance: string;
    readonly ratio: string;
  }[];
}

export interface Explanation {
  readonly what: string;
  /** Such as `refused: insufficientMargin`, `accepted: filled`, `liquidated`. */
  readonly verdict: string;
  readonly command: {
    readonly seq: number;
    readonly type: string;
    readonly time: number;
    readonly account: string;
  };
  readonly checks: readonly ExplainedCheck[];
  readonly matches: readonly {
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
    readonly fees: readonly Facts[];
  }[];
  readonly postings: readonly {
    readonly from: string;
    readonly to: string;
    readonly coin: string;
    readonly amount: string;
    readonly fromBalance?: string;
    readonly toBalance?: string;
  }[];
  readonly margin: ExplainedMargin | null;
  readonly timeline: readonly {
    readonly time: number;
    readonly seq: number;
    readonly what: string;
    readonly facts: Facts;
    /** Of a step of a liquidation: where the rule book says so, what it keeps to, and what would have spared it. */
    readonly rule?: string;
    readonly bound?: string;
    readonly rightWouldBe?: string;
  }[];
  readonly rightWouldBe: string;
  readonly docs: readonly string[];
  /** Commands that were replayed for it. */
  readonly replayed: number;
}

/** As the query of `/lab/explain`. */
export function explainQuery(what: ToExplain, others: boolean): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(what)) query.set(name, String(value));
  if (others) query.set('others', 'shown');
  return query.toString();
}
