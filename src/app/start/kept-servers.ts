/**
 * Servers that stay when the exchange behind them is left. Their routes take longer to set up than an exchange takes to open,
 * so the next exchange gets the server of the last one but one, with the schemas that it has compiled.
 */
import type { FastifyInstance } from 'fastify';

/** A server that is not ready yet. */
export interface BuiltServer {
  readonly app: FastifyInstance;
  /** Ends its sockets: the exchange behind it is left, or it closes. */
  readonly leave: () => void | Promise<void>;
}

interface KeptServer<Options extends object> extends BuiltServer {
  readonly change: Changeable<Options>['change'];
  inUse: boolean;
  closed: boolean;
}

/** Options that are looked up when they are used: those of another exchange may be put in their place. */
interface Changeable<Options extends object> {
  readonly options: Options;
  readonly change: (next: Options | undefined) => void;
}

function changeable<Options extends object>(first: Options): Changeable<Options> {
  const options: Record<string, unknown> = {};
  const isGetter = (name: string) => Object.getOwnPropertyDescriptor(options, name)?.get !== undefined;
  const put = (from: object) => {
    // A plain property stays one: every request looks up some of them.
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(from)))
      if (property.get !== undefined || isGetter(name)) Object.defineProperty(options, name, property);
      else options[name] = property.value;
  };
  put(first);
  const nothing = Object.fromEntries(Object.keys(first).map((name) => [name, undefined]));
  return { options: options as Options, change: (next) => put(next ?? nothing) };
}

export class KeptServers<Options extends object> {
  readonly #build: (options: Options) => Promise<BuiltServer>;
  readonly #servers = new WeakMap<FastifyInstance, KeptServer<Options>>();
  #free: KeptServer<Options> | undefined;

  /** What is built reads the options of the exchange at each use. */
  constructor(build: (options: Options) => Promise<BuiltServer>) {
    this.#build = build;
  }

  /** A server that serves with these options. */
  async acquire(options: Options): Promise<FastifyInstance> {
    const kept = this.#free;
    if (kept !== undefined) {
      this.#free = undefined;
      kept.change(options);
      kept.inUse = true;
      return kept.app;
    }
    const { options: lookedUp, change } = changeable(options);
    const { app, leave } = await this.#build(lookedUp);
    const server: KeptServer<Options> = { app, leave, change, inUse: true, closed: false };
    app.addHook('preClose', async () => {
      server.closed = true;
      if (server.inUse) await leave();
    });
    await app.ready();
    this.#servers.set(app, server);
    return app;
  }

  /** No request reaches it any more, and what it served with is forgotten. One that is closed stays closed. */
  async release(app: FastifyInstance): Promise<void> {
    const server = this.#servers.get(app)!;
    if (server.closed) return;
    await server.leave();
    server.inUse = false;
    if (this.#free !== undefined) await app.close();
    else {
      server.change(undefined);
      this.#free = server;
    }
  }

  async close(): Promise<void> {
    const { app } = this.#free ?? {};
    this.#free = undefined;
    await app?.close();
  }
}
