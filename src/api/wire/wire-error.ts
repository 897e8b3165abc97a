/**
 * A failed request as a value that handlers return: a code, and a message that names the wrong value and the valid
 * ones.
 */
import { entryOf, type WireCode } from './error-catalogue.ts';

export type ErrorDialect = 'v3' | 'classic';

export class WireError {
  readonly code: WireCode;
  readonly msg: string;
  readonly retryAfterMs: number | undefined;

  constructor(code: WireCode, msg: string, retryAfterMs?: number) {
    this.code = code;
    this.msg = msg;
    this.retryAfterMs = retryAfterMs;
  }

  get status(): number {
    return entryOf(this.code).status ?? 400;
  }

  codeIn(dialect: ErrorDialect): string {
    return dialect === 'classic' ? (entryOf(this.code).classic ?? this.code) : this.code;
  }
}

export function wireError(code: WireCode, msg: string): WireError {
  return new WireError(code, msg);
}
