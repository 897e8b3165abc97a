/**
 * Whether the end of a terminal ends the exchange. `nohup` asks that it does not, by ignoring SIGHUP; Node resets
 * that at its start and has no way to query it. What remains visible of `nohup` and of a start in the background is
 * that input, output and errors are all files or /dev/null: there is no terminal whose closing could be meant as a
 * stop.
 */
import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';

const STANDARD = [0, 1, 2];

/** Call it at the start: a closed terminal cannot be recognised later. */
export function isDetached(): boolean {
  return STANDARD.every((descriptor) => {
    const status = fstatSync(descriptor);
    return status.isFile() || (status.isCharacterDevice() && !isatty(descriptor));
  });
}
