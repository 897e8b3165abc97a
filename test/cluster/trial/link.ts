/**
 * A way between two programs of this machine that can be cut as a network is: nothing arrives any more and nobody is told. What
 * was sent meanwhile arrives when it is mended, as TCP repeats it.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

const HOST = '127.0.0.1';

export class Link {
  readonly port: number;
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  /** Those who came while it was cut. */
  #callers: Socket[] = [];
  #isCut = false;

  private constructor(server: Server, port: number, target: number) {
    this.#server = server;
    this.port = port;
    this.#target = target;
    server.on('connection', (caller) => this.#take(caller));
  }

  /** To a port of this machine. */
  static async to(target: number): Promise<Link> {
    const server = createServer({ pauseOnConnect: true }).listen(0, HOST);
    await once(server, 'listening');
    server.unref();
    return new Link(server, (server.address() as { port: number }).port, target);
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
    const callers = this.#callers;
    this.#callers = [];
    for (const caller of callers) this.#join(caller);
  }

  close(): void {
    this.#server.close();
    for (const socket of [...this.#sockets, ...this.#callers]) socket.destroy();
  }

  #take(caller: Socket): void {
    caller.on('error', () => caller.destroy());
    if (this.#isCut) this.#callers.push(caller);
    else this.#join(caller);
  }

  #join(caller: Socket): void {
    const target = connect(this.#target, HOST);
    this.#pass(caller, target);
    this.#pass(target, caller);
    caller.resume();
  }

  /** By hand and not by `pipe`, which resumes by itself what was paused. */
  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes) => {
      if (to.destroyed) return;
      if (to.write(bytes)) return;
      from.pause();
      to.once('drain', () => {
        if (!this.#isCut) from.resume();
      });
    });
    from.on('error', () => {});
    from.once('close', () => {
      this.#sockets.delete(from);
      // The other end hears of it only where something can arrive.
      this.#whenMended(() => to.destroy());
    });
    from.once('end', () => this.#whenMended(() => to.end()));
  }

  #whenMended(act: () => void): void {
    if (!this.#isCut) {
      act();
      return;
    }
    const timer = setInterval(() => {
      if (this.#isCut) return;
      clearInterval(timer);
      act();
    }, 20);
    timer.unref();
  }
}
