/**
 * Loaded into every program that a test starts, before the program itself. Its standard input is a pipe that nobody
 * writes to; it ends when the test does, in whatever way, and the program with it. A killed test leaves nothing behind.
 */
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/** A program that another one has started may have no input: then the other one ends it. */
const { stdin: input } = process;
if (isMainThread && input instanceof Socket) {
  input.once('end', () => process.kill(process.pid, 'SIGKILL')).resume();
  // A program may end before its test.
  input.unref();
}
