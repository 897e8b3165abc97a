/** `bourse key ...`: API keys of accounts. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { ConfigError } from '../exit-codes.ts';
import type { Paint } from '../terminal/colour.ts';
import { commandGroup } from './command-line.ts';
import { facts, operatorCommand, table, when } from './operator-command.ts';

interface KeyView {
  readonly apiKey: string;
  readonly uid: number;
  readonly kind: string;
  readonly label: string;
  readonly permType: string;
  readonly permissions: readonly string[];
  readonly ipList: readonly string[];
  readonly created: number;
  readonly lastUsed: number;
}
interface CreatedKey {
  readonly key: KeyView;
  readonly secretKey: string | null;
  readonly passphrase: string;
}

const STDIN = 0;

export function keyCommand(): Command {
  return commandGroup('key', 'Makes, lists and deletes API keys.', [
    createCommand(),
    listCommand(),
    deleteCommand(),
  ]);
}

function createCommand(): Command {
  const examples = [
    'bourse key create alice                                 trade and manage; passphrase made for you',
    'bourse key create alice --permissions uta_trade --read-only --ip-list 10.0.0.0/8',
    'bourse key create alice --permissions uta_trade,uta_mgt,withdraw --passphrase-file -',
    'bourse key create alice --kind ed25519 --public-key-file alice.pem',
  ];
  return operatorCommand(
    'create',
    'Makes an API key; its secret is shown once.',
    examples,
    async (client, command) => {
      const options = command.opts<Record<string, string | undefined> & { readOnly?: boolean }>();
      const { label, permissions, ipList, passphraseFile, publicKeyFile, kind } = options;
      const answer = await client.post<CreatedKey>(
        `/admin/accounts/${encodeURIComponent(command.args[0]!)}/keys`,
        {
          label,
          kind,
          permType: options.readOnly === true ? 'read_only' : 'read_write',
          permissions: permissions?.split(','),
          ipList: ipList?.split(','),
          passphrase: passphraseFile === undefined ? undefined : textOf(passphraseFile).trim(),
          publicKey: publicKeyFile === undefined ? undefined : textOf(publicKeyFile),
        },
      );
      return { json: answer, text: (paint: Paint) => createdText(answer, paint) };
    },
  )
    .argument('<account>', 'uid or name; a sub-account as main/sub')
    .option('--label <text>', 'name of the key')
    .option('--permissions <list>', 'uta_trade, uta_mgt, withdraw, with commas between [uta_trade,uta_mgt]')
    .option('--read-only', 'the key may look and change nothing')
    .option('--ip-list <list>', 'addresses or CIDR blocks it may be used from, with commas between')
    .option('--passphrase-file <file>', 'passphrase of your choice; - reads it from standard input')
    .option('--kind <hmac|rsa|ed25519>', 'kind of key', 'hmac')
    .option('--public-key-file <file>', 'PEM of the public key, for rsa and ed25519');
}

function createdText({ key, secretKey, passphrase }: CreatedKey, paint: Paint): string[] {
  return [
    ...facts(paint, [
      ['apiKey', key.apiKey],
      ['secretKey', secretKey ?? 'yours: it never came here'],
      ['passphrase', passphrase],
      ['uid', String(key.uid)],
      ['rights', `${key.permType}: ${key.permissions.join(', ')}`],
      ['addresses', key.ipList.join(', ') || 'any'],
    ]),
    '',
    paint('yellow', 'Keep the secret and the passphrase now: they are not shown again.'),
  ];
}

function listCommand(): Command {
  return operatorCommand(
    'list',
    'Lists the keys of an account.',
    ['bourse key list alice'],
    async (client, command) => {
      const answer = await client.get<{ keys: KeyView[] }>(
        `/admin/accounts/${encodeURIComponent(command.args[0]!)}/keys`,
      );
      const head = ['apiKey', 'kind', 'label', 'rights', 'addresses', 'created (UTC)', 'last used (UTC)'];
      const rows = answer.keys.map((key) => [
        key.apiKey,
        key.kind,
        key.label,
        `${key.permType}: ${key.permissions.join(',')}`,
        key.ipList.join(',') || 'any',
        when(key.created),
        when(key.lastUsed),
      ]);
      return { json: answer, text: (paint: Paint) => table(paint, head, rows, [], 'no keys') };
    },
  ).argument('<account>', 'uid or name; a sub-account as main/sub');
}

function deleteCommand(): Command {
  const example = ['bourse key delete bk_0123456789abcdef0123456789abcdef'];
  return operatorCommand(
    'delete',
    'Deletes a key; its next request is refused.',
    example,
    async (client, command) => {
      const answer = await client.delete<{ key: KeyView }>(
        `/admin/keys/${encodeURIComponent(command.args[0]!)}`,
      );
      const { apiKey, uid } = answer.key;
      return { json: answer, text: () => [`deleted ${apiKey} of ${uid}`] };
    },
  ).argument('<apiKey>', 'as the list shows it');
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? STDIN : file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
