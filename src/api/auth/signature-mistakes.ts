/**
 * Which of the usual mistakes explains a signature that does not match. Each is tried by itself, against the received
 * request, and named only when the signature proves it. For the owner of the key alone: whoever is refused learns
 * nothing of this, neither from the answer nor from the time that it takes.
 */
import { DEMO_ACCOUNTS } from '../../identity/demo-accounts.ts';
import type { Identity } from '../../identity/identity.ts';
import type { SignatureFinding } from '../../inspector/traffic.ts';
import { parseBody } from '../wire/safe-json.ts';
import { loginPrehash, matches, type SignedText, type SigningKey } from './signature.ts';

/** A text that a client may have signed in place of the right one. */
interface Suspect extends SignatureFinding {
  readonly signed: string | Buffer;
}

/** Another key that the client may have signed with. */
export interface OtherKey {
  readonly name: string;
  readonly key: SigningKey;
}

const NO_BYTES = new Uint8Array(0);
const UNKNOWN: SignatureFinding = {
  part: 'unknown',
  text: 'none of the usual mistakes: compare the signed text, byte by byte, and the secret',
};

export function requestMistake(
  key: SigningKey,
  text: SignedText,
  signature: string,
  others: readonly OtherKey[],
): SignatureFinding {
  const { timestamp, method, url } = text;
  const body = Buffer.from(text.body);
  const right = Buffer.concat([Buffer.from(timestamp + method + url, 'latin1'), body]);
  return mistake(key, right, signature, others, () => requestSuspects(text, body));
}

export function loginMistake(
  key: SigningKey,
  timestamp: string,
  signature: string,
  others: readonly OtherKey[],
): SignatureFinding {
  const right = Buffer.from(loginPrehash(timestamp));
  return mistake(key, right, signature, others, () => loginSuspects(timestamp));
}

function mistake(
  key: SigningKey,
  right: Buffer,
  signature: string,
  others: readonly OtherKey[],
  suspects: () => Iterable<Suspect>,
): SignatureFinding {
  const { base64, encoding } = reading(signature);
  const isOf = (signing: SigningKey, text: string | Buffer) =>
    matches(signing, typeof text === 'string' ? Buffer.from(text) : text, NO_BYTES, base64);
  if (encoding !== '' && isOf(key, right)) {
    return { part: 'encoding', text: `the signature is sent ${encoding}; it must be Base64` };
  }
  for (const { part, text, signed } of suspects()) {
    if (isOf(key, signed)) return { part, text };
  }
  for (const { name, key: other } of others) {
    if (isOf(other, right)) return { part: 'secret', text: `it was signed with the secret of ${name}` };
  }
  return UNKNOWN;
}

/** The signature as Base64, and how it was written if that was otherwise. */
function reading(signature: string): { readonly base64: string; readonly encoding: string } {
  if (/^(?:[0-9a-f]{2})+$/i.test(signature) && signature.length >= 64)
    return { base64: Buffer.from(signature, 'hex').toString('base64'), encoding: 'as hexadecimal digits' };
  if (/%(?:2b|2f|3d)/i.test(signature))
    return { base64: decoded(signature), encoding: 'encoded as in an address' };
  const padded = Buffer.from(signature, 'base64').toString('base64');
  if (padded === signature) return { base64: signature, encoding: '' };
  return { base64: padded, encoding: 'as Base64 of addresses, or without its = at the end' };
}

function decoded(signature: string): string {
  try {
    return decodeURIComponent(signature);
  } catch {
    return signature;
  }
}

function* requestSuspects({ timestamp, method, url }: SignedText, body: Buffer): Generator<Suspect> {
  const [path = '', query = ''] = splitTarget(url);
  const bytes = (head: string, tail: Uint8Array | string = body) =>
    Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(tail)]);
  const head = timestamp + method;
  if (query !== '') {
    yield { part: 'query', text: 'the query was left out', signed: bytes(head + path) };
    yield {
      part: 'query',
      text: 'the ? before the query was left out',
      signed: bytes(head + path + query),
    };
  }
  if (body.length > 0) {
    yield { part: 'body', text: 'the body was left out', signed: bytes(head + url, '') };
    for (const { text, written } of rewritten(body))
      yield { part: 'body', text, signed: bytes(head + url, written) };
  }
  for (const prefix of ['/api/v3', '/api']) {
    if (url.startsWith(prefix))
      yield {
        part: 'path',
        text: `the path was signed without ${prefix}`,
        signed: bytes(head + url.slice(prefix.length)),
      };
  }
  yield {
    part: 'method',
    text: `the method was signed in lower case: ${method.toLowerCase()}`,
    signed: bytes(timestamp + method.toLowerCase() + url),
  };
  yield { part: 'method', text: 'the method was left out', signed: bytes(timestamp + url) };
  for (const { text, other } of otherTimes(timestamp))
    yield { part: 'timestamp', text, signed: bytes(other + method + url) };
}

