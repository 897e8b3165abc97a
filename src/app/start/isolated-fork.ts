/** Starts a fork in a process of its own: a crash there stays there. */
import { fork as startProcess } from 'node:child_process';
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
  const { promise: exited, resolve: end } = Promise.withResolvers<string>();
  child.once('exit', (code, signal) => end(`its process ended with ${signal ?? `code ${code}`}`));
  // A process that does not start has no exit; errors of one that runs, such as a failed send, are followed by it.
  child.on('error', ({ message }) => {
    if (child.pid === undefined) end(message);
  });
  const first = new Promise<ForkMessage>((resolve) => child.once('message', resolve));
  child.send(order);
  const message = await Promise.race([first, exited.then((failed) => ({ failed }))]);
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
