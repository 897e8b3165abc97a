/** Kinds of setting values: the expected form as text, and how a value is parsed. */
import { isAbsolute, resolve } from 'node:path';
import { isHostName, readHost } from '../../http/host-list.ts';
import { compileIpList } from '../../identity/ip-list.ts';
import { readExposureLimits } from '../../reserves/exposure-limits.ts';
import type { ColourChoice } from '../terminal/colour.ts';

/** The directory that relative paths of a layer refer to. */
export interface Place {
  readonly directory: string;
}

/** The year 2100: sums with times stay far within their range. */
const INSTANT_END = Date.UTC(2100);
const ON = ['true', 'on', 'yes', '1', 'always'];
const OFF = ['false', 'off', 'no', '0', 'never'];

export function oneOf<const Choice extends string>(...choices: readonly Choice[]) {
  return {
    expects: `one of ${choices.join(', ')}`,
    choices,
    read: (text: string): Choice | undefined => choices.find((choice) => choice === text),
  };
}

export function onOff() {
  return {
    expects: 'on or off',
    read: (text: string): boolean | undefined => {
      if (ON.includes(text.toLowerCase())) return true;
      return OFF.includes(text.toLowerCase()) ? false : undefined;
    },
  };
}

export function wholeNumber(min: number, max: number) {
  return {
    expects: `a whole number from ${min} to ${max}`,
    read: (text: string): number | undefined => {
      const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

export function hostName() {
  return {
    expects: 'an address or a host name',
    read: (text: string): string | undefined => (/^[\w.:%-]+$/.test(text) ? text : undefined),
  };
}

export function path() {
  return {
    expects: 'a path',
    read: (text: string, { directory }: Place): string | undefined =>
      text === '' ? undefined : isAbsolute(text) ? text : resolve(directory, text),
  };
}

export function readInstant(text: string): number | undefined {
  const ms = /^[0-9]{1,13}$/.test(text) ? Number(text) : Date.parse(text);
  return ms >= 0 && ms < INSTANT_END ? ms : undefined;
}

export function readColour(text: string): ColourChoice | undefined {
  if (text === 'auto') return 'auto';
  const on = onOff().read(text);
  if (on === undefined) return undefined;
  return on ? 'always' : 'never';
}

export function readAddressList(text: string): readonly string[] | undefined {
  const entries = listed(text);
  return 'malformed' in compileIpList(entries) ? undefined : entries;
}

export function readHostList(text: string): readonly string[] | undefined {
  const entries = listed(text.toLowerCase());
  return entries.every(isHostName) ? entries : undefined;
}

/** Which of them there are is the catalogue's to say. */
export function readInstrumentList(text: string): readonly string[] | undefined {
  const entries = listed(text.toUpperCase());
  return entries.length > 0 && entries.every((entry) => /^([A-Z-]+:)?[A-Z0-9_]+$/.test(entry))
    ? entries
    : undefined;
}

/** As browsers write them: without the default port of the scheme. */
export function readOriginList(text: string): readonly string[] | undefined {
  const entries = listed(text.toLowerCase());
  return entries.every(isOrigin) ? entries.map((entry) => new URL(entry).origin) : undefined;
}

export function readExposureLimitList(text: string): readonly string[] | undefined {
  return readExposureLimits(listed(text));
}

function isOrigin(text: string): boolean {
  const [, host] = /^https?:\/\/(.+)$/.exec(text) ?? [];
  return host !== undefined && readHost(host) !== undefined && URL.canParse(text);
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