function* loginSuspects(timestamp: string): Generator<Suspect> {
  const path = loginPrehash('').slice('GET'.length);
  yield {
    part: 'method',
    text: 'the method was signed in lower case: get',
    signed: `${timestamp}get${path}`,
  };
  for (const prefix of ['/api/v3', '/api'])
    yield {
      part: 'path',
      text: `the path was signed with ${prefix}; it is ${path}`,
      signed: `${timestamp}GET${prefix}${path}`,
    };
  yield {
    part: 'path',
    text: `the address of the stream was signed; it must be ${path}`,
    signed: `${timestamp}GET/v3/ws/private`,
  };
  for (const { text, other } of otherTimes(timestamp))
    yield { part: 'timestamp', text, signed: loginPrehash(other) };
}

function* otherTimes(timestamp: string): Generator<{ readonly text: string; readonly other: string }> {
  const sent = Number(timestamp);
  yield { text: 'the timestamp was left out', other: '' };
  yield { text: 'seconds were signed, and milliseconds sent', other: String(Math.floor(sent / 1_000)) };
  yield {
    text: 'seconds with decimals were signed, and milliseconds sent',
    other: String(sent / 1_000),
  };
  yield { text: 'milliseconds were signed, and seconds sent', other: String(sent * 1_000) };
  if (Number.isSafeInteger(sent) && sent < 8.64e15)
    yield {
      text: 'the time was signed as a date, and milliseconds sent',
      other: new Date(sent).toISOString(),
    };
}

/** The same JSON as programs write it: what is signed must be the text that is sent. */
function* rewritten(body: Buffer): Generator<{ readonly text: string; readonly written: string }> {
  // Within its limits: what is nested too deep would be too deep for the functions below.
  const parsed = parseBody(body);
  if (!parsed.ok) return;
  const { value } = parsed;
  const anew = (how: string) =>
    `the body was written anew between signing and sending (${how}): sign the text that is sent`;
  yield { text: anew('without spaces'), written: JSON.stringify(value) };
  yield { text: anew('with spaces behind commas and colons'), written: spaced(value) };
  const inOrder = sorted(value);
  yield { text: anew('with sorted names'), written: JSON.stringify(inOrder) };
  yield { text: anew('with sorted names and spaces'), written: spaced(inOrder) };
  yield { text: anew('indented'), written: JSON.stringify(value, undefined, 2) };
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    yield {
      text: 'the body was signed as a query: sign the JSON that is sent',
      written: new URLSearchParams(
        Object.entries(value).map(([name, each]): [string, string] => [
          name,
          typeof each === 'string' ? each : JSON.stringify(each),
        ]),
      ).toString(),
    };
}

/** As Python writes it. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${spaced(each)}`);
  return `{${fields.join(', ')}}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]));
}

function splitTarget(url: string): string[] {
  const question = url.indexOf('?');
  return question < 0 ? [url] : [url.slice(0, question), url.slice(question + 1)];
}

/** Keys whose secrets a client may have mixed up: those of the demo, which all know, and those of its own account. */
export function mistakableKeys(identity: Identity, apiKey: string): OtherKey[] {
  const uid = identity.findKey(apiKey)?.user.uid;
  const own = uid === undefined ? [] : identity.listKeys(uid);
  const named = [
    ...DEMO_ACCOUNTS.map(({ name, apiKey: other }) => ({ name: `demo account ${name}`, other })),
    ...own.map(({ apiKey: other }) => ({ name: `key ${other} of this account`, other })),
  ];
  return named.flatMap(({ name, other }) => {
    const found = other === apiKey ? undefined : identity.findKey(other);
    if (found === undefined || !(found.key.demo || found.user.uid === uid)) return [];
    return [{ name, key: { kind: found.key.kind, verifier: found.verifier } }];
  });
}
