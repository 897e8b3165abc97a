/** Exchanges that have begun from a snapshot of this one and run beside it. */
import { AdminError } from '../admin/admin-error.ts';
import { isOutOfSpace } from '../storage/shortage-errors.ts';
import type { Branches } from './branches.ts';
import { elapsedMs } from './elapsed.ts';
import { type Fork, type ForkRequest, type Host, type LabVenue, PortTaken } from './host.ts';
import type { SnapshotFacts } from './snapshot.ts';
import type { Snapshots } from './snapshots.ts';

export interface OpenFork extends Omit<Fork, 'close'> {
  readonly id: string;
  readonly from: string;
  readonly ms: number;
}

interface RunningFork {
  readonly facts: OpenFork;
  readonly branch: number;
  readonly close: () => Promise<void>;
}

export class Forks {
  readonly #host: Pick<Host<LabVenue>, 'fork'>;
  readonly #snapshots: Snapshots;
  readonly #branches: Branches;
  readonly #most: number;
  readonly #running = new Map<string, RunningFork>();
  #last = 0;

  constructor(host: Pick<Host<LabVenue>, 'fork'>, snapshots: Snapshots, branches: Branches, most: number) {
    this.#host = host;
    this.#snapshots = snapshots;
    this.#branches = branches;
    this.#most = most;
  }

  /** Name of a snapshot that only the next fork begins with. */
  get nextName(): string {
    return `.fork-${this.#last + 1}`;
  }

  get limitRefusal(): AdminError | undefined {
    if (this.#running.size < this.#most) return undefined;
    return new AdminError(
      'limit_reached',
      `${this.#running.size} forks run, at most ${this.#most}: end one, or start with --lab-forks`,
    );
  }

  async start(
    facts: SnapshotFacts,
    from: string,
    request: ForkRequest,
    began: number,
  ): Promise<OpenFork | AdminError> {
    const refusal = this.#snapshots.spaceRefusal(facts.bytes);
    if (refusal !== undefined) return refusal;
    const next = this.#branches.next(facts);
    const { branch } = next;
    this.#branches.add(next);
    const id = `fork-${++this.#last}`;
    let over = false;
    const ended = () => {
      over = true;
      this.#forget(id, branch);
    };
    try {
      const start = await this.#snapshots.begin(facts, branch);
      const { faults } = facts;
      const beginning = { ...start, ...(faults !== undefined && { faults }) };
      const { close, ...fork } = await this.#host.fork(beginning, request, ended);
      if (over) throw new Error('it has ended already');
      const opened = { ...fork, id, from, ms: elapsedMs(began) };
      this.#running.set(id, { facts: opened, branch, close });
      return opened;
    } catch (error) {
      this.#snapshots.dropBranch(branch);
      return forkRefusal(error as Error);
    }
  }

  all(): readonly OpenFork[] {
    return [...this.#running.values()].map(({ facts }) => facts);
  }

  async end(id: string): Promise<OpenFork | AdminError> {
    const fork = this.#running.get(id);
    if (fork === undefined) {
      const known = [...this.#running.keys()].join(', ') || 'none';
      return new AdminError('unknown_fork', `there is no fork ${id}; there are: ${known}`);
    }
    this.#running.delete(id);
    await fork.close();
    this.#snapshots.dropBranch(fork.branch);
    return fork.facts;
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.end(id)));
  }

  #forget(id: string, branch: number): void {
    this.#running.delete(id);
    this.#snapshots.dropBranch(branch);
  }
}

function forkRefusal(error: Error): AdminError {
  if (error instanceof PortTaken) return new AdminError('port_taken', error.message);
  if (isOutOfSpace(error)) return new AdminError('no_space', 'the disk is full: nothing was changed');
  return new AdminError('unavailable', `the fork could not be started: ${error.message}`);
}
