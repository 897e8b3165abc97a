/** One connection for trying: what goes out and comes in is shown as it is, newest first. */
import { signal } from '@preact/signals';
import { loginOf, type Signer } from '../wire/sign.ts';

export interface Frame {
  readonly id: number;
  readonly out: boolean;
  readonly at: number;
  readonly text: string;
}

const KEPT_MAX = 60;
const PING_MS = 20_000;

export class LiveSocket {
  readonly frames = signal<readonly Frame[]>([]);
  readonly state = signal<'closed' | 'connecting' | 'open'>('closed');
  /** Counts also the frames that are no longer kept. */
  readonly received = signal(0);
  #socket: WebSocket | undefined;
  #ping: ReturnType<typeof setInterval> | undefined;
  #lastId = 0;
  #pending: Frame[] = [];
  #painting = false;

  /** Opens a connection, logs in where a signer is given, then sends the text. */
  start(url: string, signer: Signer | undefined, text: string): void {
    this.stop();
    this.frames.value = [];
    this.received.value = 0;
    this.state.value = 'connecting';
    const socket = new WebSocket(url);
    this.#socket = socket;
    const begin = () => {
      this.state.value = 'open';
      this.#send(text);
    };
    socket.onopen = () => {
      if (signer === undefined) begin();
      else
        void loginOf(signer, Date.now()).then((login) =>
          this.#send(JSON.stringify({ op: 'login', args: [login] })),
        );
    };
    socket.onmessage = ({ data }) => {
      const frame = String(data);
      if (frame === 'pong') return;
      this.received.value += 1;
      this.#keep(false, frame);
      if (signer !== undefined && this.state.value === 'connecting' && frame.includes('"event":"login"'))
        begin();
    };
    socket.onclose = ({ code, reason }) => {
      if (this.#socket !== socket) return;
      this.#keep(false, `closed: ${code} ${reason}`.trim());
      this.#ended();
    };
    this.#ping = setInterval(() => socket.readyState === WebSocket.OPEN && socket.send('ping'), PING_MS);
  }

  stop(): void {
    const socket = this.#socket;
    this.#ended();
    socket?.close();
  }

  #ended(): void {
    this.#socket = undefined;
    clearInterval(this.#ping);
    this.state.value = 'closed';
  }

  /** What was signed is not shown. */
  #send(text: string): void {
    this.#socket?.send(text);
    this.#keep(true, text.replace(/"(sign|passphrase)":"[^"]*"/g, '"$1":"…"'));
  }

  /** A busy topic is painted once a frame of the screen. */
  #keep(out: boolean, text: string): void {
    this.#lastId += 1;
    this.#pending.unshift({ id: this.#lastId, out, at: Date.now(), text });
    if (this.#painting) return;
    this.#painting = true;
    requestAnimationFrame(() => {
      this.#painting = false;
      this.frames.value = [...this.#pending, ...this.frames.value].slice(0, KEPT_MAX);
      this.#pending = [];
    });
  }
}
