/** How far an account is from liquidation at one instant. */
import { liquidationRatio, warningRatio } from '../margin/debts.ts';
import { computeRisk, hasReachedRatio, markTicks } from '../margin/margin.ts';
import { formatMoney, RATE_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { type Facts, instrumentName, percentText, priceText } from './figures.ts';
import { isolatedRisk, ratioText } from './margin-terms.ts';

export interface RiskRow {
  readonly time: number;
  /** Mark of each contract that it has a position in. */
  readonly marks: Facts;
  readonly equity: string;
  readonly maintenance: string;
  readonly ratio: string;
  readonly liquidationRatio: string;
  /** Margin ratio of each isolated position; hedge mode may have two in a contract. */
  readonly isolated: Facts;
  /** Below the level of the warning, and no isolated position above it. */
  readonly safe: boolean;
}

export function riskRow(state: State, account: Account): RiskRow {
  const risk = computeRisk(state, account);
  const positions = [...account.positions.values()];
  const instrumentOf = (index: number) => state.instruments[index]!;
  const isolated = positions.filter((position) => position.isolated);
  const warned = warningRatio(state, account);
  return {
    time: state.now,
    marks: Object.fromEntries(
      positions.map(({ instrument }) => [
        instrumentName(instrumentOf(instrument)),
        priceText(instrumentOf(instrument), markTicks(state, instrumentOf(instrument))),
      ]),
    ),
    equity: formatMoney(risk.effective),
    maintenance: formatMoney(risk.maintenance),
    ratio: ratioText(risk),
    liquidationRatio: percentText(liquidationRatio(state, account), RATE_ONE),
    isolated: Object.fromEntries(
      isolated.map((position) => {
        const { equity, maintenance } = isolatedRisk(state, position);
        const name = instrumentName(instrumentOf(position.instrument));
        return [`${name} ${position.long ? 'long' : 'short'}`, percentText(maintenance, equity)];
      }),
    ),
    safe:
      !hasReachedRatio(risk, warned) &&
      isolated.every((position) => {
        const { equity, maintenance } = isolatedRisk(state, position);
        return maintenance * RATE_ONE < equity * warned;
      }),
  };
}
