/** The agents of every book, their accounts and target balances. */
import type { Command, Unstamped } from '../core/model/command.ts';
import type { State } from '../core/state/state.ts';
import type { Agent } from './agents/agent.ts';
import { Arbitrageur } from './agents/arbitrageur.ts';
import { Maker } from './agents/maker.ts';
import { RetailTrader } from './agents/retail-trader.ts';
import { RpiMaker } from './agents/rpi-maker.ts';
import { Taker } from './agents/taker.ts';
import { Tape, TapeSecond } from './agents/tape.ts';
import { MomentumTrader, ReversionTrader } from './agents/trend-trader.ts';
import { type Holding, houseUid } from './house-accounts.ts';
import type { InstrumentView } from './instrument-view.ts';
import type { Recording, ReplayDepth } from './recording/recording.ts';

const TAKERS = 4;
const MOMENTUM_TRADERS = 2;
const REVERSION_TRADERS = 3;
const RETAIL_TRADERS = 24;
/** RPI orders are worth placing where there is space inside the spread. */
const RPI_SPREAD_STEPS = 3;
/** Target balances in depths of the book: makers cover their whole ladder, other agents their order sizes. */
const MAKER_DEPTHS = 20;
const TRADER_DEPTHS = 4;
/** Recorded trades may be of any size. */
const TAPE_DEPTHS = 200;
const STAKES = [500, 1000, 2500, 5000] as const;
/** Leverage of house accounts, low enough for every tier. */
const HOUSE_LEVERAGE = 5;

export interface AgentAccount {
  readonly agent: Agent;
  readonly marketMaker: boolean;
  /** Books whose coins it needs, and how many depths of each. */
  readonly views: readonly InstrumentView[];
  readonly depths: number;
  /** Trades without fees, as market makers by contract do. */
  readonly feeFree: boolean;
  /** Fixed amount of a coin instead of depths. */
  readonly stake?: number;
}

/** The agents that quote one book. */
export function makersOf(view: InstrumentView, seed: number): AgentAccount[] {
  const { index } = view.instrument;
  const one = { views: [view], feeFree: true };
  const maker = new Maker(houseUid('maker', index), view, seed);
  const members: AgentAccount[] = [{ ...one, agent: maker, marketMaker: false, depths: MAKER_DEPTHS }];
  const steps = (2 * view.halfSpreadTicks) / view.instrument.tickStep;
  if (steps >= RPI_SPREAD_STEPS) {
    const rpi = new RpiMaker(houseUid('rpi', index), view, seed);
    members.push({ ...one, agent: rpi, marketMaker: true, depths: TRADER_DEPTHS });
  }
  return members;
}

/** The two accounts of a tape. Nobody else of the house trades on its book. */
export function tapeOf(
  view: InstrumentView,
  recording: Recording,
  depth: Exclude<ReplayDepth, 'price'>,
  now: number,
): AgentAccount[] {
  const { index } = view.instrument;
  const pair = recordedPair(view, recording);
  if (pair === undefined) return [];
  const uids = [houseUid('tape', 2 * index), houseUid('tape', 2 * index + 1)] as const;
  const one = { views: [view], feeFree: true, marketMaker: false, depths: TAPE_DEPTHS };
  return [
    { ...one, agent: new Tape(uids, view, recording, pair, now, depth) },
    { ...one, agent: new TapeSecond(uids[1], view) },
  ];
}

/** Index of the recorded pair; only for spot pairs and perpetuals whose size is in the base coin. */
function recordedPair({ instrument }: InstrumentView, { names }: Recording): number | undefined {
  const { futures, spec } = instrument;
  if (futures !== undefined && (futures.coinMargined || futures.delivery !== undefined)) return undefined;
  const pair = names.indexOf(`${spec.baseCoin}/${spec.quoteCoin}`);
  return pair < 0 ? undefined : pair;
}

