/** An order on the trading floor. */

import type { CommandResult } from '../../../src/core/model/command-result.ts';
import { CANCEL_REASON_NAMES, ORDER_STATUS_NAMES } from '../../../src/core/model/enums.ts';
import type { FillRecord, OrderRecord } from '../../../src/core/model/event.ts';
import type { Instrument } from '../../../src/core/model/instrument.ts';
import { RejectReason } from '../../../src/core/model/reject-reason.ts';
import type { ExchangeFloor } from './exchange-floor.ts';
import { money, priceText, qtyText, type RefusalName, refusalName } from './words.ts';

/** An order as its owner follows it: every property is how things stand now. */
export class Ticket {
  private readonly floor: ExchangeFloor;
  readonly instrument: Instrument;
  readonly outcome: CommandResult;

  constructor(floor: ExchangeFloor, instrument: Instrument, outcome: CommandResult) {
    this.floor = floor;
    this.instrument = instrument;
    this.outcome = outcome;
  }

  get orderId(): number {
    return this.outcome.orderId;
  }

  get rejectReason(): RefusalName {
    return refusalName(this.outcome.rejectReason);
  }

  /** Latest record; throws when the order was refused. */
  get record(): OrderRecord {
    const record = this.floor.record(this.orderId);
    if (record === undefined) throw new Error(`no order: ${this.rejectReason}`);
    return record;
  }

  /** In one line: `new 0/2`, `cancelled 1/3 stp_cancel`, `refused buyAboveBand`. */
  get stands(): string {
    if (this.outcome.rejectReason !== RejectReason.none) return `refused ${this.rejectReason}`;
    const wanted = this.record.quoteAmount === 0n ? `/${this.qty}` : '';
    return `${this.status} ${this.filled}${wanted} ${this.reason}`.trimEnd();
  }

  get status(): (typeof ORDER_STATUS_NAMES)[number] {
    return ORDER_STATUS_NAMES[this.record.status];
  }

  get reason(): string {
    return CANCEL_REASON_NAMES[this.record.cancelReason];
  }

  get price(): string {
    return priceText(this.instrument, this.record.priceTicks);
  }

  get qty(): string {
    return qtyText(this.instrument, this.record.sizeLots);
  }

  get filled(): string {
    return qtyText(this.instrument, this.record.filledLots);
  }

  get value(): string {
    return money(this.record.filledValue);
  }

  get fee(): string {
    return money(this.record.fee);
  }

  /** Its executions as `qty @ price role`, oldest first. */
  get fills(): string[] {
    return this.fillRecords.map(
      (fill) =>
        `${qtyText(this.instrument, fill.sizeLots)} @ ${priceText(this.instrument, fill.priceTicks)} ` +
        (fill.maker ? 'maker' : 'taker'),
    );
  }

  get fillRecords(): FillRecord[] {
    return this.floor.eventsOf('fill').flatMap(({ fill }) => (fill.orderId === this.orderId ? [fill] : []));
  }
}
