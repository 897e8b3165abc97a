/** Values as text, money included, so that two of them can be compared long after one has changed. */
export function fingerprint(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
}
