/** `bourse.config.json`, `.js` or `.ts`: settings by name. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../exit-codes.ts';
import { didYouMean } from '../terminal/did-you-mean.ts';
import type { Layer, Overrides } from './resolve-config.ts';
import { SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

const FILE_NAMES = ['bourse.config.json', 'bourse.config.js', 'bourse.config.ts'];

export function findFile(directory: string): string | undefined {
  const found = FILE_NAMES.filter((name) => existsSync(join(directory, name)));
  if (found.length > 1) {
    throw new ConfigError(
      `${found.join(' and ')} both exist in ${directory}: keep one, or name it with --config`,
    );
  }
  return found[0] === undefined ? undefined : join(directory, found[0]);
}

export async function fileLayer(file: string, directory: string): Promise<Layer> {
  const shown = relative(directory, file).startsWith('..') ? file : relative(directory, file);
  return {
    overrides: fileOverrides(await readConfigFile(file, shown), shown),
    directory: dirname(file),
    nameOf: (name) => `${shown}: ${name}`,
    origin: () => `file ${shown}`,
  };
}

async function readConfigFile(file: string, shown: string): Promise<unknown> {
  try {
    if (file.endsWith('.json')) return JSON.parse(await readFile(file, 'utf8'));
    return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  } catch (error) {
    throw new ConfigError(`${shown} cannot be read: ${(error as Error).message}`);
  }
}

function fileOverrides(content: unknown, shown: string): Overrides {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError(`${shown} must hold an object of settings, such as {"port": 9000}`);
  }
  const overrides: Partial<Record<SettingName, string>> = {};
  for (const [key, value] of Object.entries(content)) {
    if (key === '$schema') continue;
    if (!Object.hasOwn(SETTINGS, key)) {
      const suggestion = didYouMean(key, SETTING_NAMES);
      const hint =
        suggestion === undefined ? `known are ${SETTING_NAMES.join(', ')}` : `did you mean "${suggestion}"?`;
      throw new ConfigError(`${shown}: unknown setting "${key}"; ${hint}`);
    }
    // The other layers write a list with commas.
    overrides[key as SettingName] = Array.isArray(value) ? value.join(',') : String(value);
  }
  return overrides;
}
