/** What happens when the reader of the output goes: `bourse audit | head`. */

/** A command has nothing left to do: its reader has seen enough. */
export function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}

/** An exchange goes on when its terminal or the reader of its log has gone, or when the disk of that is full. */
export function goOnWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.off('error', endWithReader);
    stream.on('error', ignore);
  }
}

function ignore(): void {}
