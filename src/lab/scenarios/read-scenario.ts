/** Scenarios from files: YAML or JSON, whose mistakes are reported with their lines, or modules that export one. */
import { existsSync, readFileSync, type Stats, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LineCounter, parseDocument } from 'yaml';
import { programFile } from '../../program-files.ts';
import type { FaultCheckContext } from '../faults/fault-action.ts';
import { type Mistake, mistakeText } from '../faults/mistake.ts';
import { type Scenario, scenarioMistakes } from './document.ts';

export const FILE_BYTES_MAX = 1024 * 1024;
const ALIASES_MAX = 100;
const MODULES: ReadonlySet<string> = new Set(['.ts', '.mts', '.js', '.mjs']);
const DATA: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);
const SHIPPED = /^[a-z0-9-]+$/;

/** The scenario cannot be run as it is written; the message names everything that is wrong. */
export class ScenarioWrong extends Error {
  override readonly name = 'ScenarioWrong';
}

/** Text of YAML or JSON. Throws ScenarioWrong. */
export function readScenario(text: string, place: string, checkContext: FaultCheckContext): Scenario {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  if (document.errors.length > 0)
    throw new ScenarioWrong(
      document.errors.map(({ pos, message }) => `${place}:${lineAt(pos[0])}: ${message}`).join('\n'),
    );
  const value = plainValue(document, place);
  const lineOf = ({ path }: Mistake) => {
    for (let length = path.length; length >= 0; length--) {
      const node = document.getIn(path.slice(0, length), true) as { range?: [number] } | undefined;
      if (node?.range !== undefined) return lineAt(node.range[0]);
    }
    return 1;
  };
  return checked(value, checkContext, (each) => `${place}:${lineOf(each)}: ${mistakeText(each)}`);
}

function plainValue(document: ReturnType<typeof parseDocument>, place: string): unknown {
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    // An alias of nothing, or aliases of aliases that would fill the memory.
    throw new ScenarioWrong(`${place}: ${(error as Error).message}`);
  }
}

/** A scenario that came as a value. Throws ScenarioWrong. */
export function checkedScenario(value: unknown, checkContext: FaultCheckContext, place = ''): Scenario {
  return checked(value, checkContext, (each) => (place === '' ? '' : `${place}: `) + mistakeText(each));
}

/**
 * A file of YAML or JSON, or one of the shipped ones by its name. Throws ScenarioWrong. No other file is read: what is wrong in it
 * is quoted, to somebody who may be on another machine.
 */
export function readFile(file: string, directory: string, checkContext: FaultCheckContext): Scenario {
  const path = pathOf(file, directory);
  const extension = extname(path);
  if (MODULES.has(extension))
    throw new ScenarioWrong(
      `${path} is a module, whose code runs where it is loaded: give the document that it exports`,
    );
  if (!DATA.has(extension))
    throw new ScenarioWrong(`${path} is not read: the name of a scenario ends in ${[...DATA].join(', ')}`);
  return readScenario(textOf(path), path, checkContext);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ScenarioWrong(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** The same, and modules. Throws ScenarioWrong. */
export async function loadScenario(
  file: string,
  directory: string,
  checkContext: FaultCheckContext,
): Promise<Scenario> {
  const path = pathOf(file, directory);
  if (!MODULES.has(extname(path))) return readScenario(textOf(path), path, checkContext);
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(path).href)) as { default?: unknown };
  } catch (error) {
    throw new ScenarioWrong(`${path} cannot be loaded: ${(error as Error).message}`);
  }
  if (module.default === undefined) throw new ScenarioWrong(`${path} must export a scenario as its default`);
  return checkedScenario(module.default, checkContext, path);
}

function pathOf(file: string, directory: string): string {
  if (SHIPPED.test(file)) {
    const shipped = fileURLToPath(programFile(`scenarios/${file}.yaml`));
    if (existsSync(shipped)) return shipped;
  }
  const path = resolve(directory, file);
  const found = fileAt(path);
  if (found?.isFile() === true) {
    if (found.size <= FILE_BYTES_MAX) return path;
    throw new ScenarioWrong(`${path} has ${found.size} bytes, at most ${FILE_BYTES_MAX} are read`);
  }
  throw new ScenarioWrong(
    `there is no file ${JSON.stringify(path)}, and no shipped scenario ${JSON.stringify(file)}`,
  );
}

/** Undefined also for a name that no file can have. */
function fileAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function checked(value: unknown, checkContext: FaultCheckContext, text: (each: Mistake) => string): Scenario {
  const mistakes = scenarioMistakes(value, checkContext);
  if (mistakes.length > 0) throw new ScenarioWrong(mistakes.map(text).join('\n'));
  return value as Scenario;
}
