/** `bourse lab fault ...`: what goes wrong on a running exchange. */
import type { Command } from 'commander';
import { ConfigError } from '../../exit-codes.ts';
import type { Paint } from '../../terminal/colour.ts';
import { count } from '../../terminal/format.ts';
import { commandGroup } from '../command-line.ts';
import { operatorCommand, table } from '../operator-command.ts';

interface FaultView {
  readonly id: string;
  readonly when: object;
  readonly do: object;
  readonly seen: number;
  readonly hits: number;
  readonly active: boolean;
  readonly over: boolean;
  readonly problem: string | null;
}

export function faultGroup(): Command {
  return commandGroup('fault', 'Makes things go wrong.', [addCommand(), listCommand(), removeCommand()]);
}

function addCommand(): Command {
  const examples = [
    `bourse lab fault add '{"drop":"after"}' --when '{"path":"trade/place-order","nth":[3]}'`,
    `bourse lab fault add '{"status":503,"body":"html"}' --when '{"account":"bot","until":"5m"}'`,
    `bourse lab fault add '{"outage":5,"how":"kill"}'      at once`,
  ];
  return operatorCommand('add', 'Adds a fault.', examples, async (client, command) => {
    const when = command.getOptionValue('when') as string | undefined;
    const rule = {
      do: objectOf('<do>', command.args[0]!),
      ...(when !== undefined && { when: objectOf('--when', when) }),
    };
    const fault = await client.post<FaultView>('/lab/faults', rule);
    return { json: fault, text: (paint: Paint) => faultTable([fault], paint) };
  })
    .argument('<do>', 'what happens, as JSON')
    .option('--when <json>', 'to which requests, how often and how long [all of them]');
}

function listCommand(): Command {
  const examples = ['bourse lab fault list    with the number of hits'];
  return operatorCommand('list', 'Lists the faults.', examples, async (client) => {
    const { faults } = await client.get<{ faults: readonly FaultView[] }>('/lab/faults');
    return { json: faults, text: (paint: Paint) => faultTable(faults, paint) };
  });
}

function removeCommand(): Command {
  const examples = ['bourse lab fault remove fault-1', 'bourse lab fault remove            all of them'];
  return operatorCommand('remove', 'Removes a fault, or all.', examples, async (client, command) => {
    const [id] = command.args;
    if (id === undefined) {
      const answer = await client.delete<{ removed: number }>('/lab/faults');
      return { json: answer, text: () => [`${count(answer.removed)} removed`] };
    }
    const fault = await client.delete<FaultView>(`/lab/faults/${encodeURIComponent(id)}`);
    return { json: fault, text: () => [`${fault.id} is removed; it was met ${count(fault.hits)} times`] };
  }).argument('[fault]', 'its id [all]');
}

function faultTable(faults: readonly FaultView[], paint: Paint): string[] {
  const rows = faults.map(({ id, when, do: action, seen, hits, active, over, problem }) => [
    id,
    JSON.stringify(action),
    JSON.stringify(when),
    count(seen),
    count(hits),
    problem ?? (active ? 'in force' : over ? 'over' : 'waits'),
  ]);
  return table(paint, ['fault', 'do', 'when', 'seen', 'hits', 'state'], rows, [3, 4], 'no faults');
}

function objectOf(name: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Refused below.
  }
  throw new ConfigError(`${name} ${JSON.stringify(text)} must be a JSON object such as {"drop":"after"}`);
}
