/** `bourse exposure`: what the house has at stake, in coins and dollars, and the limits that are passed. */
import type { Command } from 'commander';
import { ExitCode } from '../exit-codes.ts';
import type { Paint } from '../terminal/colour.ts';
import { operatorCommand, table } from './operator-command.ts';

interface ExposureView {
  readonly totals: Readonly<Record<string, string>>;
  readonly coins: readonly {
    readonly coin: string;
    readonly price: string;
    readonly amounts: Readonly<Record<string, string>>;
    readonly dollars: Readonly<Record<string, string>>;
  }[];
  readonly limits: readonly {
    readonly figure: string;
    readonly coin: string;
    readonly kind: 'most' | 'least';
    readonly limit: string;
    readonly passed: boolean;
  }[];
  readonly solvency: string;
  readonly missing: readonly { readonly coin: string; readonly solvency: string }[];
  readonly warnings: readonly string[];
}

export function exposureCommand(): Command {
  const description = 'Shows what the house has at stake, and which limits of --exposure-limits are passed.';
  const examples = [
    'bourse exposure',
    'bourse exposure --check              exit code 1 when a limit is passed, for scripts',
  ];
  return operatorCommand('exposure', description, examples, async (client, command) => {
    const view = await client.get<ExposureView>('/admin/exposure');
    const fails = command.opts<{ check?: boolean }>().check === true && view.warnings.length > 0;
    return {
      json: view,
      text: (paint) => exposureText(view, paint),
      exitCode: fails ? ExitCode.failed : ExitCode.ok,
    };
  }).option('--check', 'end with exit code 1 when a limit is passed');
}

/** Under each figure its coins. */
function exposureText(view: ExposureView, paint: Paint): string[] {
  const rows = Object.entries(view.totals).flatMap(([figure, total]) => [
    [figure, '', '', cents(total), limitText(view, figure, '')],
    ...view.coins
      .filter(({ coin, amounts }) => amounts[figure] !== '0' || limitText(view, figure, coin) !== '')
      .map(({ coin, price, amounts, dollars }) => [
        '',
        coin,
        amounts[figure]!,
        price === '0' ? 'no price' : cents(dollars[figure]!),
        limitText(view, figure, coin),
      ]),
  ]);
  return [
    ...table(paint, ['figure', 'coin', 'amount', 'dollars', 'limit'], rows, [2, 3, 4]),
    '',
    ...view.missing.map(({ coin, solvency }) =>
      paint(solvency === 'insolvent' ? 'red' : 'yellow', `${coin} is ${solvency}: see bourse reserves audit`),
    ),
    ...view.warnings.map((warning) => paint('yellow', `WARNING: ${warning}`)),
    ...(view.warnings.length === 0 ? [paint('green', 'no limit is passed')] : []),
  ];
}

function limitText({ limits }: ExposureView, figure: string, coin: string): string {
  const found = limits.find((limit) => limit.figure === figure && limit.coin === coin);
  if (found === undefined) return '';
  return `${found.passed ? 'PASSED ' : ''}at ${found.kind} ${found.limit}`;
}

/** Dollars to the cent. */
function cents(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  const text = `${whole}.${fraction.padEnd(2, '0').slice(0, 2)}`;
  return text === '-0.00' ? '0.00' : text;
}
