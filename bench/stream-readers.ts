/**
 * Many readers of streams in a process of their own: raw sockets that only count frames, so that the machine is busy
 * with the server and not with them. Talks with its parent by messages: a job comes first, then `count` and `stall`.
 */
import { RawStream } from './raw-stream.ts';

export interface ReaderJob {
  readonly port: number;
  readonly readers: number;
  /** Arguments of each reader's subscription. */
  readonly args: readonly object[];
}

export interface ReaderCount {
  readonly open: number;
  /** Frames and bytes of pushes, by reader. */
  readonly frames: readonly number[];
  readonly bytes: readonly number[];
}

export type ReaderCommand =
  | { readonly type: 'job'; readonly job: ReaderJob }
  | { readonly type: 'count' }
  /** The first so many stop reading. */
  | { readonly type: 'stall'; readonly readers: number };

const READERS_PER_ADDRESS = 50;
const CONNECTS_AT_ONCE = 50;

class Reader {
  readonly stream: RawStream;
  frames = 0;
  bytes = 0;

  constructor(port: number, n: number, args: readonly object[], ready: () => void) {
    const localAddress = `127.0.7.${1 + Math.floor(n / READERS_PER_ADDRESS)}`;
    this.stream = new RawStream({ port, path: '/v3/ws/public', localAddress }, (length) => {
      this.frames++;
      this.bytes += length;
    });
    void this.stream.opened.then(() => {
      this.stream.send(JSON.stringify({ op: 'subscribe', args }));
      ready();
    });
  }
}

if (process.argv[1] === import.meta.filename) {
  const readers: Reader[] = [];
  process.on('message', (command: ReaderCommand) => {
    if (command.type === 'stall') {
      for (const reader of readers.slice(0, command.readers)) reader.stream.socket.pause();
    } else if (command.type === 'count') {
      const count: ReaderCount = {
        open: readers.filter(({ stream }) => stream.open).length,
        frames: readers.map(({ frames }) => frames),
        bytes: readers.map(({ bytes }) => bytes),
      };
      process.send!(count);
    } else {
      void connectAll(command.job).then(() => process.send!('ready'));
    }
  });
  process.on('disconnect', () => process.exit(0));

  const connectAll = async ({ port, readers: wanted, args }: ReaderJob) => {
    while (readers.length < wanted) {
      const batch = Math.min(CONNECTS_AT_ONCE, wanted - readers.length);
      await Promise.all(
        Array.from(
          { length: batch },
          () =>
            new Promise<void>((resolve) => {
              readers.push(new Reader(port, readers.length, args, resolve));
            }),
        ),
      );
    }
  };
}
