/**
 * Network addresses as text: one canonical spelling, and lists of addresses and CIDR blocks. A list fails closed: an
 * unreadable address is never inside.
 */
import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';

export interface IpList {
  readonly entries: readonly string[];
  /** An empty list is no restriction; "no address" cannot be written as an empty list. */
  readonly allowsAll: boolean;
  contains(address: string | undefined): boolean;
}

const MAPPED_IPV4 = /^::ffff:([0-9]{1,3}(?:\.[0-9]{1,3}){3})$/;
const PORT_AFTER_IPV4 = /^([0-9.]{7,15}):[0-9]{1,5}$/;
const BRACKETED_IPV6 = /^\[([0-9A-Fa-f:.%a-z]{2,60})\](?::[0-9]{1,5})?$/;
const ADDRESS_CHARS_MAX = 64;

/** Canonical text of an address without port, brackets and zone; IPv4-mapped IPv6 becomes IPv4. */
export function normalizeAddress(text: string): string | undefined {
  if (text.length > ADDRESS_CHARS_MAX) return undefined;
  if (isIPv4(text)) return text;
  const unwrapped = unwrap(text);
  const zone = unwrapped.indexOf('%');
  const bare = zone < 0 ? unwrapped : unwrapped.slice(0, zone);
  const family = isIP(bare);
  if (family === 4) return bare;
  if (family !== 6) return undefined;
  const canonical = new SocketAddress({ address: bare, family: 'ipv6' }).address;
  return MAPPED_IPV4.exec(canonical)?.[1] ?? canonical;
}

function unwrap(text: string): string {
  return PORT_AFTER_IPV4.exec(text)?.[1] ?? BRACKETED_IPV6.exec(text)?.[1] ?? text;
}

/** Builds a list from addresses and CIDR blocks, or names the first entry that is neither. */
export function compileIpList(entries: readonly string[]): IpList | { readonly malformed: string } {
  const blocks = new BlockList();
  for (const entry of entries) {
    if (!addEntry(blocks, entry)) return { malformed: entry };
  }
  return {
    entries,
    allowsAll: entries.length === 0,
    contains(address) {
      const normal = address === undefined ? undefined : normalizeAddress(address);
      return normal !== undefined && blocks.check(normal, isIPv4(normal) ? 'ipv4' : 'ipv6');
    },
  };
}

function addEntry(blocks: BlockList, entry: string): boolean {
  const slash = entry.indexOf('/');
  const host = slash < 0 ? entry : entry.slice(0, slash);
  const address = isIP(host) === 0 || host.includes('%') ? undefined : normalizeAddress(host);
  if (address === undefined) return false;
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  if (slash < 0) {
    blocks.addAddress(address, family);
    return true;
  }
  const prefix = prefixLength(entry.slice(slash + 1), host, address);
  if (prefix === undefined) return false;
  blocks.addSubnet(address, prefix, family);
  return true;
}

/** The prefix as it applies to the normalised address: `::ffff:10.0.0.0/104` is `10.0.0.0/8`. */
function prefixLength(text: string, host: string, address: string): number | undefined {
  if (!/^[0-9]{1,3}$/.test(text)) return undefined;
  const mapped = isIPv4(address) && !isIPv4(host);
  const prefix = mapped ? Number(text) - 96 : Number(text);
  return prefix >= 0 && prefix <= (isIPv4(address) ? 32 : 128) ? prefix : undefined;
}
