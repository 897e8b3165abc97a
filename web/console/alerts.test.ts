import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { alertsOf } from './alerts.ts';
import type { Figures } from './live.ts';
import type { Levels } from './risk.ts';

const CALM = {
  checks: [{ name: 'running', ok: true }],
  halted: false,
  pendingWithdrawals: 0,
  historyLag: 3,
  market: { level: 'normal', seed: 1, agents: 96, running: 96 },
} as unknown as Figures;
const LEVELS: Levels = { due: 0, warned: 0, within1: 1, within5: 0, within20: 4, beyond20: 9 };
const texts = (figures: Partial<Figures>, levels: Partial<Levels> = {}, balanced = true) =>
  alertsOf({ ...CALM, ...figures }, { ...LEVELS, ...levels }, balanced).map(
    ({ tone, text }) => `${tone} ${text}`,
  );

test('a calm exchange asks for nothing, nor does one that has not answered yet', () => {
  deepEqual(texts({}), []);
  deepEqual(alertsOf({ ...CALM, market: null }, undefined, undefined), []);
});

test('what is wrong comes before what may become so', () => {
  const checks = [
    { name: 'exposure', ok: true, detail: 'BTC is short' },
    { name: 'log space', ok: false, detail: '2 % left' },
  ];
  const market = { level: 'normal', seed: 1, agents: 96, running: 90 };
  deepEqual(
    texts(
      { checks, halted: true, pendingWithdrawals: 1, historyLag: 20_000, market },
      { due: 1, warned: 2 },
      false,
    ),
    [
      'down The books do not agree.',
      'down log space: 2 % left',
      'down Trading is halted.',
      'down 1 at liquidation, waiting for a price',
      'warn exposure: BTC is short',
      'warn 2 warned: margin is short',
      'warn the history is 20000 rows behind',
      'warn 1 withdrawal waits to be paid',
      'warn 6 of 96 agents are stopped',
    ],
  );
});
