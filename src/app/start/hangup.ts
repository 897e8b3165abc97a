/**
 * Whether the end of a terminal ends the exchange. `nohup` asks that it does not, by ignoring SIGHUP; Node takes it up
 * again as it starts and cannot be asked. What remains to be seen of `nohup` and of a start in the background is that
 * input, output and errors are all files or /dev/null: nobody sits there whose leaving could be meant.
 */
import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';

const STANDARD = [0, 1, 2];

/** To be asked at the start: a terminal that has gone is none any more. */
export function isDetached(): boolean {
  return STANDARD.every((descriptor) => {
    const status = fstatSync(descriptor);
    return status.isFile() || (status.isCharacterDevice() && !isatty(descriptor));
  });
}
