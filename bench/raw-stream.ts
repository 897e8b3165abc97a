/**
 * A client end of a socket that does as little as possible: frames are counted or handed over as text, and what is sent
 * has a mask of zeros. A benchmark should measure the server, not a client library.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const PING = 0x89;
const CLOSE = 0x88;
const NO_MASK = [0, 0, 0, 0];

export interface RawAddress {
  readonly port: number;
  readonly path: string;
  readonly localAddress?: string;
}

export class RawStream {
  readonly socket: Socket;
  readonly opened: Promise<void>;
  open = true;
  private readonly onFrame: (length: number, text: string) => void;
  private readonly wantsText: boolean;
  private upgraded: (() => void) | undefined;
  private rest: Buffer = Buffer.alloc(0);
  private skip = 0;

  /** The text is only made for a listener that takes two arguments. */
  constructor({ port, path, localAddress }: RawAddress, onFrame: (length: number, text: string) => void) {
    this.onFrame = onFrame;
    this.wantsText = onFrame.length > 1;
    this.opened = new Promise((resolve) => {
      this.upgraded = resolve;
    });
    this.socket = connect({ host: '127.0.0.1', port, localAddress });
    this.socket.setNoDelay(true);
    this.socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    );
    this.socket.on('data', (chunk) => this.take(chunk));
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.open = false;
    });
  }

  send(text: string): void {
    const payload = Buffer.from(text);
    const { length } = payload;
    const head = length < 126 ? [0x81, 0x80 | length] : [0x81, 0xfe, length >> 8, length & 255];
    this.socket.write(Buffer.concat([Buffer.from([...head, ...NO_MASK]), payload]));
  }

  private take(chunk: Buffer): void {
    let bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    this.rest = Buffer.alloc(0);
    if (this.upgraded !== undefined) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) {
        this.rest = bytes;
        return;
      }
      bytes = bytes.subarray(end + 4);
      this.upgraded();
      this.upgraded = undefined;
    }
    for (let at = 0; at < bytes.length; ) {
      if (this.skip > 0) {
        const step = Math.min(this.skip, bytes.length - at);
        this.skip -= step;
        at += step;
        continue;
      }
      const left = bytes.length - at;
      const short = left < 2 ? 127 : bytes[at + 1]! & 127;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (left < head) {
        this.rest = bytes.subarray(at);
        return;
      }
      const length =
        short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUInt32BE(at + 6);
      if (this.wantsText && left < head + length) {
        this.rest = bytes.subarray(at);
        return;
      }
      if (bytes[at] === PING) this.socket.write(Buffer.from([0x8a, 0x80, ...NO_MASK]));
      else if (bytes[at] !== CLOSE)
        this.onFrame(length, this.wantsText ? bytes.toString('latin1', at + head, at + head + length) : '');
      at += head;
      this.skip = length;
    }
  }
}
