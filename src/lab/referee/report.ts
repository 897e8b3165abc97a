/** What the referee says of an account: the one shape of the answer, the test kit and the pages. Money is decimal text. */
import { type Static, Type } from '../../validation/schema.ts';

const Count = Type.Integer();
const Decimal = Type.String();
const Time = Type.Integer();
/** By coin. */
const Money = Type.Record(Type.String(), Decimal);
/** By name. */
const Counts = Type.Record(Type.String(), Count);
const Point = Type.Object({ seq: Count, time: Time });

const Slippage = Type.Object({
  /** Executed value of an order, in its quote coin. */
  size: Type.String(),
  orders: Count,
  /** Relative to the value at the middle of the book on arrival; positive is worse than it. */
  bps: Decimal,
});

const Trading = Type.Object({
  orders: Type.Object({
    placed: Count,
    filled: Count,
    /** Ended with a part filled. */
    partlyFilled: Count,
    cancelled: Count,
    rejected: Count,
    open: Count,
    /** Made by the exchange: liquidations and the like. */
    byExchange: Count,
    /** Reasons of rejections, and of cancellations that nobody asked for. */
    reasons: Counts,
  }),
  fills: Count,
  /** Share of the executed value, 0 to 1; by quote coin. */
  makerShare: Money,
  turnover: Money,
  slippage: Type.Object({ all: Slippage, bySize: Type.Array(Slippage) }),
  fees: Money,
  /** Negative when paid. */
  funding: Money,
  interest: Money,
  profit: Type.Object({
    /** The profit of what was closed, without fees: contracts by their cost, spot by the average cost of the session's own trades. */
    realised: Money,
    unrealised: Money,
    /** Dollars: what the account is worth more, without what was paid in and out. */
    total: Decimal,
  }),
  /** Dollars. */
  equity: Type.Object({ first: Decimal, last: Decimal, paidIn: Decimal }),
  drawdown: Type.Object({ usd: Decimal, percent: Decimal, from: Time, to: Time }),
  /** Notional of contracts at their marks, in dollars. */
  exposure: Type.Object({
    most: Decimal,
    average: Decimal,
    series: Type.Array(Type.Object({ time: Time, usd: Decimal })),
  }),
});

const Conduct = Type.Object({
  requests: Count,
  frames: Count,
  /** Most that was used of a limit within a second, in percent. */
  limits: Type.Array(Type.Object({ path: Type.String(), calls: Count, perSecond: Count, percent: Decimal })),
  refused429: Count,
  /** Orders sent again after an answer that did not come or said nothing: with their client id, or without. */
  retries: Type.Object({ safe: Count, unsafe: Count }),
  duplicateIds: Count,
  amendsOfClosed: Count,
  pollingBesideStream: Count,
  socketsWithoutPing: Count,
  unreadSockets: Count,
  mistakes: Type.Array(
    Type.Object({ kind: Type.String(), subject: Type.String(), advice: Type.String(), count: Count }),
  ),
});

const FaultMet = Type.Object({
  fault: Type.String(),
  what: Type.String(),
  time: Time,
  /** Its next request; empty when there was none. */
  did: Type.String(),
  /** Until it asked or learned what had become of it; null when it never did. */
  secondsUntilKnown: Type.Union([Type.Number(), Type.Null()]),
  /** Position by contract or pair that it could know of then, and that it had. */
  believed: Money,
  actual: Money,
});

const Rules = Type.Object({
  belowMinimum: Count,
  offTick: Count,
  reduceOnly: Count,
  selfTradesPrevented: Count,
  /** Cancelled by the owner, of those placed. */
  cancelRatio: Decimal,
  liquidations: Count,
  left: Type.Object({ orders: Count, positions: Count }),
});

const Finding = Type.Object({ name: Type.String(), count: Count, text: Type.String() });

export const REFEREE = Type.Object({
  account: Type.String(),
  uid: Type.Integer(),
  from: Point,
  to: Point,
  /** Does it reach back as far as was asked? */
  complete: Type.Boolean(),
  trading: Trading,
  /** Null while nothing is recorded (`--inspect off`). */
  conduct: Type.Union([Conduct, Type.Null()]),
  faults: Type.Array(FaultMet),
  rules: Rules,
  /** What could be better, each by its name, also where it never happened. */
  findings: Type.Array(Finding),
});

export type Referee = Static<typeof REFEREE>;
export type TradingReport = Static<typeof Trading>;
export type ConductReport = Static<typeof Conduct>;
export type FaultReport = Static<typeof FaultMet>;
export type RulesReport = Static<typeof Rules>;
export type SlippageReport = Static<typeof Slippage>;
