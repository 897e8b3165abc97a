/**
 * Authenticates a request. The checks run in the order of wire 1.7 and stop at the first failure. Route existence and
 * rate limits are checked before; permissions are checked after (`permissions.ts`), because they depend on the route.
 * No message repeats a header's value: users paste secrets into wrong headers.
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import type { ApiKey, Credential, KeyDirectory, PassphraseVerdict, User } from '../../identity/identity.ts';
import { parseInteger } from '../wire/decimal.ts';
import type { WireCode } from '../wire/error-catalogue.ts';
import type { ReplayGuard, ReplayVerdict } from './replay-guard.ts';
import { type SigningKey, verifyLogin, verifyRequest } from './signature.ts';

export interface IncomingRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  /** Names and values alternating, as in `req.rawHeaders`: only here a repeated header is visible. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
  /** From `../limits/peer-address.ts`; undefined when it could not be established. */
  readonly peerAddress: string | undefined;
  /** By so much the exchange takes it to be later than it is; only the laboratory does. */
  readonly skewMs?: number;
}

/** The arguments of a WebSocket login frame (wire 1.5). */
export interface IncomingLogin {
  readonly apiKey: string;
  readonly passphrase: string;
  readonly timestamp: string | number;
  readonly sign: string;
  readonly peerAddress: string | undefined;
  /** As that of a request. */
  readonly skewMs?: number;
}

export interface Authenticated {
  readonly ok: true;
  readonly user: User;
  readonly key: ApiKey;
}

export interface Refused {
  readonly ok: false;
  readonly status: 400 | 429;
  readonly code: WireCode;
  readonly msg: string;
  readonly retryAfterMs?: number;
}

export type Authentication = Authenticated | Refused;

export const TIMESTAMP_WINDOW_MS = 30_000;
/** Logins send seconds or milliseconds (wire 1.5); below this value it is seconds. */
const LOGIN_SECONDS_BELOW = 100_000_000_000;
const TIMESTAMP_MAX = 9_999_999_999_999;
const LOCKED_RETRY_MS = 60_000;
const BUSY_RETRY_MS = 1_000;

/** An unknown key costs the same work as a known one, so that timing does not reveal which keys exist. */
const DUMMY_KEY: SigningKey = { kind: 'hmac', verifier: createSecretKey(randomBytes(32)) };

/**
 * The result is synchronous in the normal case; only the first use of a passphrase returns a promise. `nowMs` is real
 * time. An exchange on a scaled or manual clock reports another `serverTimeMs`, and clients that follow it sign with
 * that.
 */
export function authenticate(
  request: IncomingRequest,
  nowMs: number,
  keys: KeyDirectory,
  serverTimeMs = nowMs,
  replays?: ReplayGuard,
): Authentication | Promise<Authentication> {
  const headers = readHeaders(request.rawHeaders);
  if ('ok' in headers) return headers;
  const timestampMs = parseInteger(headers.timestamp, 0, TIMESTAMP_MAX);
  if (timestampMs === undefined) {
    return refuse('40005', 'header ACCESS-TIMESTAMP must be Unix time in milliseconds, digits only');
  }
  if (request.method === 'GET' && request.body.length > 0) {
    return refuse('40017', 'a GET request must not carry a body; put the parameters into the query');
  }
  const { apiKey, sign, timestamp, passphrase } = headers;
  const { method, url, body, peerAddress, skewMs = 0 } = request;
  const text = { timestamp, method, url, body };
  const signed = (key: SigningKey) => verifyRequest(key, text, sign);
  const signedText = 'timestamp, method, path, ?query and body';
  const presented = { apiKey, sign, passphrase, timestampMs, peerAddress, skewMs, signed, signedText };
  // A GET changes nothing, and clients repeat it when a connection breaks: replays of it are allowed.
  return verify(presented, nowMs, keys, serverTimeMs, method === 'GET' ? undefined : replays);
}

