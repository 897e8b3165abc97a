/** Command lines of the programs that npm scripts start: a wrong one is answered by a sentence, not by a stack. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Names and `--option VALUE` pairs; ends the process with the usage when an option is not among them. */
export function readCommandLine<const Option extends string>(
  options: readonly Option[],
  usage: string,
): { values: Partial<Record<Option, string>>; names: string[] } {
  const config: ParseArgsConfig = {
    allowPositionals: true,
    options: Object.fromEntries(options.map((option) => [option, { type: 'string' }])),
  };
  try {
    const { values, positionals } = parseArgs(config);
    return { values: values as Partial<Record<Option, string>>, names: positionals };
  } catch {
    endWith(usage);
  }
}

export function endWith(message: string): never {
  console.error(message);
  process.exit(1);
}
