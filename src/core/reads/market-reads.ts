/** Prices that bound or measure orders, for readers outside the core. */
export { NIL } from '../book/order-slab.ts';
export { fundingRate, PremiumAverage } from '../marketdata/funding-rate.ts';
export { priceBand, referenceTicks } from '../orders/order-checks.ts';