export function authenticateLogin(
  login: IncomingLogin,
  nowMs: number,
  keys: KeyDirectory,
  serverTimeMs = nowMs,
  replays?: ReplayGuard,
): Authentication | Promise<Authentication> {
  const { apiKey, sign, passphrase, peerAddress, skewMs = 0 } = login;
  const timestamp = String(login.timestamp);
  const value = parseInteger(timestamp, 0, TIMESTAMP_MAX);
  if (value === undefined) {
    return refuse('40005', 'login timestamp must be Unix time in seconds or milliseconds, digits only');
  }
  const timestampMs = value < LOGIN_SECONDS_BELOW ? value * 1_000 : value;
  const signed = (key: SigningKey) => verifyLogin(key, timestamp, login.sign);
  const signedText = 'the timestamp and GET/user/verify';
  return verify(
    { apiKey, sign, passphrase, peerAddress, timestampMs, skewMs, signed, signedText },
    nowMs,
    keys,
    serverTimeMs,
    replays,
  );
}

// Presented credentials

interface AuthHeaders {
  readonly apiKey: string;
  readonly sign: string;
  readonly timestamp: string;
  readonly passphrase: string;
}

/** In the order in which a missing one is reported. */
const AUTH_HEADERS = [
  { field: 'apiKey', name: 'ACCESS-KEY', code: '40001', content: 'the API key' },
  { field: 'sign', name: 'ACCESS-SIGN', code: '40003', content: 'the signature in Base64' },
  { field: 'timestamp', name: 'ACCESS-TIMESTAMP', code: '40005', content: 'Unix time in milliseconds' },
  { field: 'passphrase', name: 'ACCESS-PASSPHRASE', code: '40011', content: 'the passphrase of the API key' },
] as const;

const FIELD_OF_HEADER: ReadonlyMap<string, keyof AuthHeaders> = new Map(
  AUTH_HEADERS.map(({ name, field }) => [name.toLowerCase(), field]),
);

function readHeaders(rawHeaders: readonly string[]): AuthHeaders | Refused {
  const values = { apiKey: '', sign: '', timestamp: '', passphrase: '' };
  const counts = { apiKey: 0, sign: 0, timestamp: 0, passphrase: 0 };
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const field = FIELD_OF_HEADER.get(rawHeaders[index]!.toLowerCase());
    if (field === undefined) continue;
    values[field] = rawHeaders[index + 1]!;
    counts[field] += 1;
  }
  for (const { field, name, code, content } of AUTH_HEADERS) {
    if (counts[field] > 1) return refuse(code, `header ${name} occurs ${counts[field]} times; send it once`);
    if (values[field] === '')
      return refuse(code, `header ${name} is missing or empty; it must hold ${content}`);
  }
  return values;
}

// Verdict

interface Presented {
  readonly apiKey: string;
  readonly sign: string;
  readonly passphrase: string;
  readonly timestampMs: number;
  readonly peerAddress: string | undefined;
  readonly skewMs: number;
  readonly signed: (key: SigningKey) => boolean;
  /** The text that must be signed, for the message to a client that signed another. */
  readonly signedText: string;
}

function verify(
  presented: Presented,
  nowMs: number,
  keys: KeyDirectory,
  serverTimeMs: number,
  replays: ReplayGuard | undefined,
): Authentication | Promise<Authentication> {
  const credential = keys.findKey(presented.apiKey);
  if (credential === undefined) {
    presented.signed(DUMMY_KEY);
    return unknownKey();
  }
  const { timestampMs, skewMs } = presented;
  const late = timestampRefusal(timestampMs, nowMs + skewMs);
  if (late !== undefined && timestampRefusal(timestampMs, serverTimeMs + skewMs) !== undefined) return late;
  if (!presented.signed({ kind: credential.key.kind, verifier: credential.verifier })) {
    return signatureRefusal(credential, presented.signedText);
  }
  const verdict = keys.checkPassphrase(presented.apiKey, presented.passphrase, nowMs);
  if (typeof verdict === 'string') return conclude(credential, verdict, presented, nowMs, keys, replays);
  return verdict.then((answer) => {
    // The passphrase check may take half a second: rights removed in the meantime must not be granted.
    const current = keys.findKey(presented.apiKey);
    return current === undefined ? unknownKey() : conclude(current, answer, presented, nowMs, keys, replays);
  });
}

