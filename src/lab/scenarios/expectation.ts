/** What a scenario expects, held against the state: each unmet expectation in words. */

import { AdminError } from '../../admin/admin-error.ts';
import { findUser } from '../../admin/lookup.ts';
import { INSTRUMENT_STATUS_NAMES } from '../../core/model/enums.ts';
import { formatMoney, formatUnits, MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import { accountRisk } from '../../core/reads/margin-reads.ts';
import { positionViews } from '../../core/reads/position-reads.ts';
import { balances, openOrders } from '../../core/reads/reads.ts';
import type { State } from '../../core/state/state.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Referee } from '../referee/report.ts';
import { isOfCrowd } from './crowd.ts';
import type { Expect, Range } from './document.ts';

export interface Found {
  readonly state: State;
  readonly identity: Identity;
  /** Since the beginning, by type. */
  readonly events: Readonly<Record<string, number>>;
  /** Hits of the scenario's faults, by name. */
  readonly hits: Readonly<Record<string, number>>;
  /** Findings of the referee, where they are asked for. */
  readonly findings: Referee['findings'];
}

type Check = (expect: Expect, found: Found) => string[];

/** One for each field; `uid` is asked for where there is an account. */
const CHECKS: { readonly [Field in Exclude<keyof Expect, 'account'>]-?: Check } = {
  openOrders: (expect, found) =>
    ofAccount(expect, found, (uid) => {
      const { length } = openOrders(found.state, { uid, limit: Number.POSITIVE_INFINITY });
      return same('open orders', length, expect.openOrders!);
    }),
  positions: (expect, found) =>
    ofAccount(expect, found, (uid) =>
      same('positions', positionViews(found.state, uid).length, expect.positions!),
    ),
  position: (expect, found) => {
    const { category, symbol, size } = expect.position!;
    return ofAccount(expect, found, (uid) => {
      const held = positionViews(found.state, uid).filter(
        ({ instrument }) => instrument.spec.category === category && instrument.symbol === symbol,
      );
      const lots = held.reduce((sum, { long, totalLots }) => sum + (long ? totalLots : -totalLots), 0);
      const precision = found.state.instrument(category, symbol)?.quantityPrecision ?? 0;
      const text = formatUnits(BigInt(lots), precision);
      return Number(text) === Number(size)
        ? []
        : [`position in ${category} ${symbol} is ${text}, not ${size}`];
    });
  },
  balance: (expect, found) => {
    const { coin, min, max } = expect.balance!;
    return ofAccount(expect, found, (uid) => {
      const own = balances(found.state, uid).find((each) => found.state.coins[each.coin]!.coin === coin);
      return within(`balance of ${coin}`, own === undefined ? 0n : own.cash + own.locked, min, max);
    });
  },
  marginRatioBelow: (expect, found) =>
    ofAccount(expect, found, (uid) => {
      const ratio = marginRatio(found.state, uid);
      return ratio < expect.marginRatioBelow!
        ? []
        : [`margin ratio is ${ratio}, not below ${expect.marginRatioBelow}`];
    }),
  marginRatioAbove: (expect, found) =>
    ofAccount(expect, found, (uid) => {
      const ratio = marginRatio(found.state, uid);
      return ratio > expect.marginRatioAbove!
        ? []
        : [`margin ratio is ${ratio}, not above ${expect.marginRatioAbove}`];
    }),
  noMistakes: (expect, found) =>
    ofAccount(expect, found, () =>
      found.findings
        .filter(({ name, count }) => count > 0 && expect.noMistakes!.includes(name))
        .map(({ name, count, text }) => `${name}: ${text} (${count})`),
    ),
  crowdPositions: ({ crowdPositions }, { state }) => {
    const crowd = [...state.accountByUid.values()].filter(({ uid }) => isOfCrowd(uid));
    const open = crowd.reduce((sum, { positions }) => sum + positions.size, 0);
    return inRange('positions of the crowd', open, crowdPositions!);
  },
  events: ({ events }, found) =>
    Object.entries(events!).flatMap(([type, range]) =>
      inRange(`events ${type}`, found.events[type] ?? 0, range),
    ),
  hits: ({ hits }, found) =>
    Object.entries(hits!).flatMap(([name, range]) =>
      found.hits[name] === undefined
        ? [`there is no fault ${name}`]
        : inRange(`hits of ${name}`, found.hits[name], range),
    ),
  index: ({ index }, { state }) => {
    const { name, min, max, stale } = index!;
    const number = state.indexByName.get(name);
    if (number === undefined) return [`there is no index ${name}`];
    const { price, stale: isStale } = state.indices[number]!;
    return [
      ...within(`index ${name}`, price, min, max),
      ...(stale === undefined || stale === isStale ? [] : [`index ${name} is ${isStale ? '' : 'not '}stale`]),
    ];
  },
  instrument: ({ instrument }, { state }) => {
    const { category, symbol, status } = instrument!;
    const found = state.instrument(category, symbol);
    const is = found === undefined ? 'not listed' : INSTRUMENT_STATUS_NAMES[found.status];
    return is === status ? [] : [`${category} ${symbol} is ${is}, not ${status}`];
  },
  halted: ({ halted }, { state }) =>
    state.halted === halted ? [] : [`trading is ${state.halted ? '' : 'not '}halted`],
};

/** Empty when everything is as expected. */
export function unmet(expect: Expect, found: Found): string[] {
  return Object.entries(CHECKS).flatMap(([field, check]) =>
    expect[field as keyof Expect] === undefined ? [] : check(expect, found),
  );
}

function ofAccount({ account }: Expect, { identity }: Found, check: (uid: number) => string[]): string[] {
  if (account === undefined) return ['account is missing'];
  const user = findUser(identity, account);
  return user instanceof AdminError ? [user.message] : check(user.uid).map((text) => `${account}: ${text}`);
}

/** Maintenance margin by what the account is worth; at 1 it is liquidated. */
function marginRatio(state: State, uid: number): number {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return 0;
  const { effective, maintenance } = accountRisk(state, account);
  if (maintenance === 0n) return 0;
  return effective > 0n ? Number(maintenance) / Number(effective) : Number.POSITIVE_INFINITY;
}

function same(what: string, is: number, expected: number): string[] {
  return is === expected ? [] : [`${what}: ${is}, not ${expected}`];
}

function inRange(
  what: string,
  is: number,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Range,
): string[] {
  if (is < min) return [`${what}: ${is}, not at least ${min}`];
  return is > max ? [`${what}: ${is}, not at most ${max}`] : [];
}

function within(what: string, is: bigint, min: string | undefined, max: string | undefined): string[] {
  const text = formatMoney(is);
  if (min !== undefined && is < (parseUnits(min, MONEY_SCALE) ?? 0n))
    return [`${what} is ${text}, not at least ${min}`];
  if (max !== undefined && is > (parseUnits(max, MONEY_SCALE) ?? 0n))
    return [`${what} is ${text}, not at most ${max}`];
  return [];
}
