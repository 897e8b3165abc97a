/** `bourse reserves ...`: reserves of the exchange, and the proof that an account was included. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type InclusionProof, verifyProof } from '../../reserves/merkle-sum-tree.ts';
import { ConfigError, DataDamaged } from '../exit-codes.ts';
import { commandGroup, describedCommand } from './command-line.ts';
import { facts, operatorCommand, table, when } from './operator-command.ts';
import { type Paint, painter } from './terminal/colour.ts';

interface AuditView {
  readonly time: number;
  readonly root: string;
  readonly accounts: number;
  readonly coins: readonly { readonly coin: string; readonly owed: string; readonly held: string }[];
}
interface ProofFile extends InclusionProof {
  readonly time: number;
  readonly root: string;
}

export function reservesCommand(): Command {
  return commandGroup('reserves', 'Shows and proves what the venue holds for its accounts.', [
    showCommand(),
    auditCommand(),
    proveCommand(),
    checkCommand(),
  ]);
}

function auditText({ time, root, accounts, coins }: AuditView, paint: Paint): string[] {
  const rows = coins.map(({ coin, owed, held }) => [coin, owed, held]);
  return [
    ...facts(paint, [
      ['audit (UTC)', when(time)],
      ['root', root],
      ['accounts', String(accounts)],
    ]),
    '',
    ...table(paint, ['coin', 'owed', 'held'], rows, [1, 2], 'nobody is owed anything'),
  ];
}

function showCommand(): Command {
  return operatorCommand('show', 'Shows the last audit.', ['bourse reserves show'], async (client) => {
    const answer = await client.get<AuditView>('/admin/reserves');
    return { json: answer, text: (paint) => auditText(answer, paint) };
  });
}

function auditCommand(): Command {
  return operatorCommand('audit', 'Takes an audit now.', ['bourse reserves audit'], async (client) => {
    const answer = await client.post<AuditView>('/admin/reserves/audit');
    return { json: answer, text: (paint) => auditText(answer, paint) };
  });
}

function proveCommand(): Command {
  const examples = ['bourse reserves prove alice --json > proof.json      to hand to alice'];
  const description = 'Prints the proof that the last audit has counted an account.';
  return operatorCommand('prove', description, examples, async (client, command) => {
    const answer = await client.get<ProofFile>(`/admin/reserves/${encodeURIComponent(command.args[0]!)}`);
    const { uid, holdings, path, root } = answer;
    const held = Object.entries(holdings).map(([coin, amount]) => [coin, amount]);
    const text = (paint: Paint) => [
      ...facts(paint, [
        ['account', String(uid)],
        ['root', root],
        ['steps to it', String(path.length)],
      ]),
      '',
      ...table(paint, ['coin', 'owed'], held, [1]),
    ];
    return { json: answer, text };
  }).argument('<account>', 'uid or name; a sub-account as main/sub');
}

/** Needs no running exchange: the root was published. */
function checkCommand(): Command {
  const examples = ['bourse reserves check proof.json', 'bourse reserves check proof.json --root 5f2e...'];
  return describedCommand('check', 'Checks a proof against the root that was published.', examples)
    .argument('<file>', 'as `bourse reserves prove --json` has printed it')
    .option('--root <hash>', 'merkleRootHash as the exchange published it [as the file says]')
    .action((file: string, { root }: { root?: string }) => {
      const proof = readProof(file);
      const found = verifyProof(proof);
      if (found?.root !== (root ?? proof.root)) {
        throw new DataDamaged(`the proof does not lead to the root ${root ?? proof.root}`);
      }
      const paint = painter('auto', process.stdout);
      const rows = Object.entries(found.totals).map(([coin, all]) => [
        coin,
        proof.holdings[coin] ?? '0',
        all,
      ]);
      const lines = [
        ...table(paint, ['coin', `owed to ${proof.uid}`, 'owed to all'], rows, [1, 2]),
        '',
        paint('green', `account ${proof.uid} was counted`),
      ];
      process.stdout.write(`${lines.join('\n')}\n`);
    });
}

function readProof(file: string): ProofFile {
  try {
    const proof = JSON.parse(readFileSync(file, 'utf8')) as ProofFile;
    if (typeof proof.holdings === 'object' && Array.isArray(proof.path)) return proof;
  } catch {
    // Reported below, whatever the reason is.
  }
  throw new ConfigError(`${file} holds no proof: \`bourse reserves prove ACCOUNT --json\` prints one`);
}
