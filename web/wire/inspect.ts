/** What `/v3/ws/inspect` tells, and a recorded call as one that can be written as a program or sent again. */
import type { Call } from './client.ts';

export interface RequestRow {
  readonly id: number;
  readonly ts: number;
  readonly kind: 'http' | 'ws';
  readonly uid: string;
  readonly apiKey: string;
  readonly agent: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string;
  readonly msg: string;
  readonly ms: number;
  readonly about: string;
  readonly refused: boolean;
  /** Sequence numbers. */
  readonly commands: readonly number[];
}

/** Milliseconds before each step; null where it was not taken. */
export interface StepTimes {
  readonly parse: number | null;
  readonly authenticate: number | null;
  readonly apply: number | null;
  readonly durable: number | null;
  readonly answer: number;
}

export interface Why {
  readonly steps: readonly { readonly name: string; readonly verdict: 'ok' | 'no' | 'not reached' }[];
  readonly means: string;
  readonly value: string;
  readonly bound: string;
  readonly right: string;
  readonly core: boolean;
  readonly again: string;
}

/** What the exchange weighed, as the laboratory explains it. */
export interface Explained {
  readonly verdict: string;
  readonly checks: readonly {
    readonly check: string;
    readonly rule: string;
    readonly inputs: Readonly<Record<string, string>>;
    readonly bound: string;
    readonly verdict: 'passed' | 'refused' | 'not reached';
  }[];
  readonly rightWouldBe: string;
}

export interface RequestDetail extends RequestRow {
  readonly target: string;
  readonly peer: string;
  readonly timestamp: string;
  readonly body: string;
  readonly answer: string;
  readonly base: string;
  readonly left: number | null;
  readonly connection: string;
  readonly times: StepTimes | null;
  readonly why: Why;
}

export interface Mistake {
  readonly kind: string;
  readonly subject: string;
  readonly advice: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

export type Written = Pick<Call, 'method' | 'path' | 'query' | 'body' | 'signed'>;

const INTERFACE = '/api/v3/';
const PUBLIC = /^\/api\/v3\/(?:market|public)\//;

/** Undefined for frames of sockets, and for a request that no program would send: a body that is no JSON. */
export function writtenOf({ kind, method, target, body }: RequestDetail): Written | undefined {
  if (kind !== 'http' || (method !== 'GET' && method !== 'POST')) return undefined;
  const [path = '', search = ''] = target.split('?', 2);
  if (!path.startsWith(INTERFACE)) return undefined;
  const sent = body === '' ? undefined : objectIn(body);
  if (body !== '' && sent === undefined) return undefined;
  const query = Object.fromEntries(new URLSearchParams(search));
  // A private call may come without a body: {} says the same and programs can send it.
  const given = method === 'POST' ? (sent ?? {}) : undefined;
  return { method, path, query, body: given, signed: PUBLIC.test(path) ? '' : 'yes' };
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

export interface Filter {
  readonly kind: 'all' | 'http' | 'ws';
  readonly refusedOnly: boolean;
  /** A part of the path, the code or of what it is about. */
  readonly text: string;
}

export function fits(row: RequestRow, { kind, refusedOnly, text }: Filter): boolean {
  if (kind !== 'all' && row.kind !== kind) return false;
  if (refusedOnly && !row.refused) return false;
  const sought = text.trim().toLowerCase();
  return sought === '' || `${row.path} ${row.code} ${row.about}`.toLowerCase().includes(sought);
}
