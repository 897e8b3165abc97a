/**
 * Passphrases come with every request, yet a proper hash costs half a second. So each key's passphrase is verified
 * once by scrypt (`derivation-thread.ts`) and afterwards by a keyed MAC that lives only in this process. Guessing is
 * limited per key; the caller has already checked the signature, so only a holder of the secret can lock a key.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Derivation } from './derivation.ts';
import { DerivationThread } from './derivation-thread.ts';
import type { PassphraseVerdict } from './identity.ts';

export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** OWASP's minimum for scrypt, 128 MiB and about half a second. */
export const SCRYPT_COST: ScryptCost = { N: 2 ** 17, r: 8, p: 1 };

/** For published passphrases: no cost could protect them, and a start has several to check. */
export const PUBLISHED_SCRYPT_COST: ScryptCost = { N: 2 ** 10, r: 8, p: 1 };

/** For hashes that end with the process: there is no copy to guess from. */
export const TRANSIENT_SCRYPT_COST: ScryptCost = { N: 2 ** 4, r: 1, p: 1 };

export interface StoredPassphrase {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
  readonly cost: ScryptCost;
}

export const FAILURES_MAX = 10;
const FAILURE_WINDOW_MS = 60_000;
const LOCK_MS = 60_000;
/** One key cannot occupy the whole queue. */
const IN_FLIGHT_PER_KEY_MAX = 2;
const REMEMBERED_KEYS_MAX = 65_536;
const SALT_BYTES = 16;
/** The tag that is compared. */
const GIVEN_TAG = Buffer.alloc(44);

interface Guesses {
  count: number;
  windowEndsMs: number;
  lockedUntilMs: number;
}

export class PassphraseGuard {
  readonly #load: (apiKey: string) => StoredPassphrase | undefined;
  /** Cost of new hashes. */
  readonly cost: ScryptCost;
  readonly #derivation: Derivation;
  /** Called when guesses have locked a key. */
  readonly #locked: (apiKey: string, untilMs: number) => void;
  readonly #tagSecret = randomBytes(32).toString('base64');
  /** Bytes of the text. */
  readonly #goodTags = new Map<string, Buffer>();
  readonly #guesses = new Map<string, Guesses>();
  /** Running scrypt checks per key, by the tag of the passphrase: equal requests share one. */
  readonly #running = new Map<string, Map<string, Promise<PassphraseVerdict>>>();

  constructor(
    load: (apiKey: string) => StoredPassphrase | undefined,
    cost: ScryptCost = SCRYPT_COST,
    derivation: Derivation = new DerivationThread(),
    locked: (apiKey: string, untilMs: number) => void = () => {},
  ) {
    this.#locked = locked;
    this.#load = load;
    this.cost = cost;
    this.#derivation = derivation;
  }

  /**
   * The lock is checked before the cache: otherwise a locked key would still confirm right guesses, and the fast path
   * would let a guesser continue at full speed.
   */
  check(apiKey: string, passphrase: string, nowMs: number): PassphraseVerdict | Promise<PassphraseVerdict> {
    const guesses = this.#guesses.get(apiKey);
    if (guesses !== undefined && isAhead(guesses.lockedUntilMs, nowMs, LOCK_MS)) return 'locked';
    const tag = this.#tag(apiKey, passphrase);
    const good = this.#goodTags.get(apiKey);
    if (good === undefined) return this.#checkSlowly(apiKey, passphrase, tag, nowMs);
    GIVEN_TAG.write(tag, 'latin1');
    if (timingSafeEqual(good, GIVEN_TAG)) return 'ok';
    this.#countFailure(apiKey, nowMs);
    return 'wrong';
  }

