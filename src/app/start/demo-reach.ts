/**
 * Who may reach an exchange with demo accounts, whose keys are published: this machine; with `--demo-reach container` also
 * peers at private addresses, because inside a container the exchange must listen on every address to be reached at all.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileIpList, type IpList } from '../../identity/ip-list.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../exit-codes.ts';
import { isLoopback } from './loopback.ts';

/** Of RFC 1918, 4193, 3927 and 4291. Not 100.64.0.0/10: customers of one provider share that. */
const PRIVATE = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'],
  ...['fc00::/7', 'fe80::/10', '127.0.0.0/8', '::1'],
];
/** Made when it is needed first: most exchanges run outside of containers. */
let privateAddresses: IpList | undefined;

/** Files that Docker, Podman and Kubernetes put into every container. */
const SIGNS = ['.dockerenv', 'run/.containerenv', 'var/run/secrets/kubernetes.io'];
/** The first process of a container where control groups have their first version. */
const CONTROL_GROUP = /\/(?:docker[/-][0-9a-f]|kubepods[/.-]|libpod[/-]|lxc[/.])/;

const PUBLIC_KEYS = 'the keys of the demo accounts are public';
const WITHOUT_THEM = 'start an exchange without them: --no-demo with a --data directory of its own';

/** Does the process see that it runs in a container? */
export function isInContainer(root = '/'): boolean {
  if (SIGNS.some((file) => existsSync(join(root, file)))) return true;
  try {
    return CONTROL_GROUP.test(readFileSync(join(root, 'proc/1/cgroup'), 'utf8'));
  } catch {
    return false;
  }
}

type Reach = Pick<Config, 'host' | 'demoReach' | 'trustedProxies'>;

/** Before an exchange with demo accounts listens. Throws ConfigError. */
export function refuseDemoBeyondReach(
  { host, demoReach, trustedProxies }: Reach,
  inContainer: () => boolean = isInContainer,
): void {
  if (demoReach === 'loopback') {
    if (isLoopback(host)) return;
    throw new ConfigError(
      `--host ${host} can be reached from other machines, and ${PUBLIC_KEYS}. Listen on 127.0.0.1, or ${WITHOUT_THEM}. ` +
        'In a container: --demo-reach container.',
    );
  }
  if (!inContainer())
    throw new ConfigError(
      `--demo-reach container is for a container, and this process sees no sign of one; ${PUBLIC_KEYS}. ` +
        `Leave it out and listen on 127.0.0.1, or ${WITHOUT_THEM}.`,
    );
  if (trustedProxies.length > 0)
    throw new ConfigError(
      `--demo-reach container does not go with --trusted-proxies: a proxy speaks for peers that the exchange does not see, ` +
        `and ${PUBLIC_KEYS}. Leave out one or the other.`,
    );
}

/** By the address of the connection itself; unknown ones are outside. */
export function isWithinReach(reach: Config['demoReach'], address: string | undefined): boolean {
  if (address === undefined) return false;
  if (reach !== 'container') return isLoopback(address);
  privateAddresses ??= compileIpList(PRIVATE) as IpList;
  return privateAddresses.contains(address);
}

/** The refusal of a peer outside the reach of demo accounts; undefined for others. */
export function refusalOutsideContainer(address: string | undefined): string | undefined {
  if (isWithinReach('container', address)) return undefined;
  return `this exchange has demo accounts with public keys: it answers private addresses only, not ${address ?? 'an unknown one'}`;
}
