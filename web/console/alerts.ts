/** What asks for an operator's attention, worst first. No DOM. */
import type { Figures } from './live.ts';
import type { PlaceName } from './places.ts';
import type { Levels } from './risk.ts';

export interface Alert {
  readonly tone: 'down' | 'warn';
  readonly text: string;
  readonly place?: PlaceName;
}

/** Rows that wait for the history's thread for a moment are normal. */
const ROWS_BEHIND_MAX = 10_000;

export function alertsOf(
  figures: Figures,
  levels: Levels | undefined,
  balanced: boolean | undefined,
): readonly Alert[] {
  const { checks, halted, pendingWithdrawals, historyLag, market } = figures;
  const wrong = checks.filter(({ ok }) => !ok);
  const doubtful = checks.filter(({ ok, detail }) => ok && detail !== undefined);
  const alerts: (Alert | false)[] = [
    balanced === false && { tone: 'down', text: 'The books do not agree.' },
    ...wrong.map(({ name, detail }): Alert => ({ tone: 'down', text: said(name, detail) })),
    halted && { tone: 'down', text: 'Trading is halted.' },
    levels !== undefined &&
      levels.due > 0 && {
        tone: 'down',
        text: `${levels.due} at liquidation, waiting for a price`,
        place: 'risk',
      },
    ...doubtful.map(({ name, detail }): Alert => ({ tone: 'warn', text: said(name, detail) })),
    levels !== undefined &&
      levels.warned > 0 && { tone: 'warn', text: `${levels.warned} warned: margin is short`, place: 'risk' },
    historyLag > ROWS_BEHIND_MAX && { tone: 'warn', text: `the history is ${historyLag} rows behind` },
    pendingWithdrawals > 0 && {
      tone: 'warn',
      text: `${pendingWithdrawals} ${pendingWithdrawals === 1 ? 'withdrawal waits' : 'withdrawals wait'} to be paid`,
      place: 'money',
    },
    market !== null &&
      market.running < market.agents && {
        tone: 'warn',
        text: `${market.agents - market.running} of ${market.agents} agents are stopped`,
        place: 'markets',
      },
  ];
  return alerts.filter((alert) => alert !== false);
}

function said(name: string, detail: string | undefined): string {
  return detail === undefined ? name : `${name}: ${detail}`;
}
