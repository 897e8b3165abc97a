/**
 * Sign-ins of the console. A page cannot read the file with the operator's token, and the token must not be in an
 * address; so whoever has the token gets a code that works once within a minute, and the page trades it for a bearer of
 * its own. Both are kept as hashes, in memory only: a restart ends all sessions.
 */
import { createHash, randomBytes } from 'node:crypto';

export const CODE_VALID_MS = 60_000;
export const SESSION_VALID_MS = 8 * 60 * 60_000;
const CODE_BYTES = 16;
const BEARER_BYTES = 32;
/** The oldest make way. */
const CODES_MAX = 16;
const SESSIONS_MAX = 64;

interface IssuedCode {
  readonly operator: string;
  readonly expires: number;
}

export interface ConsoleSession {
  readonly id: number;
  readonly operator: string;
  /** Unix ms. */
  readonly began: number;
  readonly expires: number;
}

export class ConsoleSessions {
  readonly #now: () => number;
  /** By the hash of the code, and of the bearer. */
  readonly #codes = new Map<string, IssuedCode>();
  readonly #sessions = new Map<string, ConsoleSession>();
  #lastId = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  issueCode(operator: string): string {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    keep(this.#codes, hashOf(code), { operator, expires: this.#now() + CODE_VALID_MS }, CODES_MAX);
    return code;
  }

  /** The operator to whom the code was given; a code is used up by this. */
  redeem(code: string): string | undefined {
    const key = hashOf(code);
    const issued = this.#codes.get(key);
    this.#codes.delete(key);
    return issued !== undefined && issued.expires > this.#now() ? issued.operator : undefined;
  }

  begin(operator: string): ConsoleSession & { readonly bearer: string } {
    const bearer = randomBytes(BEARER_BYTES).toString('base64url');
    const began = this.#now();
    this.#lastId += 1;
    const session = { id: this.#lastId, operator, began, expires: began + SESSION_VALID_MS };
    keep(this.#sessions, hashOf(bearer), session, SESSIONS_MAX);
    return { ...session, bearer };
  }

  find(bearer: string): ConsoleSession | undefined {
    const session = this.#sessions.get(hashOf(bearer));
    return session !== undefined && session.expires > this.#now() ? session : undefined;
  }

  list(): ConsoleSession[] {
    return [...this.#sessions.values()].filter(({ expires }) => expires > this.#now());
  }

  /** False when there is no such session. */
  end(id: number): boolean {
    for (const [key, session] of this.#sessions) if (session.id === id) return this.#sessions.delete(key);
    return false;
  }
}

function keep<Value>(entries: Map<string, Value>, key: string, value: Value, most: number): void {
  entries.set(key, value);
  if (entries.size > most) entries.delete(entries.keys().next().value!);
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
