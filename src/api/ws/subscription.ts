/** A subscription of one connection to one channel, with the argument as the client wrote it. */
import { type Push, pushText, textFrame } from './frames.ts';

/** A connection as a channel sees it. */
export interface Recipient {
  readonly unsentBytes: number;
  deliver(frame: Buffer): void;
  /** False when a replaceable push was skipped because the reader is slow. */
  deliverNow(frame: Buffer, replaceable: boolean): boolean;
}

export class Subscription {
  readonly connection: Recipient;
  readonly channelKey: string;
  /** JSON of the argument as the client wrote it. */
  arg: string;
  /** False after it was unsubscribed or replaced, or its connection closed. */
  live = true;
  /** Pushes up to this command were part of the first push and must not be repeated. */
  afterSeq = 0;
  /** The newest push was skipped because the reader is slow. */
  behind = false;

  constructor(connection: Recipient, channelKey: string, arg: string) {
    this.connection = connection;
    this.channelKey = channelKey;
    this.arg = arg;
  }

  /** Sends to this reader alone. */
  push(push: Push): void {
    if (this.live) this.connection.deliver(textFrame(pushText(push, this.arg)));
  }
}
