/**
 * `/v3/ws/inspect`: what an account sent and got (docs/inspector.md). A client logs in as on the private stream, follows
 * `requests` and `mistakes`, and asks for single entries. Entries are sent together ten times a second at most, the
 * newest of them when they are too many: reading must not slow down trading.
 */
import type { KeyDirectory } from '../../../identity/identity.ts';
import { type Summary, summaryOf } from '../../../inspector/entry-summary.ts';
import type { Entry, Recorder } from '../../../inspector/recorder.ts';
import type { Party } from '../../../inspector/traffic.ts';
import type { Clock } from '../../../sequencer/clock.ts';
import { checkPermission } from '../../auth/permissions.ts';
import type { Caller } from '../../route.ts';
import type { Connection } from '../connection.ts';
import { acknowledgement } from '../frames.ts';
import { CONFLATE_ABOVE_BYTES } from '../limits.ts';
import { detailOf } from './entry-detail.ts';
import { type CommandExplanation, type ExplainCommand, explainedOf } from './explained.ts';
import { MistakeFeed } from './mistake-feed.ts';
import type { Mistake } from './mistakes.ts';

const PUSH_EVERY_MS = 100;
const ENTRIES_PER_PUSH_MAX = 500;
const TOPICS = ['requests', 'mistakes'] as const;
type Topic = (typeof TOPICS)[number];

interface Viewer {
  readonly topics: Map<Topic, string>;
  readonly leave: () => void;
  pending: Entry[];
  /** Entries that came too fast to be shown. */
  skipped: number;
  timer: NodeJS.Timeout | undefined;
  mistakes: MistakeFeed | undefined;
}

/**
 * A key sees its own requests; one that may read the account's management sees those of all keys of the account, and of
 * the sub-accounts of a main account.
 */
export function sees({ user, key }: Caller, entry: Party): boolean {
  if (entry.apiKey === key.apiKey) return true;
  if (checkPermission({ user, key }, 'mgt_read') !== undefined) return false;
  if (entry.uid === user.uid) return true;
  return entry.mainUid === user.uid && checkPermission({ user, key }, 'main_read') === undefined;
}

export class Inspector {
  private readonly recorder: Recorder;
  private readonly keys: KeyDirectory;
  private readonly wallClock: Clock;
  private readonly explainCommand: ExplainCommand | undefined;
  private readonly viewers = new Map<Connection, Viewer>();
  /** Connections that wait for an explanation: one at a time. */
  private readonly explaining = new Set<Connection>();

  /** `explain`: absent where there is no laboratory. */
  constructor(recorder: Recorder, keys: KeyDirectory, wallClock: Clock, explain?: ExplainCommand) {
    this.recorder = recorder;
    this.keys = keys;
    this.wallClock = wallClock;
    this.explainCommand = explain;
  }

  /** A message of a client that may have logged in. */
  handle(connection: Connection, { op, args, id }: { op?: unknown; args?: unknown; id?: unknown }): void {
    const { caller } = connection;
    if (caller === undefined) connection.fail('loginNeeded', 'log in first');
    else if (op === 'subscribe' || op === 'unsubscribe') this.topic(connection, op, args);
    else if (op === 'entry') this.entry(connection, caller, id);
    else if (op === 'explain') this.explain(connection, caller, id);
    else connection.fail('unknownOperation', 'op must be login, subscribe, unsubscribe, entry or explain');
  }

  leave(connection: Connection): void {
    const viewer = this.viewers.get(connection);
    if (viewer === undefined) return;
    this.viewers.delete(connection);
    clearTimeout(viewer.timer);
    viewer.mistakes?.stop();
    viewer.leave();
  }

  private topic(connection: Connection, op: 'subscribe' | 'unsubscribe', args: unknown): void {
    for (const argument of Array.isArray(args) ? (args.slice(0, TOPICS.length) as unknown[]) : []) {
      const name = (argument as { topic?: unknown } | null)?.topic;
      const topic = TOPICS.find((each) => each === name);
      if (topic === undefined) {
        connection.fail('unknownChannel', `topic must be one of ${TOPICS.join(', ')}`);
        continue;
      }
      const arg = JSON.stringify({ instType: 'UTA', topic });
      connection.send(acknowledgement(op, arg, connection.id));
      if (op === 'subscribe') this.follow(connection, topic, arg);
      else this.unfollow(connection, topic);
    }
  }

  private follow(connection: Connection, topic: Topic, arg: string): void {
    const viewer = this.viewers.get(connection) ?? this.open(connection);
    viewer.topics.set(topic, arg);
    if (topic === 'mistakes') {
      viewer.mistakes?.stop();
      viewer.mistakes = this.mistakesOf(connection, arg);
      return;
    }
    const first = this.recorder.newest(ENTRIES_PER_PUSH_MAX, (party) => sees(connection.caller!, party));
    this.push(connection, 'snapshot', arg, first.map(summaryOf), 0);
  }

