/** What a `bourse.config.ts` imports: the settings as types, so that an editor knows them. */
import type { Config } from './app/config/settings.ts';

/** What a configuration file holds: any of the settings, by name. */
export type ConfigFile = Partial<Config> & { readonly $schema?: string };

export function defineConfig(config: ConfigFile): ConfigFile {
  return config;
}
