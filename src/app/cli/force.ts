/** `bourse force ...`: forced liquidation, deleveraging and funding for testing, on a demo. */
import type { Command } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import { commandGroup } from './command-line.ts';
import { facts, operatorCommand } from './operator-command.ts';

interface ClosedView {
  readonly uid: number;
  readonly positions: number;
}

interface FundingView {
  readonly symbol: string;
  readonly rate: string;
  readonly holders: number;
}

export function forceCommand(): Command {
  const description = 'Liquidates or deleverages an account, or settles funding, so that a demo can show it.';
  return commandGroup('force', description, [liquidationCommand(), deleveragingCommand(), fundingCommand()]);
}

function fundingCommand(): Command {
  const examples = [
    'bourse force funding USDT-FUTURES BTCUSDT    at the rate of now; the next one comes at its time',
  ];
  const description = 'Has funding of a perpetual paid at once.';
  return operatorCommand('funding', description, examples, async (client, command) => {
    const [category, symbol] = command.args;
    const answer = await client.post<FundingView>('/admin/force/funding', { category, symbol });
    const text = (paint: Paint) =>
      facts(paint, [
        ['contract', answer.symbol],
        ['rate', answer.rate],
        ['accounts', String(answer.holders)],
      ]);
    return { json: answer, text };
  })
    .argument('<category>', 'such as USDT-FUTURES')
    .argument('<symbol>', 'such as BTCUSDT');
}

function liquidationCommand(): Command {
  const examples = [
    'bourse force liquidation alice    all her positions, through the book, the fund and the other side',
  ];
  const description = 'Closes all positions of an account as its liquidation would.';
  return operatorCommand('liquidation', description, examples, async (client, command) => {
    const [account] = command.args;
    const answer = await client.post<ClosedView>('/admin/force/liquidation', { account });
    return { json: answer, text: (paint: Paint) => closedFacts(answer, paint) };
  }).argument('<account>', 'uid or name; a sub-account as main/sub');
}

function deleveragingCommand(): Command {
  const examples = [
    'bourse force deleveraging alice USDT-FUTURES BTCUSDT    at the mark, against the other side',
  ];
  const description = 'Closes the position of an account in one contract as deleveraging would.';
  return operatorCommand('deleveraging', description, examples, async (client, command) => {
    const [account, category, symbol] = command.args;
    const body = { account, category, symbol };
    const answer = await client.post<ClosedView>('/admin/force/deleveraging', body);
    return { json: answer, text: (paint: Paint) => closedFacts(answer, paint) };
  })
    .argument('<account>', 'uid or name; a sub-account as main/sub')
    .argument('<category>', 'such as USDT-FUTURES')
    .argument('<symbol>', 'such as BTCUSDT');
}

function closedFacts({ uid, positions }: ClosedView, paint: Paint): string[] {
  return facts(paint, [
    ['account', String(uid)],
    ['positions left', String(positions)],
  ]);
}