function conclude(
  credential: Credential,
  verdict: PassphraseVerdict,
  presented: Presented,
  nowMs: number,
  keys: KeyDirectory,
  replays: ReplayGuard | undefined,
): Authentication {
  const { key, user, ipList } = credential;
  const refused = PASSPHRASE_REFUSALS[verdict];
  if (refused !== undefined) return refused;
  if (!ipList.allowsAll && !ipList.contains(presented.peerAddress)) {
    return refuse(
      '40018',
      `address ${presented.peerAddress ?? '(unknown)'} is not on the IP list of this API key`,
    );
  }
  if (credential.frozen) {
    return user.mainUid === undefined
      ? refuse('40031', 'this account is frozen; ask the operator')
      : refuse('40068', 'this sub-account or its main account is frozen; the main account can unfreeze it');
  }
  const repeated = REPLAY_REFUSALS[replays?.check(key.apiKey, presented.sign, nowMs) ?? 'new'];
  if (repeated !== undefined) return repeated;
  keys.noteUse(key.apiKey, nowMs);
  return { ok: true, user, key };
}

const REPLAY_REFUSALS: Readonly<Record<ReplayVerdict, Refused | undefined>> = {
  new: undefined,
  repeated: refuse(
    '40008',
    'this signed request was received before, and the exchange takes each only once; sign again with the present time',
  ),
  full: {
    ok: false,
    status: 429,
    code: '429',
    msg: 'more signed requests than the exchange can tell apart; try again in a second',
    retryAfterMs: BUSY_RETRY_MS,
  },
};

const PASSPHRASE_REFUSALS: Readonly<Record<PassphraseVerdict, Refused | undefined>> = {
  ok: undefined,
  wrong: refuse(
    '40012',
    'the passphrase does not belong to this API key; it is the one set when the key was created',
  ),
  locked: {
    ok: false,
    status: 429,
    code: '429',
    msg: 'too many wrong passphrases for this API key; it is locked for one minute',
    retryAfterMs: LOCKED_RETRY_MS,
  },
  busy: {
    ok: false,
    status: 429,
    code: '429',
    msg: 'passphrase checks are busy; try again in a second',
    retryAfterMs: BUSY_RETRY_MS,
  },
};

/** The credentials are not wrong; the passphrase check was too busy to run. */
export function isBusy(verdict: Authentication): boolean {
  return verdict === PASSPHRASE_REFUSALS.busy;
}

function unknownKey(): Refused {
  return refuse('40037', 'the API key does not exist; check for a typing error or a deleted key');
}

function timestampRefusal(timestampMs: number, nowMs: number): Refused | undefined {
  const aheadMs = timestampMs - nowMs;
  if (Math.abs(aheadMs) <= TIMESTAMP_WINDOW_MS) return undefined;
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(3);
  const looksLikeSeconds = Math.abs(timestampMs * 1_000 - nowMs) <= TIMESTAMP_WINDOW_MS + 1_000;
  return refuse(
    '40008',
    `the timestamp is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} server time ${nowMs}; ` +
      `at most ${TIMESTAMP_WINDOW_MS / 1_000} s are allowed` +
      (looksLikeSeconds ? '; it looks like seconds, send milliseconds' : ''),
  );
}

const SIGNATURE_METHODS: Readonly<Record<ApiKey['kind'], string>> = {
  hmac: 'HMAC-SHA256 with the secret key',
  rsa: 'an RSA PKCS#1 v1.5 SHA-256 signature',
  ed25519: 'an Ed25519 signature',
};

function signatureRefusal(credential: Credential, signedText: string): Refused {
  const method = SIGNATURE_METHODS[credential.key.kind];
  return refuse('40009', `the signature does not match; it must be Base64 of ${method} over ${signedText}`);
}

export function refuse(code: WireCode, msg: string): Refused {
  return { ok: false, status: 400, code, msg };
}
