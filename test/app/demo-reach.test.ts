/** `--demo-reach container`: who may reach accounts whose keys are published. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import {
  isInContainer,
  isWithinReach,
  refusalOutsideContainer,
  refuseDemoBeyondReach,
} from '../../src/app/start/demo-reach.ts';
import { ChildProgram } from '../harness/child-programs.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../..');
const EVERYWHERE = { host: '0.0.0.0', trustedProxies: [] };
const inside = () => true;
const outside = () => false;

test('without it demo accounts stay on loopback, in a container too', () => {
  const loopback = { ...EVERYWHERE, demoReach: 'loopback' } as const;
  assert.throws(() => refuseDemoBeyondReach(loopback, inside), {
    name: 'ConfigError',
    message:
      /^--host 0\.0\.0\.0 can be reached from other machines.*In a container: --demo-reach container\.$/,
  });
  refuseDemoBeyondReach({ ...loopback, host: '127.0.0.1' }, outside);
});

test('it is refused where the process sees no container, whatever it listens on', () => {
  for (const host of ['0.0.0.0', '127.0.0.1']) {
    const container = { ...EVERYWHERE, host, demoReach: 'container' } as const;
    assert.throws(() => refuseDemoBeyondReach(container, outside), {
      name: 'ConfigError',
      message: /^--demo-reach container is for a container, and this process sees no sign of one/,
    });
    refuseDemoBeyondReach(container, inside);
  }
});

test('it is refused behind a proxy, which hides who its peers are', () => {
  const proxied = { host: '0.0.0.0', demoReach: 'container', trustedProxies: ['10.0.0.0/8'] } as const;
  assert.throws(() => refuseDemoBeyondReach(proxied, inside), {
    name: 'ConfigError',
    message: /does not go with --trusted-proxies/,
  });
});

test('a container is known by the files of its engine or by its control group', () => {
  const withFile = (path: string, text = '') => {
    const root = temporaryDirectory();
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    return root;
  };
  assert.equal(isInContainer(temporaryDirectory()), false);
  assert.equal(isInContainer(withFile('.dockerenv')), true);
  assert.equal(isInContainer(withFile('run/.containerenv')), true);
  assert.equal(isInContainer(withFile('var/run/secrets/kubernetes.io/token')), true);
  assert.equal(isInContainer(withFile('proc/1/cgroup', '4:memory:/docker/4f1c\n')), true);
  assert.equal(isInContainer(withFile('proc/1/cgroup', '0::/kubepods.slice/kubepods-pod1.slice\n')), true);
  assert.equal(isInContainer(withFile('proc/1/cgroup', '0::/init.scope\n')), false);
  assert.equal(
    isInContainer(withFile('proc/1/cgroup', '1:name=systemd:/system.slice/docker.service\n')),
    false,
  );
});

test('private addresses are within its reach, all others are not', () => {
  const near = ['127.0.0.1', '::1', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.2', '169.254.7.7'];
  for (const address of [...near, '::ffff:172.17.0.1', 'fd00::1', 'fe80::1%eth0']) {
    assert.equal(isWithinReach('container', address), true, address);
    assert.equal(refusalOutsideContainer(address), undefined, address);
  }
  const far = [
    '203.0.113.9',
    '172.15.255.255',
    '172.32.0.1',
    '192.169.0.1',
    '11.0.0.1',
    '100.64.0.1',
    '8.8.8.8',
  ];
  for (const address of [
    ...far,
    '::ffff:8.8.8.8',
    '2001:db8::1',
    '::',
    '0.0.0.0',
    '',
    'localhost',
    undefined,
  ]) {
    assert.equal(isWithinReach('container', address), false, address);
    assert.match(refusalOutsideContainer(address)!, /answers private addresses only/);
  }
  assert.equal(isWithinReach('loopback', '172.17.0.1'), false);
  assert.equal(isWithinReach('loopback', '127.0.0.1'), true);
});

/** A network of its own, with a public and a private address, in what looks like a container of Podman. */
const SPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const unshare = process.getuid?.() === 0 ? SPACES : ['--user', '--map-root-user', ...SPACES];
const NETWORK = `
  set -e
  ip link set lo up
  ip address add 203.0.113.9/32 dev lo
  ip address add 172.17.0.1/32 dev lo
  mount -t tmpfs tmpfs /run
  touch /run/.containerenv
  exec "$@"
`;
const impossible =
  spawnSync('unshare', [...unshare, 'bash', '-c', NETWORK, 'bash', 'true']).status !== 0 &&
  'this machine has no name spaces for its user, or no ip';

test('a server beyond loopback answers private peers under its own names, and refuses the others', {
  skip: impossible,
}, async () => {
  const program = [process.execPath, join(ROOT, 'test/app/demo-reach-peers.ts')];
  const args = [...unshare, 'bash', '-c', NETWORK, 'bash', ...program];
  const { code, stdout, output } = await new ChildProgram(spawn('unshare', args, { cwd: ROOT })).ended;
  assert.equal(code, 0, output);
  const refused = { status: 403, told: 'private addresses only', keys: 0 };
  const served = { status: 200, told: '', keys: 4 };
  assert.deepEqual(JSON.parse(stdout), {
    'private peer': served,
    'this machine': served,
    'public peer': refused,
    'public peer that claims to be another': refused,
    'public peer, handshake': { ...refused },
    'private peer, handshake': { status: 101, told: '', keys: 0 },
    'private peer, rebound name': { status: 421, told: 'does not answer under the host name', keys: 0 },
  });
});
