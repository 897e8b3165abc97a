'use strict';
/**
 * Ends this process, as SIGTERM would, when npm or the launcher that started it has ended. npm passes SIGTERM on to
 * its shell, and the shell to nobody; when npm is killed nobody is told at all. Only the processes from this one up
 * to npm are watched, never who started npm: a start in the background outlives its shell.
 */
const { spawnSync } = require('child_process');
const { readFileSync } = require('fs');

const LOOK_MS = 250;
const LINUX = process.platform === 'linux';
/** Both npm's shell and the launcher have it in their command line. */
const LAUNCHER = 'launch.cjs';

/** What a process ends with that one of these ends. */
const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

function watchStarters() {
  const starters = startersOf(process.ppid);
  if (starters.length === 0) return;
  let missed = 0;
  const timer = setInterval(() => {
    missed = areThere(starters) ? 0 : missed + 1;
    // What ended them may be a signal that this process gets too, in the same moment.
    if (missed < 2) return;
    clearInterval(timer);
    // To the program it is a signal; a real one would end it at once on Windows.
    process.emit('SIGTERM', 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
  // From the first signal on it is the program that decides; the starters end by it, and are no second one.
  for (const signal of Object.keys(CODES)) {
    process.on(signal, () => {
      clearInterval(timer);
      if (process.listenerCount(signal) === 1) process.exit(CODES[signal]);
    });
  }
}

/** From the parent up to npm; without npm up to the launcher that waits for this process, if there is one. */
function startersOf(parent) {
  const byNpm = Boolean(process.env.npm_lifecycle_event || process.env.NODE_RUN_SCRIPT_NAME);
  const starters = [];
  for (let pid = parent; pid > 1; ) {
    const { parent: next, command } = describe(pid);
    const isLauncher = command.includes(LAUNCHER);
    if (!byNpm && (!isLauncher || / -\w*c /.test(command))) break;
    starters.push(pid);
    if (!isLauncher) break;
    pid = next;
  }
  return starters;
}

/** Parents are the proof: the child of an ended process gets another one at once, even while nobody has reaped it. */
function areThere(starters) {
  return starters.every((pid, n) => {
    if (n === 0 && process.platform !== 'win32') return process.ppid === pid;
    return LINUX ? describe(starters[n - 1]).parent === pid : isAlive(pid);
  });
}

function describe(pid) {
  try {
    if (LINUX) {
      const [, parent] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0/g, ' ');
      return { parent: Number(parent), command };
    }
    if (process.platform === 'win32') return { parent: 0, command: '' };
    const { stdout } = spawnSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' });
    const [, parent, command] = /^\s*(\d+)\s+(.*)$/m.exec(stdout);
    return { parent: Number(parent), command };
  } catch (_) {
    return { parent: 0, command: '' };
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

module.exports = { watchStarters };
