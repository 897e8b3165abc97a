/**
 * The interface of `bourse/testkit`. It imports nothing from outside this folder, so that its declarations stand alone in the
 * published package.
 */
import type { Explanation, ToExplain } from './explain.ts';

export type * from './explain.ts';

export interface BourseOptions {
  /** Accounts by name, with amounts by coin. Unless given: the demo accounts alice, bob, bot and maker. */
  readonly accounts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Only these of the catalogue: `BTCUSDT` in every category, or `SPOT:BTCUSDT`. Unless given: all. */
  readonly instruments?: readonly string[];
  /** Traders that quote and trade; `off` unless given. */
  readonly market?: 'off' | 'quiet' | 'normal' | 'wild';
  /** Index prices at the start, by index; the catalogue's for the others. Only without a market, which has its own. */
  readonly prices?: Readonly<Record<string, string>>;
  /** Seed of the market. Default: 1. */
  readonly seed?: number;
  /** `manual` unless given: time moves by `advance` alone; `driven`: also when every session waits. */
  readonly clock?: 'manual' | 'wall' | 'driven' | `scaled:${number}`;
  /** Time at the start, 2026-01-01T00:00:00Z unless given; of a manual or driven clock only. */
  readonly start?: Date | string;
  /** A data directory. Unless given everything is in memory, without disk and threads. */
  readonly data?: string;
  /**
   * What it goes on from: a snapshot of another exchange, which may have ended, or the file of a capsule. It has the accounts,
   * instruments, prices and time from there; of a snapshot its clock and market too, unless given.
   */
  readonly from?: Snapshot | string;
  /** On unless given. */
  readonly rateLimits?: boolean;
  /** 0, any free one, unless given. */
  readonly port?: number;
}

export interface Bourse extends AsyncDisposable {
  /** Addresses of the HTTP interface, the streams and the operator's interface, with its token. */
  readonly url: string;
  readonly wsUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly accounts: readonly Account[];
  /** Throws with the names there are. */
  account(name: string): Account;
  /** Options of ccxt's class for this interface, with the keys of the account, or without. */
  ccxt(account?: string): Record<string, unknown>;
  /** Options of the vendor SDK's clients, with the keys of the account, or without. */
  sdk(account?: string): Record<string, unknown>;
  /** Sets an index price. It holds until the next one; marks follow with the next second. */
  price(index: string, price: string): Promise<void>;
  /** Moves every price of a coin by so many percent, at once or over a span such as `30s`. */
  shock(coin: string, percent: number, over?: string): Promise<void>;
  /**
   * Moves a manual clock by a span such as `8h`, to an instant, or to what is due next. Resolves when everything due has
   * happened.
   */
  advance(by: string | { readonly to: Date | string } | { readonly next: NextEvent }): Promise<Happened>;
  /** Another clock from the present time on; a revert goes back to that of the snapshot. */
  setClock(clock: NonNullable<BourseOptions['clock']>): Promise<void>;
  /** The exchange's time. */
  now(): Promise<Date>;
  readonly force: Force;
  /** Requests and socket frames as the exchange saw them, the oldest first. */
  requests(filter?: RequestFilter): Promise<readonly RequestEntry[]>;
  /** Everything as it is between two commands; it stays until the exchange ends and can be gone back to any number of times. */
  snapshot(name?: string): Promise<Snapshot>;
  /** Goes back: state, orders, money, ids, keys and time. Sockets are closed with 1012, or stay with `keepSockets`. */
  revert(to: Snapshot | string, options?: { readonly keepSockets?: boolean }): Promise<void>;
  /** A second exchange that goes on from a snapshot, or from now; it ends with this one. */
  fork(options?: ForkOptions): Promise<Bourse>;
  /** What accounts own, open orders, positions and prices that differ; the second is the present unless given. */
  diff(from: Snapshot | string, to?: Snapshot | string): Promise<Difference>;
  /** Why something happened, with every number. Other accounts have no name unless `others` asks for it. */
  explain(what: ToExplain, options?: { readonly others?: boolean }): Promise<Explanation>;
  /** Writes the session so far to a file that has it again, here or anywhere: `bourse lab capsule replay FILE`. */
  capsule(file: string, options?: CapsuleOptions): Promise<void>;
  /** What a program did with an account, and what could be better: since a span such as `10m`, or all that is known. */
  referee(account: string, options?: { readonly since?: string }): Promise<Referee>;
  /** Something goes wrong from now on. */
  fault(rule: Fault): Promise<FaultHandle>;
  /** Runs a scenario here: a document, the name of a shipped one, or a file. Time moves; what it expects is in the report. */
  run(scenario: Scenario | string): Promise<Report>;
  /** Of the whole state: equal for two exchanges with the same commands. */
  stateHash(): Promise<string>;
  /** Ends the exchange; nothing of it stays open. */
  close(): Promise<void>;
}

