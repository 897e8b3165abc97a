/** The login of a connection, and its rights, which may change while it is open (wire 1.5, reliability 3). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallFault, CallFaults } from '../../http/call-faults.ts';
import type { Clock } from '../../sequencer/clock.ts';
import { type Authentication, authenticateLogin, isBusy } from '../auth/authenticate.ts';
import { checkPermission } from '../auth/permissions.ts';
import type { ReplayGuard } from '../auth/replay-guard.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { Services } from '../route.ts';
import type { Channels } from './channels.ts';
import type { Connection } from './connection.ts';
import { LOGIN_FAILURES } from './control.ts';
import { loginText } from './frames.ts';
import { LOGIN_PATIENCE_MS, LOGIN_RETRY_MS } from './limits.ts';
import type { Login } from './schemas.ts';
import { PRIVATE_TOPIC_NAMES, PRIVATE_TOPICS, privateKey } from './topic-request.ts';

/** The path that a login signs. */
const LOGIN_PATH = '/user/verify';
const SKEW: ReadonlySet<CallFault['kind']> = new Set(['skew']);

export interface LoginOptions extends Services {
  readonly wallClock: Clock;
  readonly limitClock?: Clock;
  readonly limiter: RateLimiter;
  /** Undefined when replays are not rejected. */
  readonly replays?: ReplayGuard | undefined;
  /** Undefined without a laboratory. */
  readonly faults?: CallFaults | undefined;
  readonly channels: Channels;
  /** False when the user has too many sockets. */
  readonly admitUser: (connection: Connection, uid: number) => boolean;
}

export class SessionAuth {
  private readonly options: LoginOptions;

  constructor(options: LoginOptions) {
    this.options = options;
  }

  login(connection: Connection, { args }: Login): void {
    if (connection.role === 'public') {
      connection.fail('loginFailed', 'log in at /v3/ws/private; this address serves public topics');
      return;
    }
    if (connection.loggingIn) {
      connection.fail('parameterWrong', 'a login is under way');
      return;
    }
    const { wallClock, clock, identity, replays } = this.options;
    const { apiKey, passphrase, timestamp, sign } = args[0]!;
    const skewMs = this.skewOf(apiKey);
    const presented = { apiKey, passphrase, timestamp, sign, peerAddress: connection.peer, skewMs };
    const check = () => authenticateLogin(presented, wallClock.now(), identity, clock.now(), replays);
    const verdict = check();
    if (!(verdict instanceof Promise) && !isBusy(verdict)) {
      this.finishLogin(connection, verdict);
      return;
    }
    connection.loggingIn = true;
    const failed = () => connection.fail('loginFailed', 'the login could not be checked; try again');
    retryWhileBusy(connection, verdict, check)
      .then((answer) => this.finishLogin(connection, answer), failed)
      .finally(() => {
        connection.loggingIn = false;
      });
  }

  /** By so much the clock of the exchange is wrong for this login. */
  private skewOf(apiKey: string): number {
    const findFault = this.options.faults?.call;
    if (findFault === undefined) return 0;
    const fault = findFault({ method: 'GET', path: LOGIN_PATH, apiKey, symbols: () => [], kinds: SKEW });
    return fault?.kind === 'skew' ? fault.ms : 0;
  }

  private finishLogin(connection: Connection, verdict: Authentication): void {
    if (!verdict.ok) {
      if (!isBusy(verdict))
        this.options.limiter.chargeFailedAuthentication(
          connection.peer,
          (this.options.limitClock ?? this.options.wallClock).now(),
        );
      connection.fail(LOGIN_FAILURES[verdict.code] ?? 'loginFailed', verdict.msg);
      return;
    }
    const { user, key } = verdict;
    if (connection.caller !== undefined && connection.caller.user.uid !== user.uid) {
      connection.fail('loginFailed', 'this connection belongs to another account');
      return;
    }
    if (connection.caller === undefined && !this.options.admitUser(connection, user.uid)) {
      connection.fail('overLimit', 'too many connections of this account');
      return;
    }
    connection.caller = { user, key };
    connection.send(loginText(connection.id));
    this.endForbidden(connection);
  }

  /** Ends subscriptions that the present rights no longer allow (reliability 3.3). */
  private endForbidden(connection: Connection): void {
    for (const topic of PRIVATE_TOPIC_NAMES) {
      const subscription = connection.subscriptions.get(privateKey(topic));
      const denied =
        subscription === undefined ? undefined : checkPermission(connection.caller!, PRIVATE_TOPICS[topic]);
      if (denied === undefined) continue;
      this.options.channels.unsubscribe(connection, privateKey(topic));
      connection.fail('permissionMissing', `the subscription has ended: ${denied.msg}`, subscription!.arg);
    }
  }

  /** False when rights were revoked, which ends the connection. Checked for every order and by the reaper. */
  isCurrent(connection: Connection): boolean {
    const { caller } = connection;
    if (caller === undefined) return true;
    const credential = this.options.identity.findKey(caller.key.apiKey);
    if (credential !== undefined && !credential.frozen && credential.key.version === caller.key.version) {
      // The rights that a broker grants its sub-account belong to the user, not to the key.
      if (credential.user !== caller.user) {
        connection.caller = { user: credential.user, key: credential.key };
        this.endForbidden(connection);
      }
      return true;
    }
    connection.fail('keyInvalid', 'the API key was changed, deleted or frozen; log in again');
    return false;
  }
}

/**
 * Clients that reconnect together have their passphrases checked one after another; a login that finds the check busy
 * waits.
 */
async function retryWhileBusy(
  connection: Connection,
  first: Authentication | Promise<Authentication>,
  check: () => Authentication | Promise<Authentication>,
): Promise<Authentication> {
  let verdict = await first;
  for (let waitedMs = 0; isBusy(verdict) && waitedMs < LOGIN_PATIENCE_MS; waitedMs += LOGIN_RETRY_MS) {
    await sleep(LOGIN_RETRY_MS);
    if (!connection.open) break;
    verdict = await check();
  }
  return verdict;
}
