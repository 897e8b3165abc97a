/** A row of the operator's routes: parameters, response and, for a change, its entry in the audit log. */

import type { CommandSubmitter } from '../accounts/open-sub-account.ts';
import type { Command, Unstamped } from '../core/model/command.ts';
import type { CommandResult } from '../core/model/command-result.ts';
import { RejectReason } from '../core/model/reject-reason.ts';
import type { Identity } from '../identity/identity.ts';
import type { Recorder } from '../inspector/recorder.ts';
import type { HouseExposure } from '../reserves/house-exposure.ts';
import type { ReserveAudits } from '../reserves/reserve-audit.ts';
import type { ClockTicker } from '../sequencer/clock-ticker.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import type { MarketSimulator } from '../simulator/market-simulator.ts';
import type { Static, TSchema } from '../validation/schema.ts';
import { type AdminError, rejectedByCore } from './admin-error.ts';
import type { AuditLog } from './audit-log.ts';
import type { Access } from './authentication.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { ForcedCloses } from './forced-closes.ts';

/** Dependencies of the operator's routes. */
export interface AdminContext {
  readonly sequencer: Sequencer;
  readonly identity: Identity;
  readonly reserves: ReserveAudits;
  readonly exposure: HouseExposure;
  readonly ticker: ClockTicker;
  readonly sessions: ConsoleSessions;
  readonly forcedCloses: ForcedCloses;
  /** Undefined when the simulator is off. */
  readonly market: MarketSimulator | undefined;
  /** Where it runs instead, in a cluster. */
  readonly marketElsewhere?: string | undefined;
  /** Undefined while nothing is recorded. */
  readonly recorder: Recorder | undefined;
  /** Writes a snapshot of the present state. */
  readonly snapshot: () => Promise<void>;
  readonly health: () => Health;
  readonly load: () => Load;
  readonly settings: readonly SettingView[];
  readonly audit: Pick<AuditLog, 'last'>;
  /** The exchange runs with demo accounts; some test actions are allowed only then. */
  readonly demo: boolean;
  /** The exchange keeps nothing beyond its process. */
  readonly memory: boolean;
}

export interface Health {
  readonly version: string;
  /** Where users reach the exchange. */
  readonly url: string;
  readonly uptimeSeconds: number;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail?: string }[];
}

/** Use of the public port. */
export interface Load {
  /** Open sockets of the streams. */
  readonly sockets: number;
  /** Requests since the load was last asked for, and the time that 99 % of them took at most. */
  readonly requests: number;
  readonly p99Ms: number;
}

/** A setting as it is in force, and where it came from. */
export interface SettingView {
  readonly name: string;
  /** JSON. */
  readonly value: string;
  readonly from: string;
  readonly flag: string;
  readonly environment: string;
}

/** One action of one operator: its commands carry the reference of its line in the audit log. */
export class AuditedAction {
  readonly operator: string;
  readonly by: string;
  readonly #sequencer: Sequencer;
  #command: number | null = null;

  constructor(sequencer: Sequencer, operator: string, by: string) {
    this.#sequencer = sequencer;
    this.operator = operator;
    this.by = by;
  }

  /** Sequence number of the last command that was submitted; null when there was none. */
  get command(): number | null {
    return this.#command;
  }

  /** For services outside this folder, which submit commands of their own. */
  get submitter(): CommandSubmitter {
    return { state: this.#sequencer.state, submit: (command) => this.#submit(command) };
  }

  /** Submits a command in the operator's name; resolves when it is durable. */
  async submit(command: Unstamped<Command>): Promise<CommandResult | AdminError> {
    const result = await this.#submit(command);
    return result.rejectReason === RejectReason.none ? result : rejectedByCore(result);
  }

  #submit(command: Unstamped<Command>): Promise<CommandResult> {
    const before = this.#sequencer.appliedSeq;
    const signed: Unstamped<Command> & { readonly by: string } = { ...command, by: this.by };
    const result = this.#sequencer.submit(signed);
    if (this.#sequencer.appliedSeq > before) this.#command = before + 1;
    return result;
  }
}

export interface Call<Params, Query, Body> extends AdminContext {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly audited: AuditedAction;
}

type Answer<Data> = Data | AdminError | Promise<Data | AdminError>;

export interface Definition<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: `/admin/${string}` | `/lab/${string}`;
  readonly access?: Access;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answer: A;
  /** Set where a body may be larger than those of other routes. */
  readonly bodyBytesMax?: number;
  /** Name in the audit log; a row without one is a read. */
  readonly action?: string;
  /** Arguments for the audit log: an allow-list, so that no secret is recorded by mistake. */
  readonly auditArguments?: (call: {
    readonly params: Static<P>;
    readonly body: Static<B>;
  }) => Readonly<Record<string, unknown>>;
  /** Detail of a success for the audit log, such as the account or key that was affected. */
  readonly auditDetail?: (answer: Static<A>) => string;
  readonly handle: (call: Call<Static<P>, Static<Q>, Static<B>>) => Answer<Static<A>>;
}

export type OperatorRoute = Definition<TSchema, TSchema, TSchema, TSchema>;

/** Checks the types of one row against each other, then erases them for the table. */
export function operatorRoute<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema>(
  definition: Definition<P, Q, B, A>,
): OperatorRoute {
  return definition;
}
