/**
 * Tells the catalogue of the program, which a test has checked, from any other, which every start checks: that compiles
 * schemas and lists everything for a trial.
 */
import { hash } from 'node:crypto';

/** Of the files of `catalogue/`. After a change of them `catalogue.test.ts` says the new one. */
export const SHIPPED_DIGEST = 'd165f43caedac954aec382c65322b28847e21325e5286c3ad409807ea65fc91a';

/** Of files by name, in the order in which they are read. */
export function digestOf(texts: ReadonlyMap<string, string>): string {
  return hash('sha256', JSON.stringify([...texts]));
}
