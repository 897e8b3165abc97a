/**
 * What the clients know, kept outside the server: each intent is written down before it is sent and each answer after
 * it came. Whatever the server says after a restart is judged by this alone (reliability 4, T4).
 */
import assert from 'node:assert/strict';

/** `unknown`: the connection broke before an answer; either may be true, but one of them must be. */
export type Answer = 'unknown' | 'done' | 'refused';

export interface Change {
  readonly kind: 'modify' | 'cancel';
  readonly price: string;
  readonly qty: string;
  answer: Answer;
}

export interface PlacedOrder {
  readonly account: string;
  readonly clientOid: string;
  readonly price: string;
  readonly qty: string;
  readonly changes: Change[];
  answer: Answer;
  orderId: string;
}

/** The fields of an order that the judgement needs. */
export interface OrderShown {
  readonly orderId: string;
  readonly clientOid: string;
  readonly price: string;
  readonly qty: string;
  readonly orderStatus: string;
}

export class OrderJournal {
  readonly orders: PlacedOrder[] = [];
  /** Orders touched since the last restart. */
  touched = new Set<PlacedOrder>();
  resolved = 0;

  intend(account: string, clientOid: string, price: string, qty: string): PlacedOrder {
    const order: PlacedOrder = {
      account,
      clientOid,
      price,
      qty,
      changes: [],
      answer: 'unknown',
      orderId: '',
    };
    this.orders.push(order);
    this.touched.add(order);
    return order;
  }

  intendChange(order: PlacedOrder, kind: Change['kind'], price = '', qty = ''): Change {
    const change: Change = { kind, price, qty, answer: 'unknown' };
    order.changes.push(change);
    this.touched.add(order);
    return change;
  }

  count(answer: Answer): number {
    const changes = this.orders.flatMap((order) => order.changes);
    return [...this.orders, ...changes].filter((intent) => intent.answer === answer).length;
  }

  /** Compares what the server shows of an order after a restart; what was unknown is known from then on. */
  judge(order: PlacedOrder, shown: OrderShown | undefined): void {
    const name = `${order.account} ${order.clientOid}`;
    if (order.answer === 'done') assert.ok(shown !== undefined, `LOST: order ${name} was acknowledged`);
    if (order.answer === 'refused')
      assert.ok(shown === undefined, `order ${name} was refused, yet it exists`);
    if (order.answer === 'unknown') {
      order.answer = shown === undefined ? 'refused' : 'done';
      this.resolved += 1;
    }
    if (shown === undefined) return;
    if (order.orderId !== '') assert.equal(shown.orderId, order.orderId, `order ${name} changed its id`);
    order.orderId = shown.orderId;
    this.#judgeCancels(order, shown, name);
    this.#judgeValues(order, shown, name);
  }

  #judgeCancels({ changes }: PlacedOrder, { orderStatus }: OrderShown, name: string): void {
    for (const change of changes) {
      if (change.kind !== 'cancel') continue;
      if (change.answer === 'done') {
        assert.equal(orderStatus, 'cancelled', `LOST: the cancellation of ${name} was acknowledged`);
      } else if (change.answer === 'unknown') {
        change.answer = orderStatus === 'cancelled' ? 'done' : 'refused';
        this.resolved += 1;
      }
    }
  }

  /** Price and quantity are those of the last change that surely happened, or of one after it that may have. */
  #judgeValues(order: PlacedOrder, shown: OrderShown, name: string): void {
    let possible = [{ price: order.price, qty: order.qty }];
    for (const { kind, price, qty, answer } of order.changes) {
      if (kind === 'cancel' || answer === 'refused') continue;
      possible = answer === 'done' ? [{ price, qty }] : [...possible, { price, qty }];
    }
    const found = possible.find(
      ({ price, qty }) => sameNumber(price, shown.price) && sameNumber(qty, shown.qty),
    );
    const wanted = possible.map(({ price, qty }) => `${qty} at ${price}`).join(' or ');
    assert.ok(found !== undefined, `LOST: order ${name} is ${shown.qty} at ${shown.price}, not ${wanted}`);
    for (const change of order.changes) {
      if (change.kind !== 'modify' || change.answer !== 'unknown') continue;
      change.answer =
        sameNumber(change.price, shown.price) && sameNumber(change.qty, shown.qty) ? 'done' : 'refused';
      this.resolved += 1;
    }
  }
}

function sameNumber(a: string, b: string): boolean {
  return units(a) === units(b);
}

/** Decimals as integers of 10^-8. */
export function units(text: string): bigint {
  const [, sign, whole, fraction = ''] =
    /^(-?)(\d+)(?:\.(\d{0,8}))?$/.exec(text) ?? assert.fail(`not a decimal: ${text}`);
  const value = BigInt(`${whole}${fraction.padEnd(8, '0')}`);
  return sign === '-' ? -value : value;
}
