/** One connection's interest in one channel, in the client's own words. */
import type { Channel } from './channel.ts';
import type { Connection } from './connection.ts';
import { type Push, pushText, textFrame } from './frames.ts';

export class Subscription {
  readonly connection: Connection;
  readonly channel: Channel;
  /** JSON of the argument as the client wrote it. */
  arg: string;
  /** False once it is unsubscribed, replaced or its connection is gone. */
  live = true;
  /** What came with the first push must not come again: later pushes begin after this command. */
  afterSeq = 0;
  /** The newest push was left out, because the reader is behind. */
  behind = false;

  constructor(connection: Connection, channel: Channel, arg: string) {
    this.connection = connection;
    this.channel = channel;
    this.arg = arg;
  }

  /** To this reader alone. */
  push(push: Push): void {
    if (this.live) this.connection.deliver(textFrame(pushText(push, this.arg)));
  }
}