/** The agents that trade on all books. */
export function tradersOf(views: readonly InstrumentView[], seed: number): AgentAccount[] {
  const everywhere = { marketMaker: false, views, feeFree: false };
  const futures = views.filter(({ instrument }) => instrument.futures !== undefined);
  const perpetuals = futures.filter(({ instrument }) => instrument.futures?.delivery === undefined);
  const onFutures = { marketMaker: false, views: futures, feeFree: false, depths: TRADER_DEPTHS };
  const members: AgentAccount[] = [];
  for (let n = 0; n < TAKERS; n++) {
    const agent = new Taker(houseUid('taker', n), n + 1, views, 1 / TAKERS, seed);
    members.push({ ...everywhere, agent, depths: TRADER_DEPTHS });
  }
  const arbitrage = new Arbitrageur(houseUid('arbitrage', 0), 1, views, seed);
  members.push({ ...everywhere, agent: arbitrage, depths: MAKER_DEPTHS, feeFree: true });
  if (perpetuals.length === 0) return members;
  for (let n = 0; n < MOMENTUM_TRADERS; n++) {
    const agent = new MomentumTrader(houseUid('momentum', n), n + 1, perpetuals, seed);
    members.push({ ...onFutures, agent });
  }
  for (let n = 0; n < REVERSION_TRADERS; n++) {
    const agent = new ReversionTrader(houseUid('reversion', n), n + 1, perpetuals, seed);
    members.push({ ...onFutures, agent });
  }
  const linear = perpetuals.filter(({ instrument }) => instrument.futures?.coinMargined === false);
  for (let n = 0; n < RETAIL_TRADERS && linear.length > 0; n++) {
    const view = linear[n % linear.length]!;
    const agent = new RetailTrader(houseUid('retail', n), n + 1, view, seed);
    const stake = STAKES[n % STAKES.length]!;
    members.push({ marketMaker: false, views: [view], feeFree: false, depths: 0, agent, stake });
  }
  return members;
}

/** Opens the account of an agent where there is none, with its fees and leverage. */
export function openingCommands(
  state: State,
  { agent, marketMaker, views, feeFree, stake }: AgentAccount,
): Unstamped<Command>[] {
  const { uid } = agent;
  const account = state.accountByUid.get(uid);
  const commands: Unstamped<Command>[] = [];
  if (account === undefined) {
    commands.push({ type: 'openAccount', uid, masterUid: 0, marketMaker, house: true });
  }
  for (const { instrument } of views) {
    if (feeFree && account?.fees.has(instrument.index) !== true) {
      commands.push({
        type: 'setFees',
        uid,
        instrument: instrument.index,
        makerRate: 0n,
        takerRate: 0n,
      });
    }
    const leveraged = account?.futuresSettings.has(instrument.index) === true;
    if (instrument.futures === undefined || leveraged || stake !== undefined) continue;
    const leverage = Math.min(HOUSE_LEVERAGE, instrument.futures.maxLeverage);
    commands.push({
      type: 'setLeverage',
      uid,
      instrument: instrument.index,
      longLeverage: leverage,
      shortLeverage: leverage,
    });
  }
  return commands;
}

/** Target balances of an agent: for spot both coins of each book, for futures the settlement coin. */
export function holdingsOf({ agent, views, depths, stake }: AgentAccount): Holding[] {
  const { uid } = agent;
  if (stake !== undefined) {
    const coin = views[0]!.instrument.futures!.settle;
    return [{ uid, coin, target: BigInt(stake) * 100_000_000n, lowPercent: 4n, highPercent: 0n }];
  }
  const wanted = new Map<number, number>();
  const add = (coin: number, amount: number) => wanted.set(coin, (wanted.get(coin) ?? 0) + amount);
  for (const view of views) {
    const { instrument, parameters } = view;
    const quote = parameters.depth * depths;
    const base = (view.depthLots * depths * instrument.unitsPerLotNumber) / 1e8;
    if (instrument.futures === undefined) {
      add(instrument.quote, quote);
      add(instrument.base, base);
    } else if (instrument.futures.coinMargined) add(instrument.base, base);
    else add(instrument.quote, quote);
  }
  return [...wanted].map(([coin, amount]) => ({
    uid,
    coin,
    target: BigInt(Math.ceil(amount)) * 100_000_000n,
    lowPercent: 40n,
    highPercent: 250n,
  }));
}
