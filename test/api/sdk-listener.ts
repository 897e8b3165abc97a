/** The SDK's socket clients as their users make them, and a way to wait for what they are told. */
import { WebsocketAPIClient, type WebsocketClientV3 } from 'bitget-api';
import type { DemoKeys } from '../harness/server.ts';
import type { Frame } from '../harness/stream-client.ts';

export const SILENT = { trace: () => {}, info: () => {}, error: () => {} };

export function socketSettings(url: string, path: string, keys?: DemoKeys) {
  return {
    wsUrl: `${url.replace('http', 'ws')}${path}`,
    ...(keys !== undefined && { apiKey: keys.apiKey, apiSecret: keys.secretKey, apiPass: keys.passphrase }),
  };
}

export function ordersOverSocket(url: string, keys: DemoKeys): WebsocketAPIClient {
  const options = { ...socketSettings(url, '/v3/ws/private', keys), attachEventListeners: false };
  const client = new WebsocketAPIClient(options, SILENT);
  Listener.alsoCloses(client.getWSClient());
  return client;
}

/** A client that keeps what it is told, and can be asked to wait for it. */
export class Listener {
  private static readonly open: WebsocketClientV3[] = [];
  readonly client: WebsocketClientV3;
  readonly heard: Frame[] = [];
  private wake: () => void = () => {};

  constructor(client: WebsocketClientV3) {
    this.client = client;
    Listener.open.push(client);
    for (const event of ['update', 'response', 'authenticated', 'exception'] as const) {
      client.on(event as 'update', (frame: Frame) => {
        this.heard.push({ ...frame, heardAs: event });
        this.wake();
      });
    }
  }

  /** Also of clients that only send orders. */
  static alsoCloses(client: WebsocketClientV3): void {
    Listener.open.push(client);
  }

  static closeAll(): void {
    for (const client of Listener.open.splice(0)) client.closeAll(true);
  }

  async until(fits: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    for (;;) {
      const found = this.heard.slice(from).find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

export const isPush = (topic: string) => (frame: Frame) =>
  frame.heardAs === 'update' && frame.arg.topic === topic;
