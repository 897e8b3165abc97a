/** Starts a fork in a process of its own: a crash there stays there. */
import { fork as startProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Fork } from '../../lab/host.ts';
import { threadModule } from '../../program-files.ts';
import type { ForkMessage, ForkOrder } from './fork-worker.ts';

const END_MS = 15_000;

export async function startIsolated(order: ForkOrder, ended: () => void): Promise<Fork> {
  const child = startProcess(fileURLToPath(threadModule('app/start/fork-worker')), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  child.send(order);
  const [message] = (await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => [{ failed: `its process ended with code ${code}` }]),
  ])) as [ForkMessage];
  if ('failed' in message) {
    if (child.connected) child.disconnect();
    throw new Error(message.failed);
  }
  let closing = false;
  void exited.then(() => {
    if (!closing) ended();
  });
  return {
    ...message.ready,
    pid: child.pid!,
    close: async () => {
      closing = true;
      const overdue = setTimeout(() => child.kill('SIGKILL'), END_MS);
      if (child.connected) child.disconnect();
      if (child.exitCode === null && child.signalCode === null) await exited;
      clearTimeout(overdue);
    },
  };
}
