/** `bourse reserves ...`: reserves of the exchange, and the proof that an account was included. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Solvency } from '../../core/reads/solvency-reads.ts';
import { type InclusionProof, verifyProof } from '../../reserves/merkle-sum-tree.ts';
import { ConfigError, DataDamaged, ExitCode } from '../exit-codes.ts';
import { type Paint, painter } from '../terminal/colour.ts';
import { commandGroup, describedCommand } from './command-line.ts';
import { facts, operatorCommand, table, when } from './operator-command.ts';

interface AuditView {
  readonly time: number;
  readonly root: string;
  readonly accounts: number;
  readonly solvency: Solvency;
  readonly coins: readonly CoinView[];
}
interface CoinView {
  readonly coin: string;
  readonly owed: string;
  readonly held: string;
  readonly owedAtMark: string;
  readonly lent: string;
  readonly converted: string;
  readonly badDebt: string;
  readonly writtenOff: string;
  readonly solvency: Solvency;
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

const VERDICTS: Readonly<Record<Solvency, readonly [Parameters<Paint>[0], string]>> = {
  solvent: ['green', 'everything that is owed is held'],
  illiquid: [
    'yellow',
    'WARNING: not everything that is owed is held; the rest is lent to accounts that can pay, or was paid out by ' +
      'conversions: the house can buy it back with what it took for it',
  ],
  insolvent: ['red', 'INSOLVENT: what is held, lent and converted does not cover what is owed'],
};

function auditText({ time, root, accounts, solvency, coins }: AuditView, paint: Paint): string[] {
  const rows = coins.map((c) => [
    c.coin,
    c.owed,
    c.owedAtMark,
    c.held,
    c.lent,
    c.converted,
    c.badDebt,
    c.writtenOff,
    c.solvency === 'solvent' ? '' : c.solvency,
  ]);
  return [
    ...facts(paint, [
      ['audit (UTC)', when(time)],
      ['root', root],
      ['accounts', String(accounts)],
    ]),
    '',
    ...table(
      paint,
      ['coin', 'owed', 'at the mark', 'held', 'lent', 'converted', 'bad debt', 'written off', ''],
      rows,
      [1, 2, 3, 4, 5, 6, 7],
      'nobody is owed anything',
    ),
    '',
    paint(...VERDICTS[solvency]),
  ];
}

function showCommand(): Command {
  return operatorCommand('show', 'Shows the last audit.', ['bourse reserves show'], async (client) => {
    const answer = await client.get<AuditView>('/admin/reserves');
    return { json: answer, text: (paint) => auditText(answer, paint) };
  });
}

function auditCommand(): Command {
  const description = 'Takes an audit now; ends with exit code 4 when something is missing.';
  return operatorCommand('audit', description, ['bourse reserves audit'], async (client) => {
    const answer = await client.post<AuditView>('/admin/reserves/audit');
    const exitCode = answer.solvency === 'insolvent' ? ExitCode.damaged : ExitCode.ok;
    return { json: answer, text: (paint) => auditText(answer, paint), exitCode };
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
    if (isProof(proof)) return proof;
  } catch {
    // Reported below, whatever the reason is.
  }
  throw new ConfigError(`${file} holds no proof: \`bourse reserves prove ACCOUNT --json\` prints one`);
}

const isHoldings = (holdings: unknown) =>
  typeof holdings === 'object' &&
  holdings !== null &&
  Object.values(holdings).every((amount) => typeof amount === 'string');

function isProof({ uid, nonce, root, holdings, path }: ProofFile): boolean {
  const texts = [nonce, root].every((text) => typeof text === 'string');
  const steps = Array.isArray(path) && path.every((step) => isHoldings(step?.holdings));
  return Number.isSafeInteger(uid) && texts && isHoldings(holdings) && steps;
}
