/** Work that is done in portions and not yet ended (rules 14). */

import type { State } from '../state/state.ts';
import { list, type StateFields } from './fields.ts';

export function openWorkFields(f: StateFields, { endings }: State): void {
  const read = list(f, endings, (ending) => ({
    instrument: f.i32(ending?.instrument ?? 0),
    next: f.i32(ending?.next ?? 0),
  }));
  if (f.reading) endings.push(...read);
}
