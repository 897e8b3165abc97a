/**
 * Tells a sink of the frames of one socket (docs/inspector.md). Pushes of public topics and pings are counted and not
 * kept: they are many, and the same for everybody. Before a login the frames belong to the key that it names.
 */
import type { Identity } from '../../identity/identity.ts';
import { fieldsOf, itemsOf, textOf } from '../../inspector/entry-summary.ts';
import { RequestTimer } from '../../inspector/request-timer.ts';
import type { Direction, Party, SignatureFinding, TrafficSink } from '../../inspector/traffic.ts';
import type { Clock } from '../../sequencer/clock.ts';
import { partyOf } from '../auth/party.ts';
import { loginMistake, mistakableKeys } from '../auth/signature-mistakes.ts';
import type { Caller } from '../route.ts';
import { CONTROL } from './control.ts';
import { textOfFrame } from './frames.ts';

export interface SocketRecording {
  readonly traffic: TrafficSink;
  readonly identity: Identity;
  readonly wallClock: Clock;
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
const WRONG_SIGNATURE = `{"event":"error","code":${CONTROL.signatureInvalid.code},`;

/** A login that was not answered yet. */
interface Login {
  readonly party: Party;
  readonly timestamp: string;
  readonly sign: string;
}

/** What is known of a frame beside its text. */
interface Known {
  /** Whose it is without a login. */
  readonly party: Party | undefined;
  readonly finding?: SignatureFinding | undefined;
  readonly timer?: RequestTimer | undefined;
}

export class SocketRecorder {
  readonly #recording: SocketRecording;
  readonly #socket: OpenedSocket;
  readonly #openedMs: number;
  /** When the last frame came, by the clock of `performance`. */
  #receivedMs = 0;
  #login: Login | undefined;
  #publicPushes = 0;
  #pings = 0;
  #stalled = false;

  constructor(recording: SocketRecording, socket: OpenedSocket) {
    this.#recording = recording;
    this.#socket = socket;
    this.#openedMs = recording.wallClock.now();
  }

  received(bytes: Buffer, caller: Caller | undefined): void {
    this.#receivedMs = performance.now();
    const text = bytes.toString('utf8');
    if (text === 'ping') {
      this.#pings++;
      return;
    }
    if (LOGIN.test(text)) this.#login = this.#loginIn(text);
    this.#record('in', text, caller);
  }

  /** A timer that begins when the last frame was received. */
  timer(): RequestTimer {
    return new RequestTimer(performance.now() - this.#receivedMs);
  }

  /** A ping of the protocol. */
  pinged(): void {
    this.#pings++;
  }

  sent(frame: Buffer, caller: Caller | undefined, answers?: RequestTimer): void {
    if (caller === undefined && this.#login === undefined) return;
    const text = textOfFrame(frame);
    if (text === undefined || text === 'pong') return;
    if (text.startsWith(PUSH) && !PRIVATE_ARGUMENT.test(text.slice(0, ARGUMENT_END))) {
      this.#publicPushes++;
      return;
    }
    const login = this.#login;
    // A login ends with its answer; later frames without a login belong to no account.
    this.#login = undefined;
    if (login === undefined || !text.startsWith(WRONG_SIGNATURE)) {
      this.#record('out', text, caller, { party: login?.party, timer: answers });
      return;
    }
    // After the answer, whose time must not reveal which keys exist.
    setImmediate(() =>
      this.#record('out', text, caller, { party: login.party, finding: this.#mistakeOf(login) }),
    );
  }

  /** It was ended because its client did not read. */
  stalled(): void {
    this.#stalled = true;
  }

  closed(code: number, caller: Caller | undefined): void {
    const seconds = Math.round((this.#recording.wallClock.now() - this.#openedMs) / 1_000);
    const text = JSON.stringify({
      closed: code,
      seconds,
      pings: this.#pings,
      publicPushes: this.#publicPushes,
      stalled: this.#stalled,
    });
    this.#record('close', text, caller);
  }

  #record(
    direction: Direction,
    text: string,
    caller: Caller | undefined,
    { party: named, finding, timer }: Known = { party: this.#login?.party },
  ): void {
    const party = caller === undefined ? named : partyOf(caller);
    if (party === undefined) return;
    const { traffic, wallClock } = this.#recording;
    const tookMs = timer?.tookMs ?? 0;
    const atMs = wallClock.now();
    traffic.frame({ ...this.#socket, party, atMs, tookMs, direction, text, finding, steps: timer });
  }

  #loginIn(text: string): Login | undefined {
    const [{ apiKey, timestamp, sign } = {}] = itemsOf(fieldsOf(text).args);
    const credential = this.#recording.identity.findKey(textOf(apiKey));
    if (credential === undefined) return undefined;
    return { party: partyOf(credential), timestamp: textOf(timestamp), sign: textOf(sign) };
  }

  #mistakeOf({ party: { apiKey }, timestamp, sign }: Login): SignatureFinding | undefined {
    const { identity } = this.#recording;
    const credential = identity.findKey(apiKey);
    if (credential === undefined) return undefined;
    const key = { kind: credential.key.kind, verifier: credential.verifier };
    return loginMistake(key, timestamp, sign, mistakableKeys(identity, apiKey));
  }
}