  #checkSlowly(
    apiKey: string,
    passphrase: string,
    tag: string,
    nowMs: number,
  ): PassphraseVerdict | Promise<PassphraseVerdict> {
    const running = this.#running.get(apiKey) ?? new Map<string, Promise<PassphraseVerdict>>();
    const same = running.get(tag);
    if (same !== undefined) return same;
    if (running.size >= Math.min(IN_FLIGHT_PER_KEY_MAX, FAILURES_MAX - this.#failures(apiKey, nowMs)))
      return 'busy';

    const stored = this.#load(apiKey);
    if (stored === undefined) {
      this.#countFailure(apiKey, nowMs);
      return 'wrong';
    }
    const derived = this.#derivation.derive(passphrase, stored.salt, stored.cost);
    if (derived === 'busy') return 'busy';
    const verdict = derived
      .then((hash) => this.#conclude(apiKey, stored, hash, tag, nowMs))
      .finally(() => {
        running.delete(tag);
        if (running.size === 0) this.#running.delete(apiKey);
      });
    running.set(tag, verdict);
    this.#running.set(apiKey, running);
    return verdict;
  }

  #conclude(
    apiKey: string,
    stored: StoredPassphrase,
    hash: Uint8Array | undefined,
    tag: string,
    nowMs: number,
  ): PassphraseVerdict {
    if (hash === undefined) return 'busy';
    // The passphrase may have been changed, or the key deleted, meanwhile.
    const current = this.#load(apiKey);
    const stillCurrent = current !== undefined && Buffer.compare(current.hash, stored.hash) === 0;
    if (stillCurrent && hash.length === stored.hash.length && timingSafeEqual(hash, stored.hash)) {
      this.#remember(apiKey, tag);
      return 'ok';
    }
    this.#countFailure(apiKey, nowMs);
    return 'wrong';
  }

  /** Hashes a new passphrase; 'busy' when the queue is full. */
  async hash(passphrase: string, cost = this.cost): Promise<StoredPassphrase | 'busy'> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#derivation.derive(passphrase, salt, cost);
    return hash === 'busy' || hash === undefined ? 'busy' : { salt, hash, cost };
  }

  /** For a passphrase that this program has just chosen for the key. */
  seed(apiKey: string, passphrase: string): void {
    this.#remember(apiKey, this.#tag(apiKey, passphrase));
  }

  forget(apiKey: string): void {
    this.#goodTags.delete(apiKey);
    this.#guesses.delete(apiKey);
  }

  /** Another node has counted too many guesses. */
  lock(apiKey: string, untilMs: number): void {
    setBounded(this.#guesses, apiKey, { count: 0, windowEndsMs: untilMs, lockedUntilMs: untilMs });
  }

  async close(): Promise<void> {
    await this.#derivation.close();
  }

  /**
   * The tag never leaves this process, so a hash with a secret prefix serves as well as an HMAC, in half of the time. As
   * text: a digest in a buffer costs an allocation outside the heap.
   */
  #tag(apiKey: string, passphrase: string): string {
    return hash('sha256', `${this.#tagSecret}|${apiKey}|${passphrase}`, 'base64');
  }

  #remember(apiKey: string, tag: string): void {
    setBounded(this.#goodTags, apiKey, Buffer.from(tag, 'latin1'));
  }

  #failures(apiKey: string, nowMs: number): number {
    const guesses = this.#guesses.get(apiKey);
    return guesses !== undefined && isAhead(guesses.windowEndsMs, nowMs, FAILURE_WINDOW_MS)
      ? guesses.count
      : 0;
  }

  #countFailure(apiKey: string, nowMs: number): void {
    const count = this.#failures(apiKey, nowMs) + 1;
    const windowEndsMs =
      count === 1 ? nowMs + FAILURE_WINDOW_MS : (this.#guesses.get(apiKey)?.windowEndsMs ?? nowMs);
    const locks = count >= FAILURES_MAX;
    setBounded(this.#guesses, apiKey, {
      count: locks ? 0 : count,
      windowEndsMs,
      lockedUntilMs: locks ? nowMs + LOCK_MS : 0,
    });
    if (locks) this.#locked(apiKey, nowMs + LOCK_MS);
  }
}

/** A mark further ahead than its own span was set before the clock was moved back: it counts as passed. */
function isAhead(markMs: number, nowMs: number, spanMs: number): boolean {
  return markMs > nowMs && markMs - nowMs <= spanMs;
}

function setBounded<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  if (map.size >= REMEMBERED_KEYS_MAX) map.delete(map.keys().next().value!);
  map.set(key, value);
}