export interface Snapshot {
  readonly name: string;
  /** The last command in it. */
  readonly seq: number;
  readonly time: Date;
  readonly stateHash: string;
  readonly bytes: number;
}

export interface CapsuleOptions {
  /** From so long ago, of the exchange's time, such as `10m`. */
  readonly since?: string;
  /** From a snapshot that the exchange has come from. Without either: as far back as it is known. */
  readonly from?: Snapshot | string;
  /** With other numbers of accounts and without names. */
  readonly anonymise?: boolean;
}

/** Where capsules of failed tests are written. */
export interface CapsulePlace {
  /** `capsules` unless given. */
  readonly directory?: string;
  /** Name of the file. Default: the name of the test. */
  readonly name?: string | undefined;
}

/** Hooks of a test runner, which tell of a test that has ended whether it has failed: those of node:test and Vitest do. */
export interface CapsuleHooks {
  readonly beforeEach: (hook: () => void) => unknown;
  readonly afterEach: (hook: (context: unknown) => Promise<void>) => unknown;
}

/** Decimal texts by coin. */
type Money = Readonly<Record<string, string>>;

export interface RefereeSlippage {
  readonly size: string;
  readonly orders: number;
  /** Of the value at the middle of the book on arrival; positive is worse than it. */
  readonly bps: string;
}

/** What a program did with an account. Money is decimal text; times are milliseconds. */
export interface Referee {
  readonly account: string;
  readonly uid: number;
  readonly from: { readonly seq: number; readonly time: number };
  readonly to: { readonly seq: number; readonly time: number };
  /** Does it reach back as far as was asked? */
  readonly complete: boolean;
  readonly trading: {
    readonly orders: {
      readonly placed: number;
      readonly filled: number;
      readonly partlyFilled: number;
      readonly cancelled: number;
      readonly rejected: number;
      readonly open: number;
      readonly byExchange: number;
      readonly reasons: Readonly<Record<string, number>>;
    };
    readonly fills: number;
    readonly makerShare: Money;
    readonly turnover: Money;
    readonly slippage: { readonly all: RefereeSlippage; readonly bySize: readonly RefereeSlippage[] };
    readonly fees: Money;
    readonly funding: Money;
    readonly interest: Money;
    readonly profit: { readonly realised: Money; readonly unrealised: Money; readonly total: string };
    readonly equity: { readonly first: string; readonly last: string; readonly paidIn: string };
    readonly drawdown: {
      readonly usd: string;
      readonly percent: string;
      readonly from: number;
      readonly to: number;
    };
    readonly exposure: {
      readonly most: string;
      readonly average: string;
      readonly series: readonly { readonly time: number; readonly usd: string }[];
    };
  };
  readonly conduct: {
    readonly requests: number;
    readonly frames: number;
    readonly limits: readonly {
      readonly path: string;
      readonly calls: number;
      readonly perSecond: number;
      readonly percent: string;
    }[];
    readonly refused429: number;
    readonly retries: { readonly safe: number; readonly unsafe: number };
    readonly duplicateIds: number;
    readonly amendsOfClosed: number;
    readonly pollingBesideStream: number;
    readonly socketsWithoutPing: number;
    readonly unreadSockets: number;
    readonly mistakes: readonly {
      readonly kind: string;
      readonly subject: string;
      readonly advice: string;
      readonly count: number;
    }[];
  } | null;
  readonly faults: readonly {
    readonly fault: string;
    readonly what: string;
    readonly time: number;
    readonly did: string;
    readonly secondsUntilKnown: number | null;
    readonly believed: Money;
    readonly actual: Money;
  }[];
  readonly rules: {
    readonly belowMinimum: number;
    readonly offTick: number;
    readonly reduceOnly: number;
    readonly selfTradesPrevented: number;
    readonly cancelRatio: string;
    readonly liquidations: number;
    readonly left: { readonly orders: number; readonly positions: number };
  };
  /** What could be better, each by its name, also where it never happened. */
  readonly findings: readonly { readonly name: string; readonly count: number; readonly text: string }[];
}

export interface ForkOptions {
  readonly from?: Snapshot | string;
  /** As the exchange that it is forked from, unless given. */
  readonly clock?: BourseOptions['clock'];
  readonly market?: BourseOptions['market'];
  readonly port?: number;
}

export interface DifferencePart {
  /** How many differ; the first 1,000 are rows. */
  readonly count: number;
  readonly rows: readonly {
    readonly account?: string;
    readonly uid?: number;
    readonly what: string;
    /** `null` where there is none. */
    readonly from: string | null;
    readonly to: string | null;
  }[];
}

export interface Difference {
  readonly accounts: DifferencePart;
  readonly orders: DifferencePart;
  readonly positions: DifferencePart;
  readonly prices: DifferencePart;
}

/** When a fault happens; without anything, always. Spans such as `10s` count from its making, by the exchange's clock. */
export interface FaultCondition {
  readonly account?: string;
  readonly method?: 'GET' | 'POST';
  /** The end of a path, such as `trade/place-order`; `*` stands for any characters. */
  readonly path?: string;
  readonly symbol?: string;
  readonly nth?: readonly number[];
  readonly every?: number;
  readonly probability?: number;
  readonly times?: number;
  readonly from?: string;
  readonly until?: string;
}

