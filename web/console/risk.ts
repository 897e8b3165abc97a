/** What `/admin/risk` answers. */
export interface Risk {
  readonly levels: Levels;
  readonly nearest: readonly Near[];
  readonly contracts: readonly {
    readonly category: string;
    readonly symbol: string;
    readonly holders: number;
    readonly openInterest: string;
  }[];
  readonly forced: readonly {
    readonly id: string;
    readonly time: number;
    readonly uid: number;
    readonly kind: string;
    readonly category: string;
    readonly symbol: string;
    readonly side: string;
    readonly size: string;
    readonly price: string;
    readonly pnl: string;
  }[];
}

/** Accounts with positions or debts, each in one of them. */
export interface Levels {
  readonly due: number;
  readonly warned: number;
  readonly within1: number;
  readonly within5: number;
  readonly within20: number;
  readonly beyond20: number;
}

export interface Near {
  readonly uid: number;
  readonly name: string;
  /** The contract of the isolated position whose margin this is; empty for the crossed part of the account. */
  readonly isolated: string;
  /** Empty when no collateral is left. */
  readonly ratio: string;
  /** Empty when no move of prices can liquidate it. */
  readonly move: string;
  readonly effective: string;
  readonly maintenance: string;
  readonly positions: number;
}
