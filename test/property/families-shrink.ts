/** Cuts a finding down: the fewest steps that still come to a finding of the same kind (delta debugging). */
import type { EditionRule } from '../../src/core/model/edition.ts';
import { type Run, replay, script } from './families-run.ts';
import type { Step } from './families-steps.ts';

/** Parts are left out, the larger ones first, until no single step can be. */
export function shrink({ seed, portion, steps, finding }: Run, without: readonly EditionRule[] = []): Step[] {
  const holds = (some: readonly Step[]): boolean =>
    replay(seed, some, without, portion)?.kind === finding!.kind;
  let kept = [...steps];
  for (let size = Math.ceil(kept.length / 2); size >= 1; ) {
    let fewer = false;
    for (let at = kept.length - size; at > -size; at -= size) {
      const from = Math.max(0, at);
      const rest = [...kept.slice(0, from), ...kept.slice(at + size)];
      if (rest.length < kept.length && holds(rest)) {
        kept = rest;
        fewer = true;
      }
    }
    if (size === 1 && !fewer) break;
    if (!fewer || size > kept.length) size = Math.max(1, Math.floor(Math.min(size, kept.length) / 2));
  }
  return kept;
}

/** A finding as a script with what it needs to be repeated. */
export function report(found: Run, without: readonly EditionRule[] = []): string {
  const steps = shrink(found, without);
  const { kind, text } = replay(found.seed, steps, without, found.portion) ?? found.finding!;
  const { start: _, ...terms } = found.terms;
  return [
    `seed ${found.seed}${found.portion === undefined ? '' : `, portions of ${found.portion}`}: ${kind}`,
    text,
    `venue: ${JSON.stringify(terms)}`,
    ...script(found.seed, steps).map((line) => `  ${line}`),
  ].join('\n');
}
