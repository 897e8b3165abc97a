/** `bourse force ...`: forced liquidation and deleveraging for testing, on a demo. */
import type { Command } from 'commander';
import { commandGroup } from './command-line.ts';
import { facts, operatorCommand } from './operator-command.ts';
import type { Paint } from './terminal/colour.ts';

interface ClosedView {
  readonly uid: number;
  readonly positions: number;
}

export function forceCommand(): Command {
  return commandGroup('force', 'Liquidates or deleverages an account, so that a demo can show it.', [
    liquidationCommand(),
    deleveragingCommand(),
  ]);
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
