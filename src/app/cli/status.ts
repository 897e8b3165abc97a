/** `bourse status`: where the running exchange is and how to trade on it, for people and for scripts. */
import { type Command, Option } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import { configOf } from './command-line.ts';
import { demoAccounts } from './demo-keys.ts';
import { facts, operatorCommand, READY_FILE, type Shown, table } from './operator-command.ts';

interface Status {
  readonly url: string;
  readonly wsUrl: string;
  readonly operatorUrl: string;
  readonly ready: boolean;
  readonly version: string;
  /** Address of a history that is not in the data directory. */
  readonly history: string | undefined;
  readonly accounts: readonly Keys[];
}

interface Keys {
  readonly name: string;
  readonly uid: number;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
}

export function statusCommand(): Command {
  const examples = [
    'bourse status                             where it is, and the keys of its demo accounts',
    'set -a; eval "$(bourse status -o env)"    the same as variables of this shell',
    'bourse status -o json | jq -r .url',
    'bourse status --ready-file ready.json     of an exchange that was started with this option',
  ];
  const description = 'Shows where the running exchange is and the keys of its demo accounts.';
  return operatorCommand('status', description, examples, async (client, command) => {
    const health = await client.get<Pick<Status, 'url' | 'ready' | 'version'>>('/admin/health');
    const { config } = await configOf(command, ['data', ...READY_FILE]);
    const { url, ready, version } = health;
    const wsUrl = `${url.replace(/^http/, 'ws')}/v3/ws`;
    const accounts = demoAccounts(config);
    const { historyAddress } = await import('../data/history-place.ts');
    const history = historyAddress('', config.data)?.place;
    return shown({ url, wsUrl, operatorUrl: client.url, ready, version, history, accounts }, command);
  }).addOption(
    new Option('-o, --output <form>', 'env for variables, json for one document').choices(['env', 'json']),
  );
}

function shown(status: Status, command: Command): Shown {
  const form = command.getOptionValue('output') as 'env' | 'json' | undefined;
  if (form === 'json') return { json: status, text: () => [JSON.stringify(status)] };
  if (form === 'env') return { json: status, text: () => variables(status) };
  return { json: status, text: (paint) => statusText(status, paint) };
}

function statusText({ accounts, ...status }: Status, paint: Paint): string[] {
  const rows = accounts.map(({ name, uid, apiKey, secretKey, passphrase }) => [
    name,
    String(uid),
    apiKey,
    secretKey,
    passphrase,
  ]);
  return [
    ...facts(paint, [
      ['address', status.url],
      ['streams', status.wsUrl],
      ['operator', status.operatorUrl],
      ['ready', status.ready ? paint('green', 'yes') : paint('red', 'NO: bourse health says why')],
      ['version', status.version],
      ...(status.history === undefined ? [] : [['history', status.history] as const]),
    ]),
    '',
    ...table(paint, ['name', 'uid', 'apiKey', 'secretKey', 'passphrase'], rows, [], 'no demo accounts'),
  ];
}

/** `NAME=value`, as shells and the files of CI systems take it. */
function variables({ url, wsUrl, operatorUrl, ready, accounts }: Status): string[] {
  const pairs: [string, string][] = [
    ['BOURSE_URL', url],
    ['BOURSE_WS_URL', wsUrl],
    ['BOURSE_OPERATOR_URL', operatorUrl],
    ['BOURSE_READY', String(ready)],
  ];
  for (const { name, apiKey, secretKey, passphrase } of accounts) {
    const prefix = `BOURSE_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
    pairs.push(
      [`${prefix}_API_KEY`, apiKey],
      [`${prefix}_SECRET_KEY`, secretKey],
      [`${prefix}_PASSPHRASE`, passphrase],
    );
  }
  return pairs.map(([name, value]) => `${name}=${quoted(value)}`);
}

/** For a shell, where it needs to be. */
function quoted(value: string): string {
  return /^[\w./:@%+-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
