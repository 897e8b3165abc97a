/** The port of a thread to the thread that started it. */
import { type MessagePort, parentPort } from 'node:worker_threads';

export function threadPort(): MessagePort {
  if (parentPort === null) throw new Error('this module runs as a thread of another');
  return parentPort;
}
