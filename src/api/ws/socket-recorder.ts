/**
 * Tells a sink of the frames of one socket (docs/inspector.md). Pushes of public topics and pings are counted and not
 * kept: they are many, and the same for everybody. Before a login the frames belong to the key that it names.
 */
import type { KeyDirectory } from '../../identity/identity.ts';
import type { Direction, Party, TrafficSink } from '../../inspector/traffic.ts';
import type { Clock } from '../../sequencer/clock.ts';
import { partyOf } from '../auth/party.ts';
import type { Caller } from '../route.ts';
import { textOfFrame } from './frames.ts';

export interface SocketRecording {
  readonly traffic: TrafficSink;
  readonly keys: KeyDirectory;
  readonly wall: Clock;
}

/** The socket itself, as it was opened. */
export interface OpenedSocket {
  readonly connection: string;
  readonly path: string;
  readonly peer: string | undefined;
  readonly agent: string | undefined;
}

const PUSH = '{"action"';
/** An argument is at most so long, and stands first in a push. */
const ARGUMENT_END = 600;
const PRIVATE_ARGUMENT = /"instType":"UTA"/i;
const LOGIN = /"op"\s*:\s*"login"/;
const NAMED_KEY = /"apiKey"\s*:\s*"([^"\\]{1,128})"/;

export class SocketRecorder {
  readonly #recording: SocketRecording;
  readonly #socket: OpenedSocket;
  readonly #openedMs: number;
  /** Of the last login, before its answer. */
  #named: Party | undefined;
  #publicPushes = 0;
  #pings = 0;

  constructor(recording: SocketRecording, socket: OpenedSocket) {
    this.#recording = recording;
    this.#socket = socket;
    this.#openedMs = recording.wall.now();
  }

  received(bytes: Buffer, caller: Caller | undefined): void {
    const text = bytes.toString('utf8');
    if (text === 'ping') {
      this.#pings++;
      return;
    }
    if (LOGIN.test(text)) this.#named = this.#partyNamedIn(text);
    this.#tell('in', text, caller);
  }

  /** A ping of the protocol. */
  pinged(): void {
    this.#pings++;
  }

  sent(frame: Buffer, caller: Caller | undefined): void {
    if (caller === undefined && this.#named === undefined) return;
    const text = textOfFrame(frame);
    if (text === undefined || text === 'pong') return;
    if (text.startsWith(PUSH) && !PRIVATE_ARGUMENT.test(text.slice(0, ARGUMENT_END))) {
      this.#publicPushes++;
      return;
    }
    this.#tell('out', text, caller);
    // With its answer a login is over: whoever goes on without one has no account.
    this.#named = undefined;
  }

  closed(code: number, caller: Caller | undefined): void {
    const seconds = Math.round((this.#recording.wall.now() - this.#openedMs) / 1_000);
    const text = JSON.stringify({
      closed: code,
      seconds,
      pings: this.#pings,
      publicPushes: this.#publicPushes,
    });
    this.#tell('close', text, caller);
  }

  #tell(direction: Direction, text: string, caller: Caller | undefined): void {
    const party = caller === undefined ? this.#named : partyOf(caller);
    if (party === undefined) return;
    const { traffic, wall } = this.#recording;
    traffic.frame({ ...this.#socket, party, atMs: wall.now(), direction, text, finding: undefined });
  }

  #partyNamedIn(text: string): Party | undefined {
    const [, named] = NAMED_KEY.exec(text) ?? [];
    const credential = named === undefined ? undefined : this.#recording.keys.findKey(named);
    return credential && partyOf(credential);
  }
}
