/**
 * One WebSocket that is opened again whenever it closes, logs in where it must, and subscribes to everything that is
 * wanted at the time. Readers see a snapshot after each opening, so they need not know that there was a gap.
 */

export interface TopicArgument {
  readonly instType: string;
  readonly topic: string;
  readonly symbol?: string;
  readonly interval?: string;
}

export interface Push<Row> {
  readonly action: 'snapshot' | 'update';
  readonly data: readonly Row[];
  /** Unix milliseconds, by the clock of the exchange. */
  readonly ts: number;
  /** Rows that came too fast to be shown; only the inspector's stream has it. */
  readonly skipped?: number | undefined;
}

export type StreamState = 'connecting' | 'open' | 'restarting' | 'closed';

/** Fields besides these depend on the event. */
export interface StreamEvent {
  readonly event?: string;
  readonly code?: string | number;
  readonly msg?: string;
  readonly id?: unknown;
  readonly data?: unknown;
}

export interface StreamOptions {
  readonly url: string;
  /** Arguments of a login; without it the stream is public. */
  readonly login?: () => Promise<object>;
  readonly onState: (state: StreamState) => void;
  /** Each frame, before its reader. */
  readonly onFrame?: (ts: number) => void;
  /** The exchange is there, though it has nothing to say. */
  readonly onPong?: () => void;
  /** Answers that are no pushes, errors among them. */
  readonly onEvent?: (frame: StreamEvent) => void;
  readonly open?: (url: string) => WebSocket;
}

interface Reader {
  readonly argument: TopicArgument;
  readonly read: (push: Push<never>) => void;
}

const FIRST_WAIT_MS = 200;
/** Short enough that a page is whole again within three seconds of a restart. */
const LAST_WAIT_MS = 1_600;
/** So often that a quiet market can be told from a connection that is dead, as after a sleep of the computer. */
const PING_MS = 4_000;
const SILENCE_MS = 15_000;
const SERVICE_RESTART = 1012;
const LEAVING = '30033';

const keyOf = ({ instType, topic, symbol = '', interval = '' }: TopicArgument): string =>
  `${instType} ${topic} ${symbol} ${interval}`;

export class Stream {
  readonly #options: StreamOptions;
  readonly #readers = new Map<string, Reader>();
  /** Not yet asked for; sent together, because messages are counted. */
  readonly #pending = new Map<'subscribe' | 'unsubscribe', TopicArgument[]>();
  #socket: WebSocket | undefined;
  #ready = false;
  #stopped = false;
  #wait = FIRST_WAIT_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #ping: ReturnType<typeof setInterval> | undefined;
  #leaving = false;
  /** Unix milliseconds of this computer. */
  #heardAt = 0;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#open();
  }

  /** Returns the way to leave the topic again. */
  subscribe<Row>(argument: TopicArgument, read: (push: Push<Row>) => void): () => void {
    const key = keyOf(argument);
    const reader: Reader = { argument, read };
    this.#readers.set(key, reader);
    this.#ask('subscribe', argument);
    return () => {
      if (this.#readers.get(key) !== reader) return;
      this.#readers.delete(key);
      this.#ask('unsubscribe', argument);
    };
  }

  /** Asks for a new snapshot of a topic, after a gap in it. */
  renew(argument: TopicArgument): void {
    this.#ask('unsubscribe', argument);
    this.#ask('subscribe', argument);
  }

  /** Nothing while the stream is not open. */
  send(message: object): void {
    if (this.#ready) this.#socket?.send(JSON.stringify(message));
  }

  /** Leaves until `resume`; topics are kept. */
  pause(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  resume(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#open();
  }

  close(): void {
    this.#readers.clear();
    this.pause();
  }

  #open(): void {
    const { url, login, onState, open = (address) => new WebSocket(address) } = this.#options;
    onState(this.#leaving ? 'restarting' : 'connecting');
    const socket = open(url);
    this.#socket = socket;
    socket.onopen = () => {
      if (login === undefined) this.#begin();
      else
        void login().then((argument) => {
          if (socket.readyState === socket.OPEN)
            socket.send(JSON.stringify({ op: 'login', args: [argument] }));
        });
    };
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onclose = ({ code }) => {
      if (this.#socket === socket) this.#closed(code === SERVICE_RESTART);
    };
    socket.onerror = () => undefined;
  }

  #begin(): void {
    this.#ready = true;
    this.#leaving = false;
    this.#wait = FIRST_WAIT_MS;
    this.#options.onState('open');
    this.#pending.clear();
    for (const { argument } of this.#readers.values()) this.#ask('subscribe', argument);
    clearInterval(this.#ping);
    this.#heardAt = Date.now();
    this.#ping = setInterval(() => this.#askLife(), PING_MS);
  }

  /** A dead connection is left at once: its own end could take minutes. */
  #askLife(): void {
    const socket = this.#socket!;
    if (Date.now() - this.#heardAt <= SILENCE_MS) {
      socket.send('ping');
      return;
    }
    this.#socket = undefined;
    socket.close();
    this.#closed(false);
  }

  #closed(restart: boolean): void {
    this.#ready = false;
    clearInterval(this.#ping);
    if (this.#stopped) {
      this.#options.onState('closed');
      return;
    }
    this.#leaving ||= restart;
    this.#options.onState(this.#leaving ? 'restarting' : 'connecting');
    this.#retry = setTimeout(() => this.#open(), this.#wait * (0.75 + Math.random() / 4));
    this.#wait = Math.min(LAST_WAIT_MS, this.#wait * 2);
  }

  #receive(text: string): void {
    this.#heardAt = Date.now();
    if (text === 'pong') {
      this.#options.onPong?.();
      return;
    }
    const frame = JSON.parse(text) as {
      event?: string;
      code?: string | number;
      arg?: TopicArgument;
      action?: Push<never>['action'];
      data?: readonly never[];
      ts?: number | string;
      skipped?: number;
    };
    if (frame.event === 'login') {
      this.#begin();
      return;
    }
    if (frame.event === 'error' && String(frame.code) === LEAVING) this.#leaving = true;
    if (frame.event !== undefined) this.#options.onEvent?.(frame);
    if (frame.action === undefined || frame.arg === undefined) return;
    const ts = Number(frame.ts);
    this.#options.onFrame?.(ts);
    this.#readers.get(keyOf(frame.arg))?.read({
      action: frame.action,
      data: frame.data ?? [],
      ts,
      skipped: frame.skipped,
    });
  }

  #ask(op: 'subscribe' | 'unsubscribe', argument: TopicArgument): void {
    if (!this.#ready) return;
    if (this.#pending.size === 0) queueMicrotask(() => this.#send());
    const list = this.#pending.get(op);
    if (list === undefined) this.#pending.set(op, [argument]);
    else list.push(argument);
  }

  #send(): void {
    if (this.#ready)
      for (const op of ['unsubscribe', 'subscribe'] as const) {
        const args = this.#pending.get(op);
        if (args !== undefined) this.#socket?.send(JSON.stringify({ op, args }));
      }
    this.#pending.clear();
  }
}
