/** One connection's interest in one channel, in the client's own words. */
import { type Push, pushText, textFrame } from './frames.ts';

/** Whoever takes the frames: a connection, seen from a channel. */
export interface Recipient {
  readonly unsentBytes: number;
  deliver(frame: Buffer): void;
  /** False when a push that a newer one replaces was left out, because the reader is behind. */
  deliverNow(frame: Buffer, replaceable: boolean): boolean;
}

export class Subscription {
  readonly connection: Recipient;
  readonly channelKey: string;
  /** JSON of the argument as the client wrote it. */
  arg: string;
  /** False once it is unsubscribed, replaced or its connection is gone. */
  live = true;
  /** What came with the first push must not come again: later pushes begin after this command. */
  afterSeq = 0;
  /** The newest push was left out, because the reader is behind. */
  behind = false;

  constructor(connection: Recipient, channelKey: string, arg: string) {
    this.connection = connection;
    this.channelKey = channelKey;
    this.arg = arg;
  }

  /** To this reader alone. */
  push(push: Push): void {
    if (this.live) this.connection.deliver(textFrame(pushText(push, this.arg)));
  }
}
