/**
 * Rate limits (wire 2.3): each endpoint counts per UID or per IP in windows of one second that open with the first
 * call; all calls of an IP together count per minute, and exceeding that limit blocks the IP for five minutes. Time
 * is a parameter, so limits also work on a virtual clock. Counters do not survive a restart.
 */
import { isIPv4 } from 'node:net';
import { normalizeAddress } from '../../identity/ip-list.ts';
import {
  type CounterName,
  FixedWindowCounters,
  type LimitResult,
  type WindowRule,
} from './fixed-window-counters.ts';

export type { LimitResult } from './fixed-window-counters.ts';

export interface RateLimitOptions {
  readonly rateLimits?: 'on' | 'off';
  /** Only clients of this machine can reach it. */
  readonly fewSources?: boolean;
}

const OVERALL_PER_MINUTE = 6_000;
export const OVERALL_BLOCK_MS = 300_000;
/** Cost of a failed authentication against the IP's overall limit, including the request itself. */
const FAILED_AUTHENTICATION_COST = 5;

/** wire 5.1. */
const HANDSHAKES_PER_WINDOW = 300;
const HANDSHAKE_WINDOW_MS = 300_000;

const ENDPOINT_WINDOW_MS = 1_000;
/**
 * A client that paces itself at the limit may begin the next second this much early. The pacing of ccxt is up to 50
 * ms early from its first call on, and network delay varies on top of that.
 */
const ENDPOINT_EARLY_MS = 100;
/** Calls that nodes of a cluster have admitted at the same moment are paid for by so much waiting at most. */
const ENDPOINT_DEBT_MS = 10_000;
const OVERALL_WINDOW_MS = 60_000;
const IP_SLOTS = 131_072;
const UID_SLOTS = 65_536;
const HANDSHAKE_SLOTS = 65_536;
/** Part of these tables for an exchange of few clients: 8 MB become an eighth. */
const FEW_SOURCES = 8;
/** The routes are a fixed table; more names than this means that a caller passes raw URLs. */
const ENDPOINTS_MAX = 1_024;

const IPV4_FAMILY = 4;
const IPV6_FAMILY = 6;
const UNKNOWN_SOURCE: CounterName = [0, 0, 0];

const OVERALL_RULE: WindowRule = {
  limit: OVERALL_PER_MINUTE,
  windowMs: OVERALL_WINDOW_MS,
  blockMs: OVERALL_BLOCK_MS,
};
const HANDSHAKE_RULE: WindowRule = { limit: HANDSHAKES_PER_WINDOW, windowMs: HANDSHAKE_WINDOW_MS };

function endpointRule(limit: number): WindowRule {
  return { limit, windowMs: ENDPOINT_WINDOW_MS, earlyMs: ENDPOINT_EARLY_MS, debtMs: ENDPOINT_DEBT_MS };
}

export class RateLimiter {
  readonly #on: boolean;
  readonly #overall: FixedWindowCounters;
  readonly #perIp: FixedWindowCounters;
  readonly #perUid: FixedWindowCounters;
  readonly #handshakes: FixedWindowCounters;
  readonly #endpointIds = new Map<string, number>();

  constructor(options: RateLimitOptions = {}) {
    this.#on = options.rateLimits !== 'off';
    const share = options.fewSources === true ? FEW_SOURCES : 1;
    this.#overall = new FixedWindowCounters(IP_SLOTS / share);
    this.#perIp = new FixedWindowCounters(IP_SLOTS / share);
    this.#perUid = new FixedWindowCounters(UID_SLOTS / share);
    this.#handshakes = new FixedWindowCounters(HANDSHAKE_SLOTS / share);
  }

  get bytes(): number {
    return this.#overall.bytes + this.#perIp.bytes + this.#perUid.bytes + this.#handshakes.bytes;
  }

  /** Counts every request, before any other work. */
  takeOverall(address: string | undefined, nowMs: number): LimitResult {
    return this.#takeOverall(address, nowMs, 1);
  }

