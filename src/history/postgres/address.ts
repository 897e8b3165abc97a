/** Where a PostgreSQL database is: an URL, and what may be shown of it. */

export interface PostgresAddress {
  readonly url: string;
  /** URLs of the other servers of the same database, one of which takes writes. Default: none. */
  readonly others?: readonly string[];
  /** Without password and parameters, for messages. */
  readonly place: string;
  readonly user: string;
  readonly database: string;
}

export const ADDRESS_FORM = 'postgres://USER@HOST/DATABASE';

const PROTOCOLS: ReadonlySet<string> = new Set(['postgres:', 'postgresql:']);

/** Undefined when it is not one; the text may hold a password, so it is in no error. */
export function readAddress(text: string): PostgresAddress | undefined {
  const url = URL.parse(text);
  if (url === null || !PROTOCOLS.has(url.protocol) || url.hash !== '') return undefined;
  const database = decoded(url.pathname.slice(1));
  const host = decoded(url.hostname) || url.searchParams.get('host') || '';
  if (database === '' || database.includes('/') || host === '') return undefined;
  const user = decoded(url.username) || process.env.PGUSER || process.env.USER || '';
  const port = url.port === '' ? '' : `:${url.port}`;
  return { url: text, place: `postgres://${user}@${host}${port}/${database}`, user, database };
}

/** The URL as it may be written down. */
export function withoutPassword({ url: text }: PostgresAddress): string {
  const url = new URL(text);
  url.password = '';
  url.searchParams.delete('password');
  return url.href;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
