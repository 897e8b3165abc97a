/** Whether the other nodes have come to the state of this one, by what packs and rows of nodes tell (cluster 6.10). */
import type { Member } from './membership.ts';

export class StateComparison {
  /** By run: was its state, in the last pack that carried it, that of this node? */
  readonly #equalStates = new Map<number, boolean>();
  #disagreement: string | undefined;

  /** Set when nodes have come to different states and no majority says which is right. */
  get disagreement(): string | undefined {
    return this.#disagreement;
  }

  /** As a pack tells it: a node that is wrong stops before it sends more, without asking the database. */
  byPack(run: number, isEqual: boolean, others: readonly Member[]): Error | undefined {
    this.#equalStates.set(run, isEqual);
    if (isEqual) return undefined;
    const known = others.filter((member) => this.#equalStates.has(member.run));
    const differing = known.filter((member) => this.#equalStates.get(member.run) === false);
    return isMinority(differing, known) ? inMinority(differing) : undefined;
  }

  /** As the rows tell it: each node says what its state was after the last pack that it had applied. */
  byRows(others: readonly Member[], digestAfter: (no: number) => number | undefined): Error | undefined {
    const known = others.filter(({ applied }) => digestAfter(applied) !== undefined);
    const differing = known.filter(({ applied, digest }) => digestAfter(applied) !== digest);
    if (isMinority(differing, known)) return inMinority(differing);
    if (differing.length > 0 && differing.length === agreeing(differing, known))
      this.#disagreement ??= `nodes have come to different states (${namesOf(differing)} and this one) and no majority says which is right: only cancellations are taken until the operator has stopped the wrong one and started this one again`;
    return undefined;
  }
}

/** This node among them. */
const agreeing = (differing: readonly Member[], known: readonly Member[]) =>
  1 + known.length - differing.length;

const isMinority = (differing: readonly Member[], known: readonly Member[]) =>
  differing.length > agreeing(differing, known);

const namesOf = (members: readonly Member[]) => members.map(({ name }) => name).join(', ');

const inMinority = (differing: readonly Member[]) =>
  new Error(
    `this node has come to another state than most of the cluster (${namesOf(differing)}): it stops, and the others go on`,
  );
