/** Starts and closes listeners: with errors that the user can act on, and without cutting off responses. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Front } from '../../http/front.ts';
import { CannotStart } from '../exit-codes.ts';
import { urlOf } from './loopback.ts';
import { portOwner } from './port-owner.ts';

/** Time for running requests before their connections are closed. */
const REQUESTS_END_MS = 3000;

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Refuses an address that `listen` would refuse. Checked before any other work, because recovery may take long and a
 * first start leaves a data directory behind.
 */
export async function refuseTakenPort({ host, port }: Address, flag: string): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  try {
    const listening = once(probe, 'listening');
    probe.listen({ host, port });
    await listening;
  } catch (error) {
    throw cannotListen(host, port, flag, error as NodeJS.ErrnoException);
  }
  const closed = once(probe, 'close');
  probe.close();
  await closed;
}

/** Resolves with the URL of the listener; `flag` is the setting that chooses its port. */
export async function listen(
  front: Front,
  { host, port }: Address,
  flag: string,
  logger: Logger,
): Promise<string> {
  try {
    const taken = await front.listen({ host, port });
    // A connection that fails for want of a descriptor does not affect the others.
    front.server.on('error', (error) => logger.warn({ err: error }, 'a connection could not be taken'));
    return urlOf(host, taken);
  } catch (error) {
    throw cannotListen(host, port, flag, error as NodeJS.ErrnoException);
  }
}

function cannotListen(host: string, port: number, flag: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EADDRINUSE') {
    const holder = portOwner(port);
    const by = holder === undefined ? 'another program' : `process ${holder.pid} (${holder.command})`;
    return new CannotStart(
      `port ${port} on ${host} is in use by ${by}. Stop it, choose another with --${flag}, ` +
        `or take any free one with --${flag} 0.`,
    );
  }
  if (error.code === 'EACCES') {
    return new CannotStart(`port ${port} needs rights that this user does not have: choose one above 1023`);
  }
  return new CannotStart(`cannot listen on ${host}, port ${port}: ${error.message}`);
}

/** Closes a listener with what stands behind it. */
export async function closeFront(front: Front, behind: FastifyInstance): Promise<void> {
  const closed = front.close();
  await behind.close();
  const inTime = await Promise.race([closed.then(() => true), sleep(REQUESTS_END_MS, false, { ref: false })]);
  if (!inTime) front.closeAllConnections();
  await closed;
}
