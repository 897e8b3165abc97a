/** Messages to a book, one column per field, so that reading them costs next to nothing. */

export const MessageKind = { limit: 0, ioc: 1, rpi: 2, cancel: 3, move: 4, reduce: 5 } as const;
export type MessageKind = (typeof MessageKind)[keyof typeof MessageKind];

export interface Flow {
  readonly name: string;
  readonly length: number;
  readonly newOrders: number;
  readonly kind: Uint8Array;
  /** The order's number, from 1: its own for a new order, the target's for the others. */
  readonly order: Int32Array;
  readonly side: Uint8Array;
  readonly priceTicks: Int32Array;
  readonly lots: Int32Array;
  readonly party: Int32Array;
  readonly retail: Uint8Array;
  readonly stpMode: Uint8Array;
}
