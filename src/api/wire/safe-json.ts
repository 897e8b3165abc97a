/**
 * Parses body bytes into a JSON value that is safe to use. Size and depth are checked on the bytes, before any parser
 * sees them; the value is then copied into objects without inherited properties, so that no key of a client can be
 * mistaken for one. Batch sizes and field types are the routes' business.
 */
import { isUtf8 } from 'node:buffer';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

export type ParsedBody =
  | { readonly ok: true; readonly value: JsonObject | JsonValue[] }
  | { readonly ok: false; readonly code: '40017'; readonly msg: string };

export interface BodyLimits {
  readonly bytesMax: number;
  readonly depthMax: number;
  readonly keysPerObjectMax: number;
  readonly stringCharsMax: number;
}

/** reliability 3.3. */
export const BODY_LIMITS: BodyLimits = {
  bytesMax: 64 * 1024,
  depthMax: 4,
  keysPerObjectMax: 32,
  stringCharsMax: 128,
};

/** Keys with a meaning in JavaScript; no field of the API has such a name. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const POSITION = /at position ([0-9]{1,6})/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** An empty body is an empty object: several calls are sent without one. */
export function parseBody(bytes: Uint8Array, limits: BodyLimits = BODY_LIMITS): ParsedBody {
  if (bytes.length === 0) return { ok: true, value: emptyObject() };
  if (bytes.length > limits.bytesMax) {
    return refuse(`the body has ${bytes.length} bytes, at most ${limits.bytesMax} are allowed`);
  }
  if (isDeeperThan(bytes, limits.depthMax)) {
    return refuse(`the body nests more than ${limits.depthMax} levels of objects and arrays`);
  }
  if (!isUtf8(bytes)) return refuse('the body is not valid UTF-8');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  const parsed = parse(text);
  if ('fault' in parsed) return refuse(parsed.fault);
  if (typeof parsed.value !== 'object' || parsed.value === null) {
    return refuse('the body must be a JSON object or array');
  }
  // UTF-8 has no half of a surrogate pair, only an escape may be one. Asking every string would be a call into the runtime each.
  return sanitizeAll(parsed.value, { ...limits, escapes: text.includes('\\') });
}

/** Brackets inside strings do not count. Broken JSON may mislead the scan; the parser then rejects it. */
function isDeeperThan(bytes: Uint8Array, depthMax: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
    }
  }
  return false;
}

/** The parser's own message quotes the body, which may hold a passphrase; only the position is passed on. */
function parse(text: string): { readonly value: JsonValue } | { readonly fault: string } {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    const position = POSITION.exec(error instanceof Error ? error.message : '')?.[1];
    return {
      fault: `the body is not valid JSON${position === undefined ? '' : ` (at character ${position})`}`,
    };
  }
}

class Fault extends Error {}

interface Checks extends BodyLimits {
  /** Does the text have escapes? */
  readonly escapes: boolean;
}

/** The only place that uses an exception for an expected error: it leaves a recursion whose depth is limited. */
function sanitizeAll(value: JsonObject | JsonValue[], checks: Checks): ParsedBody {
  try {
    return { ok: true, value: sanitize(value, 'the body', checks) as JsonObject | JsonValue[] };
  } catch (error) {
    if (error instanceof Fault) return refuse(error.message);
    throw error;
  }
}

function sanitize(value: JsonValue, name: string, checks: Checks): JsonValue {
  if (typeof value === 'string') return checkedString(value, name, checks);
  if (typeof value === 'number') return checkedNumber(value, name);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => sanitize(item, `${name}[${index}]`, checks));
  const keys = Object.keys(value);
  if (keys.length > checks.keysPerObjectMax) {
    throw new Fault(`${name} has ${keys.length} fields, at most ${checks.keysPerObjectMax} are allowed`);
  }
  const copy = emptyObject();
  for (const key of keys) {
    if (FORBIDDEN_KEYS.has(key)) throw new Fault(`the field name ${key} is not allowed`);
    if (!isFine(key, checks)) checkedString(key, `a field name of ${name}`, checks);
    const field = value[key]!;
    // Names are made for those alone that may need them: nearly every field is a string that is right.
    copy[key] = isFine(field, checks) ? field : sanitize(field, `field ${key}`, checks);
  }
  return copy;
}

function isFine(value: JsonValue, { stringCharsMax, escapes }: Checks): boolean {
  return typeof value === 'string' && value.length <= stringCharsMax && (!escapes || value.isWellFormed());
}

function checkedString(value: string, name: string, checks: Checks): string {
  if (value.length > checks.stringCharsMax) {
    throw new Fault(`${name} has ${value.length} characters, at most ${checks.stringCharsMax} are allowed`);
  }
  if (!value.isWellFormed()) throw new Fault(`${name} contains half of a surrogate pair`);
  return value;
}

/** Beyond 2^53 the parser has rounded: an order id sent as a number would become another order's id. */
function checkedNumber(value: number, name: string): number {
  if (!Number.isFinite(value)) throw new Fault(`${name} is a number out of range`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new Fault(`${name} is a number too large to be exact; send it as a string`);
  }
  return value;
}

/**
 * An object that inherits nothing. Its prototype is empty and not missing: V8 keeps objects without a prototype as
 * hash tables, and every property access would cost several times as much.
 */
class NullProtoObject {
  [name: string]: JsonValue;
}
Reflect.deleteProperty(NullProtoObject.prototype, 'constructor');
Object.freeze(Object.setPrototypeOf(NullProtoObject.prototype, null));

function emptyObject(): JsonObject {
  return new NullProtoObject();
}

function refuse(msg: string): ParsedBody {
  return { ok: false, code: '40017', msg };
}
