/**
 * `bourse health`, `trial-balance`, `halt`, `resume`, `snapshot` and `identity rotate-kek`: the exchange as a whole.
 */
import type { Command } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import { count } from '../terminal/format.ts';
import { commandGroup } from './command-line.ts';
import { facts, operatorCommand, table, yesNo } from './operator-command.ts';

interface HealthView {
  readonly ready: boolean;
  readonly halted: boolean;
  readonly version: string;
  readonly url: string;
  readonly uptimeSeconds: number;
  readonly commands: { readonly applied: number; readonly durable: number; readonly history: number };
  readonly accounts: number;
  readonly openOrders: number;
  readonly pendingWithdrawals: number;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail?: string }[];
}
interface TrialBalanceView {
  readonly balanced: boolean;
  readonly coins: readonly {
    readonly coin: string;
    readonly users: string;
    readonly house: string;
    readonly external: string;
    readonly total: string;
    readonly insurance: string;
    readonly insuranceLending: string;
    readonly badDebt: string;
    readonly writtenOff: string;
    /** What the house would lack if everybody closed the coin's contracts now. */
    readonly clearingShort: string;
  }[];
}

export function healthCommand(): Command {
  const examples = ['bourse health', 'bourse health --json | jq .ready'];
  return operatorCommand('health', 'Is the exchange well?', examples, async (client) => {
    const health = await client.get<HealthView>('/admin/health');
    return { json: health, text: (paint) => healthText(health, paint) };
  });
}

function healthText(health: HealthView, paint: Paint): string[] {
  const { commands, checks } = health;
  const rows = checks.map(({ name, ok, detail }) => [ok ? 'ok' : 'WRONG', name, detail ?? '']);
  return [
    ...facts(paint, [
      ['ready', health.ready ? paint('green', 'yes') : paint('red', 'NO')],
      ['trading', health.halted ? paint('red', 'HALTED') : 'open'],
      ['version', health.version],
      ['address', health.url],
      ['up', `${count(health.uptimeSeconds)} s`],
      [
        'commands',
        `${count(commands.applied)} applied, ${count(commands.durable)} durable, ${count(commands.history)} in history`,
      ],
      ['accounts', count(health.accounts)],
      ['open orders', count(health.openOrders)],
      ['pending withdrawals', count(health.pendingWithdrawals)],
    ]),
    '',
    ...table(paint, ['', 'check', ''], rows),
  ];
}

export function trialBalanceCommand(): Command {
  const examples = ['bourse trial-balance', 'bourse trial-balance --json'];
  return operatorCommand(
    'trial-balance',
    'Sums the ledger by coin: users, house and outside world make zero.',
    examples,
    async (client) => {
      const sums = await client.get<TrialBalanceView>('/admin/books');
      return { json: sums, text: (paint) => trialBalanceText(sums, paint) };
    },
  );
}

function trialBalanceText({ balanced, coins }: TrialBalanceView, paint: Paint): string[] {
  const touched = coins.filter(({ users, house, external }) =>
    [users, house, external].some((sum) => sum !== '0'),
  );
  const rows = touched.map((c) => [
    c.coin,
    c.users,
    c.house,
    c.external,
    c.total,
    c.insurance,
    c.insuranceLending,
    c.badDebt,
    c.writtenOff,
  ]);
  const head = [
    'coin',
    'users',
    'house',
    'outside',
    'total',
    'insurance',
    'lending fund',
    'bad debt',
    'written off',
  ];
  return [
    ...table(paint, head, rows, [1, 2, 3, 4, 5, 6, 7, 8], 'no money yet'),
    '',
    ...coins
      .filter(({ clearingShort }) => clearingShort !== '0')
      .map(({ coin, clearingShort }) =>
        paint('yellow', `the house would lack ${clearingShort} ${coin} if all its contracts were closed now`),
      ),
    balanced ? paint('green', 'the books agree') : paint('red', 'THE BOOKS DO NOT AGREE'),
  ];
}

export function haltCommand(): Command {
  const description = 'Stops taking new orders everywhere; open orders can be cancelled.';
  return haltingCommand('halt', description);
}

export function resumeCommand(): Command {
  return haltingCommand('resume', 'Takes orders again.');
}

function haltingCommand(verb: 'halt' | 'resume', description: string): Command {
  return operatorCommand(verb, description, [`bourse ${verb}`], async (client) => {
    const answer = await client.post<{ halted: boolean; command: number }>(`/admin/${verb}`);
    const text = (paint: Paint) => facts(paint, [['halted', yesNo(answer.halted)]]);
    return { json: answer, text };
  });
}

export function snapshotCommand(): Command {
  return operatorCommand(
    'snapshot',
    'Writes a snapshot of the state now.',
    ['bourse snapshot'],
    async (client) => {
      const answer = await client.post<{ seq: number }>('/admin/snapshots');
      return { json: answer, text: () => [`snapshot of the state after command ${count(answer.seq)}`] };
    },
  );
}

export function identityCommand(): Command {
  const description = 'Seals all API secrets under a new key-encryption key.';
  const example = ['bourse identity rotate-kek'];
  const rotate = operatorCommand('rotate-kek', description, example, async (client) => {
    const answer = await client.post<{ keyId: string; resealed: number }>('/admin/identity/rotate-kek');
    return { json: answer, text: () => [`${count(answer.resealed)} secrets sealed under ${answer.keyId}`] };
  });
  return commandGroup('identity', 'Care of the key store.', [rotate]);
}
