/** A client of `/v3/ws/inspect`. */
import { WebSocket } from 'ws';
import type { EntryDetail } from '../../src/api/ws/inspect/entry-detail.ts';
import type { Mistake } from '../../src/api/ws/inspect/mistakes.ts';
import type { Summary } from '../../src/inspector/entry-summary.ts';
import { assertDocumented } from '../harness/documented.ts';
import type { DemoKeys } from '../harness/server.ts';
import { loginFrame } from '../harness/stream-client.ts';
import { until } from '../harness/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
type Frame = any;

export class InspectClient {
  readonly frames: Frame[] = [];
  readonly ws: WebSocket;

  private constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('message', (data: Buffer) => {
      const frame: Frame = JSON.parse(data.toString());
      assertDocumented(frame, '/v3/ws/inspect');
      this.frames.push(frame);
    });
    ws.on('error', () => undefined);
  }

  static async open(url: string): Promise<InspectClient> {
    const client = new InspectClient(new WebSocket(`${url.replace('http', 'ws')}/v3/ws/inspect`));
    await new Promise((resolve, reject) => {
      client.ws.once('open', resolve);
      client.ws.once('unexpected-response', (_request, { statusCode }) => reject(new Error(`${statusCode}`)));
    });
    return client;
  }

  /** Logs in and follows the requests. */
  static async login(url: string, keys: DemoKeys): Promise<InspectClient> {
    const client = await InspectClient.open(url);
    client.send(loginFrame(keys));
    await client.next(({ event }) => event === 'login');
    client.send({
      op: 'subscribe',
      args: ['requests', 'mistakes'].map((topic) => ({ instType: 'UTA', topic })),
    });
    await client.next(({ action }) => action === 'snapshot');
    return client;
  }

  send(frame: unknown): void {
    this.ws.send(JSON.stringify(frame));
  }

  next(fits: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    return until('a frame', async () => this.frames.slice(from).find(fits));
  }

  /** Everything that was shown so far. */
  shown(): Summary[] {
    return this.frames.flatMap(({ action, arg, data }) => (action && arg.topic === 'requests' ? data : []));
  }

  summary(fits: (summary: Summary) => boolean): Promise<Summary> {
    return until('a request', async () => this.shown().find(fits));
  }

  /** A mistake of those that are shown at the end. */
  mistake(kind: string): Promise<Mistake> {
    return until('a mistake', async () => {
      const shown = this.frames.filter(({ arg, data }) => data && arg?.topic === 'mistakes').at(-1);
      return (shown?.data as Mistake[] | undefined)?.find((each) => each.kind === kind);
    });
  }

  async entry(id: number): Promise<EntryDetail | null> {
    const from = this.frames.length;
    this.send({ op: 'entry', id });
    return (await this.next((frame) => frame.event === 'entry' && frame.id === id, from)).data;
  }

  close(): void {
    this.ws.terminate();
  }
}
