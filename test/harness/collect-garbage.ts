/**
 * Loaded into a program whose memory a test wants to know: at SIGUSR2 it drops what nobody holds any more. Otherwise a
 * figure says how long ago the collector last felt like it.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => collect());
}
