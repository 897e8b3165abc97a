/** `bourse client ...`: a short program with the address of the running exchange and the keys of a demo account. */
import { Argument, type Command } from 'commander';
import { ConfigError } from '../exit-codes.ts';
import { type Access, CLIENT_KINDS, type ClientKind, clientSnippet } from '../terminal/client-snippets.ts';
import { configOf } from './command-line.ts';
import { demoAccounts } from './demo-keys.ts';
import { operatorCommand, READY_FILE } from './operator-command.ts';

type Keys = Omit<Access, 'url'> & { readonly name: string };

export function clientCommand(): Command {
  const examples = [
    'bourse client ccxt-js > trade.mjs            a first program for ccxt',
    'bourse client curl | bash                    a first order without any client',
    'bourse client sdk --account bob              with the keys of another demo account',
  ];
  const description = 'Prints a program that trades on the running exchange.';
  return operatorCommand('client', description, examples, async (client, command) => {
    const { url } = await client.get<{ url: string }>('/admin/health');
    const { config } = await configOf(command, ['data', ...READY_FILE]);
    const keys = keysOf(demoAccounts(config), command.getOptionValue('account') as string);
    const program = clientSnippet(command.args[0] as ClientKind, { ...keys, url });
    return { json: { program }, text: () => [program.trimEnd()] };
  })
    .addArgument(new Argument(`<${CLIENT_KINDS.join('|')}>`, 'which client').choices(CLIENT_KINDS))
    .option('--account <name>', 'demo account whose keys it uses', 'alice');
}

function keysOf(accounts: readonly Keys[], name: string): Keys {
  const found = accounts.find((account) => account.name === name);
  if (found !== undefined) return found;
  throw new ConfigError(
    accounts.length === 0
      ? 'this exchange has no demo accounts: make a key with bourse key create and write a client as in examples/'
      : `there is no demo account ${JSON.stringify(name)}: there are ${accounts.map((each) => each.name).join(', ')}`,
  );
}
