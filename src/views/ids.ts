/**
 * Ids as people see them. Inside, orders, fills and ledger lines share one increasing counter; outside, every id is a
 * decimal string of 19 digits, so that ids compare alike as text and as numbers.
 */
export { formatOrderId as formatId, parseOrderId as parseId } from '../core/model/order-id.ts';
