/** One of the places that settings come from: the flags, the environment, a file. */
import type { Place } from './setting-values.ts';
import type { SettingName } from './settings.ts';

/** Texts by setting, as one layer gives them. */
export type Given = { readonly [Name in SettingName]?: string };

export interface Layer extends Place {
  readonly given: Given;
  /** How messages name a value of this layer. */
  readonly nameOf: (name: SettingName) => string;
  readonly origin: (name: SettingName) => string;
}
