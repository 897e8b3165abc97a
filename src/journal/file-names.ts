/** Names are padded with zeros, so that their order in a listing is the order of their numbers. */
const SEGMENT = /^segment-(\d{8,})\.log$/;
const SNAPSHOT = /^snapshot-(\d{16})$/;
const RESERVE = /^reserve-(\d+)$/;
const UNFINISHED = /^(segment|snapshot|reserve)-.*\.tmp$/;
const QUARANTINED = /\.kept-(\d{8,})$/;

export const segmentName = (segment: number): string => `segment-${String(segment).padStart(8, '0')}.log`;
export const snapshotName = (seq: number): string => `snapshot-${String(seq).padStart(16, '0')}`;
export const reserveName = (index: number): string => `reserve-${index}`;
export const unfinishedName = (name: string): string => `${name}.tmp`;
export const quarantinedName = (name: string, epoch: number): string =>
  `${name}.kept-${String(epoch).padStart(8, '0')}`;

export const isReserve = (name: string): boolean => RESERVE.test(name);
export const isUnfinished = (name: string): boolean => UNFINISHED.test(name);

/** Ascending. */
export const segmentNumbers = (names: readonly string[]): number[] => numbersIn(names, SEGMENT);
/** Ascending. */
export const snapshotSeqs = (names: readonly string[]): number[] => numbersIn(names, SNAPSHOT);

/** Oldest start first. */
export function quarantinedNames(names: readonly string[]): string[] {
  const epochOf = (name: string): number => Number(QUARANTINED.exec(name)?.[1]);
  return names.filter((name) => QUARANTINED.test(name)).sort((a, b) => epochOf(a) - epochOf(b));
}

function numbersIn(names: readonly string[], pattern: RegExp): number[] {
  return names
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}
