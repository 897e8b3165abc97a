/** Pushes of one socket that meet faults of the laboratory (`http/stream-faults.ts`). */
import type { OutgoingPush, PushFault, StreamFaults } from '../../http/stream-faults.ts';
import { textOfFrame } from './frames.ts';

const PUSH = '{"action":';

interface Pushed {
  readonly arg: { readonly topic: string; readonly symbol?: string; readonly instId?: string };
  readonly data: readonly { readonly symbol?: string }[];
}

export class FaultyPushes {
  readonly #write: (frame: Buffer) => void;
  /** Pushes that wait for the next of their topic, the newest first. */
  readonly #held = new Map<string, Buffer[]>();

  constructor(write: (frame: Buffer) => void) {
    this.#write = write;
  }

  /** Writes a frame, or does with it what a fault says. */
  deliver(
    frame: Buffer,
    findFault: NonNullable<StreamFaults['push']>,
    of: Pick<OutgoingPush, 'connection' | 'uid'>,
  ): void {
    const push = pushOf(frame);
    if (push === undefined) {
      this.#write(frame);
      return;
    }
    const fault = findFault({ ...of, ...push });
    if (fault === undefined) {
      this.#write(frame);
      this.#release(push.topic);
    } else this.#applyFault(fault, frame, push.topic);
  }

  #applyFault({ kind, ms }: PushFault, frame: Buffer, topic: string): void {
    switch (kind) {
      case 'skip':
        return;
      case 'duplicate':
        this.#write(frame);
        this.#write(frame);
        return;
      case 'delay':
        setTimeout(() => this.#write(frame), ms).unref();
        return;
      case 'reorder':
        this.#held.set(topic, [frame, ...(this.#held.get(topic) ?? [])]);
    }
  }

  #release(topic: string): void {
    const held = this.#held.get(topic);
    if (held === undefined) return;
    this.#held.delete(topic);
    for (const frame of held) this.#write(frame);
  }
}

/** Undefined for frames that answer a message. */
function pushOf(frame: Buffer): Pick<OutgoingPush, 'topic' | 'symbol'> | undefined {
  const text = textOfFrame(frame);
  if (text?.startsWith(PUSH) !== true) return undefined;
  const { arg, data } = JSON.parse(text) as Pushed;
  return { topic: arg.topic, symbol: arg.symbol ?? arg.instId ?? data[0]?.symbol };
}
