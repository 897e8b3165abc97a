/** How many modifications of each order are not durable yet; a command says it for each of its orders. */
import type { AmendOrders, Undated, Unstamped } from '../core/model/command.ts';
import { openOrderId } from '../core/reads/reads.ts';
import type { State } from '../core/state/state.ts';

export class OutstandingAmends {
  readonly #counts = new Map<number, number>();

  /** The orders that a command modifies, by id, in the order of its items. */
  static ordersOf(state: State, { uid, items }: Unstamped<AmendOrders>): number[] {
    return items.map(({ orderId, clientOid }) => openOrderId(state, uid, orderId, clientOid));
  }

  /** The command with the number of each item; its own modifications are outstanding from now on. */
  add(unstamped: Unstamped<AmendOrders>, orderIds: readonly number[]): Undated<AmendOrders> {
    const items = unstamped.items.map((item, n) => {
      const orderId = orderIds[n]!;
      const outstanding = this.#counts.get(orderId) ?? 0;
      this.#counts.set(orderId, outstanding + 1);
      return { ...item, outstanding };
    });
    return { ...unstamped, items };
  }

  release(orderIds: readonly number[]): void {
    for (const orderId of orderIds) {
      const left = (this.#counts.get(orderId) ?? 1) - 1;
      if (left === 0) this.#counts.delete(orderId);
      else this.#counts.set(orderId, left);
    }
  }
}
