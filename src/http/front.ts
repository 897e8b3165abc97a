/**
 * A listener that passes its requests to the server behind it. A revert of the laboratory puts another server there, by one
 * assignment; address and open connections stay. Requests that arrive during the change wait.
 */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

// An import would read every export of the module, and some of them load the client of HTTP and WebSockets behind `fetch`.
const { createServer } = process.getBuiltinModule('node:http');

/** How long a request waits for another server before it is refused. */
const WAIT_MS = 2000;
const SETTLED_STEP_MS = 5;

/** Limits that a server has got by its own set-up and that count where connections are accepted. */
const LIMITS = [
  'headersTimeout',
  'requestTimeout',
  'keepAliveTimeout',
  'timeout',
  'maxHeadersCount',
  'maxRequestsPerSocket',
  'maxConnections',
] as const satisfies readonly (keyof Server)[];

interface Address {
  readonly host: string;
  readonly port: number;
}

export interface FrontOptions {
  readonly http: ServerOptions;
  /** Limits of connections, for each server that accepts them. */
  readonly limit: (server: Server) => void;
  /** Answers a request that has waited too long. */
  readonly refuse: (response: ServerResponse) => void;
}

export class Front {
  readonly server: Server;
  readonly #options: FrontOptions;
  /** `localhost` may have two addresses. */
  readonly #others: Server[] = [];
  readonly #addresses = new Map<Server, Address>();
  #behind: Server | undefined;
  /** Undefined while requests pass. */
  #waiting: (() => void)[] | undefined;
  #inFlight = 0;
  #done = 0;

  /** One listener for the end of all responses. */
  readonly #closed: (this: ServerResponse) => void;

  constructor(options: FrontOptions) {
    this.#options = options;
    const answered = () => {
      this.#inFlight -= 1;
      this.#done += 1;
    };
    this.#closed = function (this: ServerResponse) {
      const { socket } = this.req;
      // The end of the connection may be what the client waits for.
      if (this.shouldKeepAlive || socket.destroyed) answered();
      else socket.once('close', answered);
    };
    this.server = this.#opened();
  }

  /** Everything from now on goes to this server; it must not listen itself. */
  serve(behind: Server): void {
    this.#behind = behind;
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#waiting?.length ?? 0;
  }

  /** Requests that are being answered, and those that were. */
  get traffic(): { readonly open: number; readonly done: number } {
    return { open: this.#inFlight, done: this.#done };
  }

  /** Requests wait from now on. */
  hold(): void {
    this.#waiting ??= [];
  }

  /** Passes the requests that waited to the present server. */
  release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const go of waiting) go();
  }

  /** Resolves when no more than `besides` requests are being answered; false when that takes too long. */
  async settled(besides: number): Promise<boolean> {
    for (let waited = 0; this.#inFlight > besides; waited += SETTLED_STEP_MS) {
      if (waited >= WAIT_MS) return false;
      await new Promise((resolve) => setTimeout(resolve, SETTLED_STEP_MS));
    }
    return true;
  }

  /** Resolves with the port. Throws as Node's `listen` does. */
  async listen({ host, port }: Address): Promise<number> {
    await this.#bind(this.server, { host, port });
    const { address, port: taken } = this.server.address() as AddressInfo;
    if (host === 'localhost') await this.#listenBeside(address, taken);
    return taken;
  }

  closeAllConnections(): void {
    for (const server of [this.server, ...this.#others]) server.closeAllConnections();
  }

  /** Accepts nothing more; resolves when every connection has ended, those at rest at once. */
  async close(): Promise<void> {
    this.release();
    const open = [this.server, ...this.#others].filter(({ listening }) => listening);
    await Promise.all(
      open.map((server) => {
        const closed = once(server, 'close');
        server.close();
        return closed;
      }),
    );
  }

  /** Listens again where it did before it was closed. */
  async reopen(): Promise<void> {
    for (const [server, address] of this.#addresses) {
      const listening = once(server, 'listening');
      server.listen(address);
      await listening;
    }
  }

  /** Behind another address of the same name, if it can be had. */
  async #listenBeside(taken: string, port: number): Promise<void> {
    for (const { address } of await lookup('localhost', { all: true })) {
      if (address === taken) continue;
      const server = this.#opened();
      const bound = await this.#bind(server, { host: address, port }).then(
        () => true,
        () => false,
      );
      if (bound) this.#others.push(server);
    }
  }

  async #bind(server: Server, address: Address): Promise<void> {
    this.#limitAs(server);
    const listening = once(server, 'listening');
    server.listen(address);
    await listening;
    const { port } = server.address() as AddressInfo;
    this.#addresses.set(server, { host: address.host, port });
  }

  #limitAs(server: Server): void {
    const limits = LIMITS.map((name) => [name, this.#behind![name]]);
    Object.assign(server, Object.fromEntries(limits));
    this.#options.limit(server);
  }

  #opened(): Server {
    const server = createServer(this.#options.http, (request, response) => this.#request(request, response));
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#pass(
        () => this.#behind!.emit('upgrade', request, socket, head),
        () => socket.destroy(),
      ),
    );
    server.on('clientError', (error: Error, socket: Socket) =>
      this.#behind!.emit('clientError', error, socket),
    );
    return server;
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    if (this.#waiting === undefined) this.#answer(request, response);
    else
      this.#pass(
        () => this.#answer(request, response),
        () => this.#options.refuse(response),
      );
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    // The client has gone while it waited: the end of its response was before.
    if (response.closed) return;
    this.#inFlight += 1;
    response.on('close', this.#closed);
    this.#behind!.emit('request', request, response);
  }

  #pass(go: () => void, tooLate: () => void): void {
    const waiting = this.#waiting;
    if (waiting === undefined) {
      go();
      return;
    }
    const late = setTimeout(() => {
      waiting.splice(waiting.indexOf(entry), 1);
      tooLate();
    }, WAIT_MS);
    const entry = () => {
      clearTimeout(late);
      go();
    };
    waiting.push(entry);
  }
}
