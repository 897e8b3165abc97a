/**
 * Frames as text and as bytes. Pushes are assembled from parts that many readers share: the data is serialised once,
 * the argument repeats each client's own fields (one client builds its keys from them, wire 5.2).
 */

export type Action = 'snapshot' | 'update';

/** The shared part of a push. */
export interface Push {
  readonly action: Action;
  /** JSON of the data array. */
  readonly data: string;
  readonly ts: number;
}

export function pushText({ action, data, ts }: Push, arg: string): string {
  return `{"action":"${action}","arg":${arg},"data":${data},"ts":${ts}}`;
}

/** Must not contain an `id`: one client would take it for the response to an order (wire rule 6). */
export function acknowledgement(event: 'subscribe' | 'unsubscribe', arg: string, connId: string): string {
  return `{"event":"${event}","arg":${arg},"connId":"${connId}"}`;
}

/** The code must be the number 0 (wire rule 4). */
export function loginText(connId: string): string {
  return `{"event":"login","code":0,"msg":"success","connId":"${connId}"}`;
}

export function errorText(code: number, msg: string, connId: string, arg?: string): string {
  const about = arg === undefined ? '' : `,"arg":${arg}`;
  return `{"event":"error","code":${code},"msg":${JSON.stringify(msg)}${about},"connId":"${connId}"}`;
}

/** The rejection of an order: a client finds its pending request by the id, and expects the code as text. */
export function tradeErrorText(id: string, code: string, msg: string, connId: string): string {
  return JSON.stringify({ event: 'error', id, code, msg, connId });
}

const FINAL_TEXT = 0x81;
const FINAL_PONG = 0x8a;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** One unmasked text frame (RFC 6455, 5.2). Readers with equal arguments get the same bytes. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < LENGTH_16 ? 2 : length < 2 ** 16 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = FINAL_TEXT;
  if (head === 2) {
    frame[1] = length;
  } else if (head === 4) {
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_64;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(length, 6);
  }
  frame.write(text, head, 'utf8');
  return frame;
}

/** The text of what `textFrame` has made; undefined for a pong. */
export function textOfFrame(frame: Buffer): string | undefined {
  if (frame[0] !== FINAL_TEXT) return undefined;
  const head = frame[1] === LENGTH_64 ? 10 : frame[1] === LENGTH_16 ? 4 : 2;
  return frame.toString('utf8', head);
}

/** The pong of a protocol ping, with its bytes: at most 125 (RFC 6455, 5.5). */
export function pongFrame(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([FINAL_PONG, bytes.length]), bytes]);
}
