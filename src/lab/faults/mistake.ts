/** A mistake in what somebody has written: where it is, and what would be right. */

import { patternInWords } from '../../admin/validation.ts';
import type { TSchema } from '../../validation/schema.ts';
import { fieldOf, mustBeOneOf, type SchemaCheck, type SchemaFault } from '../../validation/schema-check.ts';

export type Path = readonly (string | number)[];

export interface Mistake {
  readonly path: Path;
  readonly message: string;
}

export function mistake(path: Path, message: string): Mistake {
  return { path, message };
}

/** `steps.3.fault.do: …`. */
export function mistakeText({ path, message }: Mistake): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

/** What a schema finds wrong, each with its place; empty when the value passes. */
export function schemaMistakes(check: SchemaCheck<TSchema>, value: unknown, path: Path): Mistake[] {
  if (check.passes(value)) return [];
  return check.faults.map((fault) => {
    const field = fieldOf(fault);
    return mistake([...path, ...(field === '' ? [] : field.split('.'))], wordsOf(fault));
  });
}

function wordsOf(fault: SchemaFault & { readonly message?: string }): string {
  const { keyword, params, message } = fault;
  switch (keyword) {
    case 'required':
      return `${String(params.missingProperty)} is missing`;
    case 'additionalProperties':
      return `${String(params.additionalProperty)} is not a known field`;
    case 'enum':
      return mustBeOneOf(fault);
    case 'pattern':
      return `must ${patternInWords(String(params.pattern))}`;
    default:
      return message ?? 'is not valid';
  }
}
