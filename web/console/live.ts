/** Figures of the running exchange, pushed each second, and the newest lines of the audit log. */
import { effect, signal } from '@preact/signals';
import { forget, revision, session } from './operator.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

export interface Figures {
  readonly time: number;
  readonly clock: 'wall' | 'scaled' | 'manual';
  /** Seconds of the exchange in a second. */
  readonly factor: number;
  /** Of the earliest perpetual. */
  readonly nextFunding: number | null;
  readonly demo: boolean;
  /** Null when the simulator is off. */
  readonly market: {
    readonly level: string;
    readonly seed: number;
    readonly agents: number;
    readonly running: number;
  } | null;
  readonly halted: boolean;
  readonly checks: readonly Check[];
  readonly applied: number;
  readonly undurable: number;
  readonly historyLag: number;
  readonly pendingWithdrawals: number;
  readonly accounts: number;
  readonly commandsPerSecond: number;
  readonly ordersPerSecond: number;
  readonly tradesPerSecond: number;
  readonly sockets: number;
  readonly requests: number;
  readonly p99Ms: number;
}

export interface AuditLine {
  readonly seq: number;
  readonly time: number;
  readonly operator: string;
  readonly action: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly outcome: string;
  readonly detail?: string;
  readonly of?: number;
  readonly command: number | null;
  readonly hash: string;
}

/** Five minutes. */
const KEPT = 300;
const RETRY_MS = 1_000;
const CLOSE_UNAUTHENTICATED = 4401;

export const figures = signal<Figures | undefined>(undefined);
export const past = signal<readonly Figures[]>([]);
export const connected = signal(false);

function watch(bearer: string): () => void {
  let ended = false;
  let socket: WebSocket;
  const open = () => {
    socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/admin/stream`);
    socket.onopen = () => socket.send(JSON.stringify({ bearer }));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as { type: string } & Figures;
      // Somebody has done something, perhaps elsewhere.
      if (message.type === 'audit') revision.value += 1;
      else {
        connected.value = true;
        figures.value = message;
        past.value = [...past.value, message].slice(-KEPT);
      }
    };
    socket.onclose = ({ code }) => {
      connected.value = false;
      if (ended) return;
      if (code === CLOSE_UNAUTHENTICATED) forget('The session has ended.');
      else setTimeout(open, RETRY_MS);
    };
  };
  open();
  return () => {
    ended = true;
    socket.close();
  };
}

effect(() => {
  const bearer = session.value?.bearer;
  if (bearer === undefined) return undefined;
  return watch(bearer);
});
