/** Forced closes that are not yet ended, with the rankings that they need (rules 19). */

import { type OrderKind, PosSide } from '../model/enums.ts';
import { positionKey } from '../model/position.ts';
import type { Ranked } from '../state/adl-queue.ts';
import { type CloseScope, type OpenClose, OpenRanking } from '../state/open-closes.ts';
import type { State } from '../state/state.ts';
import { amountField, list, type StateFields } from './fields.ts';

export function openCloseFields(f: StateFields, state: State): void {
  const closes = list(f, state.openCloses, (close) => closeFields(f, state, close));
  const rankings = list(f, state.rankings, (ranking) => rankingFields(f, state, ranking));
  const due = list(f, [...state.dueAccounts], (known) => f.index(known ?? 0, state.accounts.length));
  if (!f.reading) return;
  for (const index of due) state.dueAccounts.add(index);
  state.openCloses = closes;
  state.rankings = rankings;
  for (const account of state.accountByUid.values()) if (account.liquidating) state.beginLiquidation(account);
}

function closeFields(
  f: StateFields,
  { accounts, instruments }: State,
  known: OpenClose | undefined,
): OpenClose {
  return {
    scope: f.u8(known?.scope ?? 0) as CloseScope,
    account: f.index(known?.account ?? 0, accounts.length),
    position: f.f64(known?.position ?? 0),
    instrument: f.index(known?.instrument ?? 0, Math.max(1, instruments.length)),
    posSide: f.u8(known?.posSide ?? 0) as PosSide,
    lots: f.f64(known?.lots ?? 0),
    kind: f.u8(known?.kind ?? 0) as OrderKind,
    fundLeft: f.money(known?.fundLeft ?? 0n),
    fundLost: f.money(known?.fundLost ?? 0n),
  };
}

/** Without the positions that have been closed since. */
function rankingFields(f: StateFields, state: State, known: OpenRanking | undefined): OpenRanking {
  const instrument = f.index(known?.instrument ?? 0, state.instruments.length);
  const long = f.flag(known?.long ?? false);
  const next = f.i32(known?.next ?? 0);
  const until = f.i32(known?.until ?? 0);
  const ranking = known ?? new OpenRanking(state, instrument, long, next, until);
  ranking.isUsed = f.flag(ranking.isUsed);
  const passed = new Set([...ranking.inLiquidation, ...ranking.ruined].map(({ position }) => position));
  const isOpen = ({ position }: Ranked) => position.size !== 0;
  const toPass = [...ranking.order.added()].filter((each) => isOpen(each) && !passed.has(each.position));
  const [order, inLiquidation, ruined] = [toPass, ranking.inLiquidation, ranking.ruined].map((group) =>
    list(f, group.filter(isOpen), (each) => rankedFields(f, state, instrument, each)),
  );
  if (f.reading) {
    for (const each of order!) ranking.order.addRanked(each);
    ranking.order.close();
    ranking.inLiquidation.push(...inLiquidation!);
    ranking.ruined.push(...ruined!);
  }
  return ranking;
}

function rankedFields(f: StateFields, state: State, instrument: number, known: Ranked | undefined): Ranked {
  const account = state.accounts[f.index(known?.account.index ?? 0, state.accounts.length)]!;
  const posSide = f.u8(known?.position.posSide ?? PosSide.none) as PosSide;
  const score = amountField(f, known?.score ?? 0);
  const lots = f.f64(known?.lots ?? 0);
  const liquidating = f.flag(known?.liquidating ?? false);
  const position = known?.position ?? account.positions.get(positionKey(instrument, posSide))!;
  return { account, position, score, lots, liquidating };
}
