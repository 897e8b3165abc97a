/**
 * Host names under which the exchange responds. A web page whose own name is made to resolve to this machine (DNS
 * rebinding) has, for its browser, the same origin as this server; only the name in `Host` shows the difference. So
 * only names are accepted that no foreign DNS can assign: addresses, `localhost` and names under it, names without a
 * dot (a service in a container network), and those that the operator has configured.
 */
import { isIP, isIPv6 } from 'node:net';

export interface Host {
  /** In lower case; an IPv6 address has its brackets. */
  readonly name: string;
  /** As written; empty when it is absent. */
  readonly port: string;
}

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,254})(?::([0-9]{0,5}))?$/;
/** Container networks have names with an underscore. */
const LABEL = /^[a-z0-9_-]{1,63}$/;

/** Undefined for text that is no host with or without a port, such as user names, blanks, escapes and other scripts. */
export function readHost(text: string): Host | undefined {
  const [, name, port = ''] = HOST.exec(text.toLowerCase()) ?? [];
  if (name === undefined) return undefined;
  const good = name.startsWith('[') ? isIPv6(name.slice(1, -1)) : isIP(name) !== 0 || isHostName(name);
  return good ? { name, port } : undefined;
}

/** In lower case, with or without the dot that ends a full name. */
export function isHostName(name: string): boolean {
  return (
    name.length <= 254 &&
    withoutRoot(name)
      .split('.')
      .every((label) => LABEL.test(label))
  );
}

export class HostList {
  readonly #names: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.#names = new Set(names.map((name) => withoutRoot(name.toLowerCase())));
  }

  has({ name }: Host): boolean {
    if (name.startsWith('[') || isIP(name) === 4) return true;
    // With a final dot, a name without another dot is a top-level domain, and those can be registered.
    if (!name.includes('.')) return true;
    const full = withoutRoot(name);
    return full === 'localhost' || full.endsWith('.localhost') || this.#names.has(full);
  }
}

function withoutRoot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}