/** What goes wrong, and when. `do` has one of the rows of docs/lab.md, such as `{ drop: 'after' }`. */
export interface Fault {
  readonly when?: FaultCondition;
  readonly do: Readonly<Record<string, unknown>>;
}

export interface FaultHandle {
  readonly id: string;
  /** How often it has happened. */
  readonly hits: Promise<number>;
  /** Why it could not do what it should. */
  readonly problem: Promise<string | undefined>;
  remove(): Promise<void>;
}

/** A scenario as docs/lab.md describes it; `steps` have `at` and one action each. */
export interface Scenario {
  readonly scenario: string;
  readonly description?: string;
  readonly world?: Readonly<Record<string, unknown>>;
  readonly given?: readonly Readonly<Record<string, unknown>>[];
  readonly steps: readonly Readonly<Record<string, unknown>>[];
}

export interface Report {
  readonly scenario: string;
  readonly ok: boolean;
  readonly failed: number;
  readonly commands: number;
  /** Number of events by type. */
  readonly events: Readonly<Record<string, number>>;
  readonly stateHash: string;
  /** Every coin adds up. */
  readonly balanced: boolean;
  readonly steps: readonly {
    readonly step: string;
    readonly at: string;
    readonly action: string;
    readonly ok: boolean;
    readonly message: string;
  }[];
}

/** What happens on an exchange at its own time, now. */
export interface Force {
  liquidation(account: string): Promise<void>;
  /** Of a perpetual, such as `BTCUSDT` or `COIN-FUTURES:BTCUSD`. */
  funding(symbol: string): Promise<void>;
  halt(): Promise<void>;
  resume(): Promise<void>;
  /** Ports are closed for so long, in seconds of the machine; it is back when this resolves. `clean` unless given. */
  outage(seconds: number, how?: 'clean' | 'kill'): Promise<void>;
}

export interface Happened {
  readonly from: Date;
  readonly to: Date;
  /** Number of events by type, such as `fill` or `fundingSettled`. */
  readonly events: Readonly<Record<string, number>>;
  /** Commands that were carried out meanwhile. */
  readonly commands: number;
  /** What concerned somebody, in order: funding, interest, fills, liquidations, orders that ended. */
  readonly happened: readonly Happening[];
}

export interface Happening {
  readonly time: Date;
  /** Such as `funding paid`, `interest`, `fill`, `liquidation`, `order cancelled, normal_cancel`. */
  readonly what: string;
  readonly account?: string;
  readonly symbol?: string;
  /** Of `amount`, when it is money. */
  readonly coin?: string;
  readonly amount?: string;
}

/** The end of a candle has its interval, such as `candle:1H`. */
export type NextEvent = 'funding' | 'interest' | 'delivery' | 'any' | `candle:${string}`;

export interface RequestFilter {
  readonly account?: string;
  /** A code of the interface, such as `25201`. */
  readonly code?: string;
  /** A part of the path. */
  readonly path?: string;
  readonly limit?: number;
}

export interface RequestEntry {
  readonly id: number;
  readonly kind: 'http' | 'ws';
  readonly uid: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string;
  readonly msg: string;
  readonly ms: number;
  readonly refused: boolean;
}

/** An account, and the calls that tests need most; for all others there are ccxt and the SDK. */
export interface Account {
  readonly name: string;
  readonly uid: string;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
  /** Balance by coin. */
  balances(): Promise<Record<string, string>>;
  openOrders(): Promise<readonly Order[]>;
  positions(): Promise<readonly Position[]>;
  /** Places an order as the interface takes it. Throws `BourseError` with the code when it is refused. */
  place(order: PlaceOrder): Promise<Order>;
  cancel(order: { readonly orderId: string }): Promise<void>;
  deposit(coin: string, amount: string): Promise<void>;
}

export interface PlaceOrder {
  readonly category: 'SPOT' | 'MARGIN' | 'USDT-FUTURES' | 'USDC-FUTURES' | 'COIN-FUTURES';
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly orderType: 'limit' | 'market';
  readonly qty: string;
  readonly price?: string;
  readonly clientOid?: string;
  readonly [field: string]: unknown;
}

/** As the interface answers. */
export interface Order {
  readonly orderId: string;
  readonly clientOid: string;
  readonly category: string;
  readonly symbol: string;
  readonly side: string;
  readonly orderType: string;
  readonly orderStatus: string;
  readonly price: string;
  readonly qty: string;
  readonly cumExecQty: string;
  readonly avgPrice: string;
  readonly [field: string]: unknown;
}

/** As the interface answers. */
export interface Position {
  readonly category: string;
  readonly symbol: string;
  readonly posSide: string;
  readonly total: string;
  readonly [field: string]: unknown;
}
