/** Addresses of this machine (reliability 3.4). */
import { BlockList, isIPv4 } from 'node:net';
import { normalizeAddress } from '../../identity/ip-list.ts';
import { ConfigError } from '../exit-codes.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const address = normalizeAddress(host);
  if (address === undefined) return false;
  return LOOPBACK.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** A client that can reach the operator's listener can try tokens; that must be a deliberate choice. */
export function refuseOperatorBeyondLoopback(host: string, tokenFile: string): void {
  if (isLoopback(host) || tokenFile !== '') return;
  throw new ConfigError(
    `--operator-host ${host} can be reached from other machines. Listen on 127.0.0.1, or say with ` +
      '--operator-token-file which token guards the listener there.',
  );
}

/** Host and port as part of a URL. */
export function urlOf(host: string, port: number): string {
  // Only IPv6 has colons; the pattern behind isIPv6 takes milliseconds to compile.
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
