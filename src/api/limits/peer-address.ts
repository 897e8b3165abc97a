/**
 * The client's address. The peer of the socket counts; only a proxy that the operator has named may forward another
 * address, and then the `X-Forwarded-For` list is read from the right, because everything left of the first untrusted
 * hop may be forged. An unreadable entry gives no address at all.
 */
import { compileIpList, normalizeAddress } from '../../identity/ip-list.ts';

/** Undefined means "not established": on no IP list, and one shared rate-limit counter. */
export type PeerAddress = (
  socketAddress: string | undefined,
  rawHeaders: readonly string[],
) => string | undefined;

const HOPS_MAX = 32;
const FORWARDED_CHARS_MAX = 2_048;

export function peerAddressResolver(trustedProxies: readonly string[]): PeerAddress {
  const trusted = compileIpList(trustedProxies);
  if ('malformed' in trusted) {
    throw new Error(
      `trusted proxy ${JSON.stringify(trusted.malformed)} is neither an address nor a CIDR block`,
    );
  }
  return (socketAddress, rawHeaders) => {
    const peer = socketAddress === undefined ? undefined : normalizeAddress(socketAddress);
    if (peer === undefined || trusted.allowsAll || !trusted.contains(peer)) return peer;
    const hops = forwardedHops(rawHeaders);
    if (hops === undefined) return undefined;
    let address: string | undefined = peer;
    for (const hop of hops.reverse()) {
      address = normalizeAddress(hop);
      if (address === undefined || !trusted.contains(address)) return address;
    }
    return address;
  };
}

/** All `X-Forwarded-For` headers as one list, left to right; undefined when it is too long to be genuine. */
function forwardedHops(rawHeaders: readonly string[]): string[] | undefined {
  let joined = '';
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() !== 'x-forwarded-for') continue;
    joined += joined === '' ? rawHeaders[index + 1]! : `,${rawHeaders[index + 1]!}`;
  }
  if (joined === '') return [];
  if (joined.length > FORWARDED_CHARS_MAX) return undefined;
  const hops = joined.split(',').map((hop) => hop.trim());
  return hops.length > HOPS_MAX ? undefined : hops;
}
