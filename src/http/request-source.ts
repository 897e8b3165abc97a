/**
 * Checks the origin of a request before anything else: a hostile web page can make a browser send requests to this
 * machine, but it cannot choose what the browser writes into these headers.
 *   (its peer)       an address that is served                              every request
 *   Host             a name under which the exchange responds, once         every request
 *   Origin           the same host, or a configured origin                  a WebSocket handshake
 *                    the same host, or absent                               paths for pages of this server alone
 *   Sec-Fetch-Site   `same-origin`, `none` (typed by a person) or absent    paths for pages of this server alone
 * Programs send only the first. Other requests of foreign pages get a response, but the browser does not show it to
 * them,
 * because no response allows it (CORS), and does not let them send a header that would sign a request.
 */
import type { IncomingMessage } from 'node:http';
import { type Host, HostList, readHost } from './host-list.ts';

export interface SourceRefusal {
  readonly status: 400 | 403 | 421;
  readonly message: string;
}

/** By the address of the connection, whatever headers say. */
export type PeerRefusal = (address: string | undefined) => string | undefined;

export interface SourceOptions {
  /** Further host names under which the exchange responds (`HostList` has the built-in ones). */
  readonly allowedHosts: readonly string[];
  /** Origins of other hosts whose pages may open sockets. */
  readonly allowedOrigins?: readonly string[];
  /** Why peers at this address are not served; undefined when they are. */
  readonly peerRefusal?: PeerRefusal | undefined;
  /** Is this path for pages of this server alone? */
  readonly ownPagesOnly: (path: string) => boolean;
}

const OWN_SITES: ReadonlySet<string | undefined> = new Set([undefined, 'same-origin', 'none']);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

const NOT_A_PATH: SourceRefusal = {
  status: 400,
  message: 'the request line must hold a path, not an absolute address',
};
const NO_HOST: SourceRefusal = {
  status: 400,
  message: 'header Host is missing, which every request of HTTP/1.1 has',
};
const HOST_TWICE: SourceRefusal = { status: 400, message: 'header Host is given more than once' };
const NOT_A_HOST: SourceRefusal = {
  status: 400,
  message: 'header Host must be a host name or an address (IPv6 in brackets), with or without a port',
};
const FOREIGN_PAGE: SourceRefusal = {
  status: 403,
  message: 'a web page of another origin may not ask for this (headers Sec-Fetch-Site and Origin)',
};
const FOREIGN_ORIGIN: SourceRefusal = {
  status: 403,
  message: 'this web page may not open streams here: see --allowed-origins',
};

export class RequestSource {
  readonly #hosts: HostList;
  readonly #origins: ReadonlySet<string>;
  readonly #ownPagesOnly: (path: string) => boolean;
  readonly #peerRefusal: PeerRefusal | undefined;
  /** Nearly all requests are for the same host as the one before. */
  #lastAllowed: string | undefined;

  constructor({ allowedHosts, allowedOrigins = [], ownPagesOnly, peerRefusal }: SourceOptions) {
    this.#peerRefusal = peerRefusal;
    this.#hosts = new HostList(allowedHosts);
    this.#origins = new Set(allowedOrigins);
    this.#ownPagesOnly = ownPagesOnly;
  }

  /** Why a request is rejected; undefined when it may go on. */
  refusal(request: IncomingMessage): SourceRefusal | undefined {
    const host = this.#commonRefusal(request);
    if (host !== undefined) return host;
    const { 'sec-fetch-site': site, origin, host: text } = request.headers;
    // A joined list of several values matches none of these. Older browsers send only the origin.
    const own = OWN_SITES.has(site) && (origin === undefined || isOriginOf(origin, readHost(text!)!));
    return !own && this.#ownPagesOnly(pathOf(request.url!)) ? FOREIGN_PAGE : undefined;
  }

  /** The same for a WebSocket handshake. */
  handshakeRefusal(request: IncomingMessage): SourceRefusal | undefined {
    const host = this.#commonRefusal(request);
    if (host !== undefined) return host;
    const { origin } = request.headers;
    if (origin === undefined || this.#origins.has(origin.toLowerCase())) return undefined;
    return isOriginOf(origin, readHost(request.headers.host!)!) ? undefined : FOREIGN_ORIGIN;
  }

  #commonRefusal({ url, rawHeaders, socket }: IncomingMessage): SourceRefusal | undefined {
    const stranger = this.#peerRefusal?.(socket.remoteAddress);
    if (stranger !== undefined) return { status: 403, message: stranger };
    // The host of an absolute address would count instead of the header's.
    if (url?.startsWith('/') !== true) return NOT_A_PATH;
    let text: string | undefined;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]!;
      if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
      if (text !== undefined) return HOST_TWICE;
      text = rawHeaders[index + 1]!;
    }
    if (text === undefined || text === '') return NO_HOST;
    if (text === this.#lastAllowed) return undefined;
    const host = readHost(text);
    if (host === undefined) return NOT_A_HOST;
    if (!this.#hosts.has(host)) return unknownHost(host);
    this.#lastAllowed = text;
    return undefined;
  }
}

function unknownHost({ name }: Host): SourceRefusal {
  return {
    status: 421,
    message:
      `the exchange does not answer under the host name ${name}: use its address or localhost, ` +
      'or start it with --allowed-hosts and this name',
  };
}

/** A browser omits the default port; a proxy may have added it. */
function isOriginOf(origin: string, host: Host): boolean {
  const [, scheme, rest] = /^(https?):\/\/(.+)$/.exec(origin.toLowerCase()) ?? [];
  const own = rest === undefined ? undefined : readHost(rest);
  if (own === undefined) return false;
  const usual = DEFAULT_PORTS[scheme!]!;
  return own.name === host.name && (own.port || usual) === (host.port || usual);
}

/** Decoded as the router does: `/%77eb` is `/web`. */
function pathOf(url: string): string {
  const path = url.split(/[?#;]/, 1)[0]!;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
