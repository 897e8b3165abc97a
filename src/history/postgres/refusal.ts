/** Errors of the server as sentences that tell what to do, and which of them pass by themselves. */
import pg from 'pg';
import { HistoryRefused } from '../history.ts';
import type { PostgresAddress } from './address.ts';

/** `advance` in the schema raises it. */
export const FENCED = 'BX001';

/** By SQLSTATE, or the code of Node for what the operating system says. */
const REASONS: Readonly<Record<string, (address: PostgresAddress) => string>> = {
  '28P01': ({ user }) => `the password of ${user} is wrong: give it in PGPASSWORD or in ~/.pgpass`,
  '28000': ({ user }) => `it does not let ${user} in: see pg_hba.conf of the server`,
  '3D000': ({ database }) => `there is no database ${database}: make it with createdb ${database}`,
  '42501': ({ user, database }) =>
    `${user} lacks the rights: GRANT CREATE, CONNECT ON DATABASE ${database} TO ${user}, and the schema "history" must be its own`,
  '53300': () => 'it has no connection left: raise its max_connections',
  '57P03': () => 'it is starting up or shutting down: try again',
  ECONNREFUSED: () => 'no server listens there',
  ENOENT: () => 'no server listens there: the socket does not exist',
  ENOTFOUND: () => 'the host name is unknown',
  EAI_AGAIN: () => 'the host name cannot be looked up now',
  EHOSTUNREACH: () => 'the host cannot be reached',
  ENETUNREACH: () => 'the host cannot be reached',
  ETIMEDOUT: () => 'it does not answer',
  ECONNRESET: () => 'it closed the connection',
};
const NO_PASSWORD = /client password must be a string/;
const SLOW = /timeout/;

export function refusal(address: PostgresAddress, error: unknown): HistoryRefused {
  return error instanceof HistoryRefused ? error : refused(address, reasonOf(address, error));
}

export function refused({ place }: PostgresAddress, reason: string): HistoryRefused {
  return new HistoryRefused(`the history in ${place} cannot be used: ${reason}`);
}

export function reasonOf(address: PostgresAddress, error: unknown): string {
  // A name with several addresses fails with an error for each.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const { code = '', message } = first as { readonly code?: string; readonly message: string };
  if (NO_PASSWORD.test(message))
    return `the server asks for the password of ${address.user}: give it in PGPASSWORD or in ~/.pgpass`;
  if (SLOW.test(message)) return 'it does not answer';
  return REASONS[code]?.(address) ?? message;
}

/** Classes of SQLSTATE that pass: connection, resources, shutdown, and a transaction that met another. */
const PASSING = /^(08|53|57P|40|25006|58030|55P03)/;

/** Is it worth the same attempt again? */
export function passes(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return PASSING.test(error.code ?? '');
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string };
  return typeof code === 'string' || /^Connection terminated|timeout|not queryable|was closed/i.test(message);
}
