/**
 * The image without a container engine: the steps of the last stage of the Dockerfile in a chroot that has what its base
 * image has, then what an engine does with it: no rights, a read-only root, the entry point as the first process.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildPackage } from '../../build/published-package.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { fetchNode, fetchPackage, NODES, NPMS, RunningCommand } from './toolchain.ts';

const ROOT = join(import.meta.dirname, '../..');
/** `node` of the base image. */
const USER = 1000;
const UNSHARE = ['--net', '--mount', '--pid', '--fork', '--kill-child'];
const missing =
  (process.getuid?.() !== 0 && 'a chroot needs root') ||
  (spawnSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0 &&
    'this machine has no name spaces');

/**
 * $1 is the folder with `node`, `npm` and `bourse.tgz`, $2 the steps to run, then the entry point. Of the machine the chroot has
 * system libraries and tools, read-only.
 */
const IMAGE = `
  set -e
  given=$1; steps=$2; shift 2
  ip link set lo up
  ip address add 172.17.0.1/32 dev lo
  ip address add 203.0.113.9/32 dev lo
  image=/mnt
  mount -t tmpfs tmpfs $image
  cd $image
  mkdir -p usr etc proc dev tmp data root run
  mount --bind /usr usr
  mount -t tmpfs tmpfs usr/local
  for name in bin sbin lib lib64; do
    if [ -L /$name ]; then cp -P /$name $name; elif [ -d /$name ]; then mkdir $name; mount --bind /$name $name; fi
  done
  mount --rbind /dev dev
  mount -t proc proc proc
  printf 'root:x:0:0::/root:/bin/sh\\nnode:x:${USER}:${USER}::/:/bin/sh\\n' > etc/passwd
  printf 'root:x:0:\\nnode:x:${USER}:\\n' > etc/group
  touch .dockerenv
  mkdir -p usr/local/bin usr/local/lib/node_modules
  cp $given/node usr/local/bin/node
  cp -r $given/npm usr/local/lib/node_modules/npm
  ln -s ../lib/node_modules/npm/bin/npm-cli.js usr/local/bin/npm
  cp $given/bourse.tgz tmp/bourse.tgz
  chroot . /bin/sh -ec "$steps" 1>&2
  mount -t tmpfs -o mode=1777 tmpfs tmp
  mount -t tmpfs -o mode=700,uid=${USER},gid=${USER} tmpfs data
  mount -o remount,ro,bind usr/local
  mount -o remount,ro $image
  if touch written 2> /dev/null; then echo 'the root is not read-only'; exit 9; fi
  exec chroot . setpriv --reuid=${USER} --regid=${USER} --clear-groups --no-new-privs --bounding-set=-all -- "$@"
`;

interface Stage {
  readonly steps: string;
  readonly env: NodeJS.ProcessEnv;
  readonly entrypoint: readonly string[];
  readonly health: readonly string[];
  readonly instructions: readonly string[];
}

function lastStage(): Stage {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  const instructions = text
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  const stage = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
  const all = (name: string) =>
    stage.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const listed = (line: string) => JSON.parse(line.slice(line.indexOf('['))) as string[];
  return {
    instructions: stage,
    steps: all('RUN').join('\n'),
    env: Object.fromEntries(
      all('ENV').flatMap((line) => line.split(/\s+/).map((pair) => pair.split('=', 2) as [string, string])),
    ),
    entrypoint: listed(all('ENTRYPOINT')[0]!),
    health: listed(all('HEALTHCHECK')[0]!),
  };
}

describe('the image', { skip: process.platform !== 'linux' || missing }, () => {
  it('is built from its steps, and runs without rights on a read-only root', async () => {
    const stage = lastStage();
    for (const line of ['FROM node:24-slim', 'USER node', 'WORKDIR /', 'VOLUME /data'])
      assert.ok(stage.instructions.includes(line), `${line}: the chroot takes it for granted`);
    const given = temporaryDirectory();
    await buildPackage(join(given, 'package'));
    execFileSync('npm', ['pack', './package', '--silent'], { cwd: given });
    execFileSync('sh', ['-c', 'mv bourse-*.tgz bourse.tgz'], { cwd: given });
    cpSync(fetchNode(NODES[24]), join(given, 'node'));
    // With its own packages beside it.
    cpSync(fetchPackage(`npm@${NPMS[11]}`), join(given, 'npm'), { recursive: true });

    const args = [
      ...UNSHARE,
      'bash',
      '-c',
      IMAGE,
      'bash',
      given,
      stage.steps,
      ...stage.entrypoint,
      '--market',
      'off',
    ];
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...stage.env };
    const image = new RunningCommand(spawn('unshare', args, { env, stdio: 'pipe' }));
    await image.shows(/^(Listening on) http:\/\/0\.0\.0\.0:8787\n/m);
    const first = execFileSync('pgrep', ['-P', String(image.process.pid)], { encoding: 'utf8' }).trim();
    const inside = (...command: readonly string[]) => {
      const enter = [
        '--target',
        first,
        '--net',
        '--mount',
        '--pid',
        '--root',
        '--wd',
        `--setuid=${USER}`,
        `--setgid=${USER}`,
      ];
      return spawnSync('nsenter', [...enter, ...command], { env, encoding: 'utf8' });
    };

    const status = readFileSync(`/proc/${first}/status`, 'utf8');
    assert.match(status, new RegExp(`^Uid:\\t${USER}\\t`, 'm'));
    assert.match(status, /^CapEff:\t0+$/m);
    assert.match(status, /^NSpid:\t\d+\t1$/m);

    let health = inside(...stage.health);
    for (let tries = 0; health.status !== 0 && tries < 50; tries++) {
      await sleep(200);
      health = inside(...stage.health);
    }
    assert.deepEqual([health.status, health.stderr], [0, '']);
    const absent = spawnSync('nsenter', ['--target', first, '--mount', '--root', '--wd', ...stage.health], {
      env,
    });
    assert.equal(absent.status, 1, 'where no exchange answers the check fails');

    const ask = (from: string) =>
      inside(
        'node',
        '-e',
        `
        require('http').get({ host: '${from}', localAddress: '${from}', port: 8787, path: '/api/v3/public/time' },
          (answer) => { process.stdout.write(String(answer.statusCode)); process.exit(); });
      `,
      ).stdout;
    assert.deepEqual([ask('172.17.0.1'), ask('203.0.113.9')], ['200', '403']);
    const told = inside('bourse', 'health');
    assert.equal(told.status, 0, told.stderr);

    process.kill(Number(first), 'SIGTERM');
    assert.equal(await image.ended, 0, image.output);
    assert.match(image.output, /saved to \/data\n$/);
  });
});
