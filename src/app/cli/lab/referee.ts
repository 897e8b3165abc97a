/** `bourse lab referee`: what a program did with an account, and whether that was well done. */
import type { Command } from 'commander';
import { FINDING_NAMES } from '../../../lab/referee/findings.ts';
import { junitOf } from '../../../lab/referee/junit.ts';
import { pageOf } from '../../../lab/referee/page.ts';
import type { Referee } from '../../../lab/referee/report.ts';
import { ConfigError, ExitCode } from '../../exit-codes.ts';
import type { Paint } from '../../terminal/colour.ts';
import { didYouMean } from '../../terminal/did-you-mean.ts';
import { count } from '../../terminal/format.ts';
import { facts, operatorCommand, table, when } from '../operator-command.ts';
import { writeOutput } from '../output-file.ts';

export function refereeCommand(): Command {
  const examples = [
    'bourse lab referee bot                                              all that is known of it',
    'bourse lab referee bot --since 1h --html report.html                a page of the last hour of its time',
    'bourse lab referee bot --junit out.xml --fail-on unsafe-retry,left-orders    ends with 5 when one of them happened',
  ];
  const description = 'Judges what a program did with an account: trading, conduct, faults, rules.';
  return operatorCommand('referee', description, examples, async (client, command) => {
    const { since, junit, html, failOn } = command.opts<Record<string, string | undefined>>();
    const wanted = namesIn(failOn);
    const query = new URLSearchParams({ account: command.args[0]!, ...(since !== undefined && { since }) });
    const report = await client.get<Referee>(`/lab/referee?${query.toString()}`);
    if (junit !== undefined) writeOutput('--junit', junit, junitOf(report, wanted));
    if (html !== undefined) writeOutput('--html', html, pageOf(report));
    const failed = report.findings.some((finding) => finding.count > 0 && wanted.has(finding.name));
    return {
      json: report,
      text: (paint: Paint) => reportText(report, wanted, paint),
      exitCode: failed ? ExitCode.unmet : ExitCode.ok,
    };
  })
    .argument('<account>', 'name or uid')
    .option('--since <span>', 'from so long ago, of its own time, such as 10m')
    .option('--junit <file>', 'write the findings as tests')
    .option('--html <file>', 'write a page')
    .option('--fail-on <findings>', 'end with 5 when one of these happened, separated by commas');
}

function namesIn(text: string | undefined): ReadonlySet<string> {
  const names = (text ?? '').split(',').filter((name) => name !== '');
  for (const name of names)
    if (!FINDING_NAMES.includes(name)) {
      const meant = didYouMean(name, FINDING_NAMES);
      const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
      throw new ConfigError(`--fail-on ${name}${hint}: there are ${FINDING_NAMES.join(', ')}`);
    }
  return new Set(names);
}

function reportText(report: Referee, wanted: ReadonlySet<string>, paint: Paint): string[] {
  const { trading, conduct, faults, rules, findings } = report;
  const { orders, slippage, profit, drawdown, exposure } = trading;
  const happened = findings.filter((finding) => finding.count > 0);
  return [
    ...facts(paint, [
      ['account', `${report.account} (${report.uid})`],
      [
        'from',
        `command ${count(report.from.seq + 1)}, ${when(report.from.time)}${report.complete ? '' : ', as far as it is known'}`,
      ],
      ['to', `command ${count(report.to.seq)}, ${when(report.to.time)}`],
      [
        'orders',
        `${orders.placed} placed: ${orders.filled} filled, ${orders.partlyFilled} in part, ${orders.cancelled} cancelled, ` +
          `${orders.rejected} rejected, ${orders.open} open`,
      ],
      [
        'fills',
        `${trading.fills}, turnover ${money(trading.turnover)}, by makers ${money(trading.makerShare)}`,
      ],
      ['slippage', `${slippage.all.bps} bps of ${slippage.all.orders} orders`],
      ['fees', money(trading.fees)],
      ['funding', money(trading.funding)],
      ['interest', money(trading.interest)],
      [
        'profit',
        `realised ${money(profit.realised)}, open ${money(profit.unrealised)}, in all ${profit.total} dollars`,
      ],
      ['drawdown', `${drawdown.usd} dollars, ${drawdown.percent} %`],
      ['exposure', `at most ${exposure.most} dollars, ${exposure.average} on average`],
      ['requests', conduct === null ? 'not recorded' : `${conduct.requests}, and ${conduct.frames} frames`],
      [
        'retries',
        conduct === null ? 'not recorded' : `${conduct.retries.safe} safe, ${conduct.retries.unsafe} unsafe`,
      ],
      ['faults met', String(faults.length)],
      ['left', `${rules.left.orders} orders, ${rules.left.positions} positions`],
    ]),
    '',
    ...(happened.length === 0
      ? [paint('green', 'nothing to find fault with')]
      : table(
          paint,
          ['finding', 'times', ''],
          happened.map(({ name, count: times, text }) => [
            wanted.has(name) ? paint('red', name) : name,
            String(times),
            text,
          ]),
          [1],
        )),
  ];
}

function money(sums: Readonly<Record<string, string>>): string {
  return (
    Object.entries(sums)
      .map(([coin, amount]) => `${amount} ${coin}`)
      .join(', ') || 'none'
  );
}