  private unfollow(connection: Connection, topic: Topic): void {
    const viewer = this.viewers.get(connection);
    viewer?.topics.delete(topic);
    if (topic === 'mistakes') viewer?.mistakes?.stop();
    if (viewer?.topics.size === 0) this.leave(connection);
  }

  private open(connection: Connection): Viewer {
    const leave = this.recorder.listen((entry) => this.recorded(connection, entry));
    const viewer: Viewer = {
      topics: new Map(),
      leave,
      pending: [],
      skipped: 0,
      timer: undefined,
      mistakes: undefined,
    };
    this.viewers.set(connection, viewer);
    return viewer;
  }

  private mistakesOf(connection: Connection, arg: string): MistakeFeed {
    return new MistakeFeed({
      recorder: this.recorder,
      keys: this.keys,
      sees: (entry) => sees(connection.caller!, entry),
      push: (mistakes) => {
        if (connection.unsentBytes > CONFLATE_ABOVE_BYTES) return false;
        this.push(connection, 'snapshot', arg, mistakes, 0);
        return true;
      },
    });
  }

  private recorded(connection: Connection, entry: Entry): void {
    const viewer = this.viewers.get(connection)!;
    if (!viewer.topics.has('requests') || !sees(connection.caller!, entry)) return;
    if (viewer.pending.length >= 2 * ENTRIES_PER_PUSH_MAX) {
      viewer.pending = viewer.pending.slice(-ENTRIES_PER_PUSH_MAX);
      viewer.skipped += ENTRIES_PER_PUSH_MAX;
    }
    viewer.pending.push(entry);
    viewer.timer ??= setTimeout(() => this.flush(connection, viewer), PUSH_EVERY_MS);
  }

  private flush(connection: Connection, viewer: Viewer): void {
    // A reader that is slow gets what is newest once it has read.
    if (connection.unsentBytes > CONFLATE_ABOVE_BYTES) {
      viewer.timer = setTimeout(() => this.flush(connection, viewer), PUSH_EVERY_MS);
      return;
    }
    viewer.timer = undefined;
    // Rights may have changed since the entries came.
    const entries = viewer.pending.filter((entry) => sees(connection.caller!, entry));
    const shown = entries.slice(-ENTRIES_PER_PUSH_MAX);
    const skipped = viewer.skipped + entries.length - shown.length;
    viewer.pending = [];
    viewer.skipped = 0;
    const arg = viewer.topics.get('requests');
    if (arg !== undefined) this.push(connection, 'update', arg, shown.map(summaryOf), skipped);
  }

  private push(
    connection: Connection,
    action: 'snapshot' | 'update',
    arg: string,
    data: readonly Summary[] | readonly Mistake[],
    skipped: number,
  ): void {
    const ts = Math.round(this.wallClock.now());
    connection.send(
      `{"action":"${action}","arg":${arg},"data":${JSON.stringify(data)},"skipped":${skipped},"ts":${ts}}`,
    );
  }

  private entry(connection: Connection, caller: Caller, id: unknown): void {
    if (!Number.isSafeInteger(id)) {
      connection.fail('parameterWrong', 'id must be the number of an entry');
      return;
    }
    const found = this.recorder.find(id as number);
    // An entry of somebody else and one that is gone are answered alike.
    const data = found !== undefined && sees(caller, found) ? detailOf(found, this.keys) : null;
    connection.send(JSON.stringify({ event: 'entry', id, data }));
  }

  /** What the core weighed when it refused a request; an account sees its own side. */
  private explain(connection: Connection, caller: Caller, id: unknown): void {
    if (!Number.isSafeInteger(id)) {
      connection.fail('parameterWrong', 'id must be the number of an entry');
      return;
    }
    const reply = (data: CommandExplanation | null, msg: string) =>
      connection.send(JSON.stringify({ event: 'explain', id, data, msg }));
    const found = this.recorder.find(id as number);
    const { explainCommand } = this;
    if (explainCommand === undefined) reply(null, 'the laboratory is off: start with --lab on');
    else if (found === undefined || !sees(caller, found)) reply(null, 'there is no such entry');
    else if (found.commands.length === 0) reply(null, 'it did not come to the exchange: its steps say why');
    else if (this.explaining.has(connection)) reply(null, 'another one is being explained: ask again');
    else {
      this.explaining.add(connection);
      void explainedOf(found, explainCommand)
        .then(
          (answer) => (typeof answer === 'string' ? reply(null, answer) : reply(answer, '')),
          () => reply(null, 'it could not be explained'),
        )
        .finally(() => this.explaining.delete(connection));
    }
  }
}
