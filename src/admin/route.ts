/** A row of the operator's table: what comes in, what goes out, and for a change what the audit log says about it. */
import type { Static, TSchema } from 'typebox';
import type { Command, Unstamped } from '../core/model/command.ts';
import type { CommandResult } from '../core/model/command-result.ts';
import { RejectReason } from '../core/model/reject-reason.ts';
import type { Identity, IdentityResult, NewUser, User } from '../identity/identity.ts';
import type { ReserveAudits } from '../reserves/reserve-audit.ts';
import type { ClockTicker } from '../sequencer/clock-ticker.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import type { MarketSimulator } from '../simulator/market-simulator.ts';
import { type AdminError, refusedByCore } from './admin-error.ts';

/** What the door's work is done with. */
export interface AdminContext {
  readonly sequencer: Sequencer;
  readonly identity: Identity;
  readonly reserves: ReserveAudits;
  readonly seconds: ClockTicker;
  /** Undefined when the market is off. */
  readonly market: MarketSimulator | undefined;
  /** Writes a snapshot of the present state. */
  readonly snapshot: () => Promise<void>;
  readonly openSub: OpenSub;
  readonly health: () => Health;
  /** The directory that holds the audit log. */
  readonly data: string;
  /** Runs with demo accounts: what is done to them is for trying out. */
  readonly demo: boolean;
}

/** Opens a sub-account as the public routes do it; commands go through the `submit` given. */
export type OpenSub = (
  components: { readonly sequencer: Pick<Sequencer, 'state' | 'submit'>; readonly identity: Identity },
  parentUid: number,
  user: NewUser,
) => Promise<IdentityResult<User>>;

export interface Health {
  readonly version: string;
  /** Where users reach the exchange. */
  readonly url: string;
  readonly uptimeSeconds: number;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail?: string }[];
}

/** One action of one operator. */
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

  /** Sequence number of the command that was given, null when none was. */
  get command(): number | null {
    return this.#command;
  }

  /** Submits a command in the operator's name; resolves when it is durable. */
  async give(command: Unstamped<Command>): Promise<CommandResult | AdminError> {
    const outcome = await this.submit(command);
    return outcome.rejectReason === RejectReason.none ? outcome : refusedByCore(outcome);
  }

  /** The same with the result as the core gives it. */
  submit(command: Unstamped<Command>): Promise<CommandResult> {
    const before = this.#sequencer.appliedSeq;
    const signed: Unstamped<Command> & { readonly by: string } = { ...command, by: this.by };
    const given = this.#sequencer.submit(signed);
    if (this.#sequencer.appliedSeq > before) this.#command = before + 1;
    return given;
  }
}

export interface Call<Params, Query, Body> extends AdminContext {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly deed: AuditedAction;
}

type Answer<Data> = Data | AdminError | Promise<Data | AdminError>;

export interface Definition<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: `/admin/${string}`;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answer: A;
  /** Name in the audit log; a row without one changes nothing. */
  readonly action?: string;
  /** What the audit log keeps of the arguments: an allow-list, so that no secret gets there by mistake. */
  readonly recorded?: (call: {
    readonly params: Static<P>;
    readonly body: Static<B>;
  }) => Readonly<Record<string, unknown>>;
  /** What the audit log says of a success: which account or key it was in the end. */
  readonly told?: (answer: Static<A>) => string;
  readonly handle: (call: Call<Static<P>, Static<Q>, Static<B>>) => Answer<Static<A>>;
}

export type OperatorRoute = Definition<TSchema, TSchema, TSchema, TSchema>;

/** Keeps the types of one row together, then forgets them for the table. */
export function operatorRoute<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema>(
  definition: Definition<P, Q, B, A>,
): OperatorRoute {
  return definition as unknown as OperatorRoute;
}
