/** Where the servers of a database are: `postgres://user:password@db1:5432,db2:5433/bourse`. */

export interface DatabaseAddress {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
}

const FORM = /^postgres(?:ql)?:\/\/(?:([^:@/]+)(?::([^@/]*))?@)?([^/?#]+)\/([^/?#]+)$/;
const FORM_IN_WORDS = 'postgres://user@host[:port][,host[:port] ...]/database';
const PORT = 5432;

/** Undefined with the reason when it is not one. The reason never contains the text, which may hold a password. */
export function readAddress(text: string): DatabaseAddress | { readonly wrong: string } {
  const parts = FORM.exec(text);
  if (parts === null) return { wrong: `must have the form ${FORM_IN_WORDS}` };
  const [, user = 'postgres', password, hosts = '', database = ''] = parts;
  const read = hosts.split(',').map(readHost);
  if (read.includes(undefined))
    return {
      wrong: `a host must be a name or address, with a port from 1 to 65535 behind a colon: ${FORM_IN_WORDS}`,
    };
  return {
    hosts: read as DatabaseAddress['hosts'],
    user: decodeURIComponent(user),
    password: password === undefined ? undefined : decodeURIComponent(password),
    database: decodeURIComponent(database),
  };
}

function readHost(text: string): { host: string; port: number } | undefined {
  const parts = /^(\[[0-9a-fA-F:]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text);
  if (parts === null) return undefined;
  const port = parts[2] === undefined ? PORT : Number(parts[2]);
  return port < 1 || port > 65_535 ? undefined : { host: parts[1]!.replace(/^\[|\]$/g, ''), port };
}

/** As it may be shown: without the password. */
export function placeOf({ hosts, user, database }: DatabaseAddress): string {
  const named = hosts.map(({ host, port }) => {
    const bare = host.includes(':') ? `[${host}]` : host;
    return port === PORT ? bare : `${bare}:${port}`;
  });
  return `postgres://${encodeURIComponent(user)}@${named.join(',')}/${encodeURIComponent(database)}`;
}

/** The text as it may be shown. */
export function withoutPassword(text: string): string {
  return text.replace(/^(postgres(?:ql)?:\/\/[^:@/]+):[^@/]*@/, '$1@');
}
