/**
 * Sends one push to many readers. The text is made once per spelling of the argument; sending is cut into short
 * slices between which the event loop serves orders. A channel whose last push is still being sent is not polled for
 * the next, so under load pushes become fewer and larger instead of queueing up.
 */
import type { Channel } from './channel.ts';
import { type Push, pushText, textFrame } from './frames.ts';
import { SENDING_SLICE_MS } from './limits.ts';
import type { Subscription } from './subscription.ts';

interface Sending {
  readonly channel: Channel;
  readonly push: Push;
  /** Sequence numbers of the commands whose effects it holds; 0 for snapshot topics. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly readers: readonly Subscription[];
  readonly frames: Map<string, Buffer>;
  next: number;
}

/** One reading of the clock is cheap beside so many sends. */
const SENDS_PER_CLOCK_READ = 8;

export class Fanout {
  private sendings: Sending[] = [];
  private running = false;

  /** Orders are served first: sending begins in the next turn. */
  broadcast(channel: Channel, push: Push, firstSeq = 0, lastSeq = 0): void {
    const readers = channel.members;
    if (readers.length === 0) return;
    channel.underWay++;
    this.sendings.push({ channel, push, firstSeq, lastSeq, readers, frames: new Map(), next: 0 });
    if (this.running) return;
    this.running = true;
    setImmediate(() => this.run());
  }

  private run(): void {
    const endMs = performance.now() + SENDING_SLICE_MS;
    let sending = this.sendings[0];
    let done = 0;
    let sent = 0;
    while (sending !== undefined) {
      const { readers } = sending;
      while (sending.next < readers.length) {
        send(sending, readers[sending.next++]!);
        if (++sent % SENDS_PER_CLOCK_READ === 0 && performance.now() >= endMs) {
          this.sendings.splice(0, done);
          setImmediate(() => this.run());
          return;
        }
      }
      sending.channel.underWay--;
      sending = this.sendings[++done];
    }
    this.sendings = [];
    this.running = false;
  }
}

function send(sending: Sending, reader: Subscription): void {
  if (!reader.live) return;
  const { channel, push, firstSeq, lastSeq, frames } = sending;
  if (reader.afterSeq !== 0 && firstSeq !== 0 && reader.afterSeq >= firstSeq) {
    const rest = reader.afterSeq >= lastSeq ? undefined : channel.without(push, reader.afterSeq);
    if (rest !== undefined) reader.push(rest);
    return;
  }
  let frame = frames.get(reader.arg);
  if (frame === undefined) {
    frame = textFrame(pushText(push, reader.arg));
    frames.set(reader.arg, frame);
  }
  // Sent at once: frames left for the end of the turn would leave after the slice, outside its measured time.
  reader.behind = !reader.connection.deliverNow(frame, channel.replaceable);
}