  chargeFailedAuthentication(address: string | undefined, nowMs: number): void {
    this.chargeOverall(address, nowMs, FAILED_AUTHENTICATION_COST - 1);
  }

  /** Further cost of misuse, beyond the request itself. */
  chargeOverall(address: string | undefined, nowMs: number, cost: number): void {
    this.#takeOverall(address, nowMs, cost);
  }

  /** WebSocket handshakes of an address, in windows of five minutes. */
  takeHandshake(address: string | undefined, nowMs: number): LimitResult {
    if (!this.#on) return { allowed: true, remaining: HANDSHAKES_PER_WINDOW };
    return this.#handshakes.take(sourceOf(address), HANDSHAKE_RULE, nowMs);
  }

  #takeOverall(address: string | undefined, nowMs: number, cost: number): LimitResult {
    if (!this.#on) return { allowed: true, remaining: OVERALL_PER_MINUTE };
    return this.#overall.take(sourceOf(address), OVERALL_RULE, nowMs, cost);
  }

  /** Public endpoints. */
  takeForIp(endpoint: string, perSecond: number, address: string | undefined, nowMs: number): LimitResult {
    if (!this.#on) return { allowed: true, remaining: perSecond };
    const [high, low, family] = sourceOf(address);
    const name: CounterName = [high, low, family + this.#endpointId(endpoint) * 16];
    return this.#perIp.take(name, endpointRule(perSecond), nowMs);
  }

  /** Private endpoints; all keys and sockets of a user share one counter. */
  takeForUid(endpoint: string, perSecond: number, uid: number, nowMs: number): LimitResult {
    if (!this.#on) return { allowed: true, remaining: perSecond };
    return this.#perUid.take(this.#nameOf(endpoint, uid), endpointRule(perSecond), nowMs);
  }

  /** A call of the user that another node has admitted. */
  chargeForUid(endpoint: string, perSecond: number, uid: number, nowMs: number): void {
    if (this.#on) this.#perUid.charge(this.#nameOf(endpoint, uid), endpointRule(perSecond), nowMs);
  }

  #nameOf(endpoint: string, uid: number): CounterName {
    return [Math.floor(uid / 2 ** 32), uid >>> 0, this.#endpointId(endpoint)];
  }

  #endpointId(endpoint: string): number {
    let id = this.#endpointIds.get(endpoint);
    if (id === undefined) {
      if (this.#endpointIds.size >= ENDPOINTS_MAX)
        throw new Error(`more than ${ENDPOINTS_MAX} rate-limited endpoints`);
      id = this.#endpointIds.size + 1;
      this.#endpointIds.set(endpoint, id);
    }
    return id;
  }
}

/** An IPv4 address, or the /64 of an IPv6 address: one subscriber owns all of it. */
export function sourceOf(address: string | undefined): CounterName {
  const normal = address === undefined ? undefined : normalizeAddress(address);
  if (normal === undefined) return UNKNOWN_SOURCE;
  if (isIPv4(normal)) {
    const [a, b, c, d] = normal.split('.').map(Number);
    return [0, (a! << 24) | (b! << 16) | (c! << 8) | d!, IPV4_FAMILY];
  }
  const groups = firstFourGroups(normal);
  return [(groups[0]! << 16) | groups[1]!, (groups[2]! << 16) | groups[3]!, IPV6_FAMILY];
}

function firstFourGroups(address: string): number[] {
  const [left, right] = address.split('::');
  const leading = groupsOf(left!);
  if (leading.length >= 4 || right === undefined) return leading.slice(0, 4);
  const trailing = groupsOf(right);
  const gap = Array.from({ length: Math.max(0, 8 - leading.length - trailing.length) }, () => 0);
  return [...leading, ...gap, ...trailing].slice(0, 4);
}

function groupsOf(text: string): number[] {
  if (text === '') return [];
  // A dotted tail (`64:ff9b::1.2.3.4`) stands for the last two groups, which lie outside the /64.
  return text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
}
