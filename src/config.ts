/** Types for `bourse.config.ts`, so that an editor knows the settings. */
import type { Config } from './app/config/config.ts';

/** Contents of a configuration file: any of the settings, by name. */
export type ConfigFile = Partial<Config> & { readonly $schema?: string };

export function defineConfig(config: ConfigFile): ConfigFile {
  return config;
}
