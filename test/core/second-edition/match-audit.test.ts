/** I50: under random commands and recorded ones no shortcut passes what the check at the match would not (rules 13.1). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Exchange } from '../../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../../src/core/engine/invariants.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { CancelReason, OrderStatus, TimeInForce } from '../../../src/core/model/enums.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { readRecording } from '../../golden/recording.ts';
import { SET_UP as FUTURES_SET_UP, FuturesFlow } from '../../property/futures-flow.ts';
import { MARGIN_SET_UP, MarginFlow } from '../../property/margin-flow.ts';

/** Counts what the check removed, and holds fill-or-kill orders to their promise. */
class Watch {
  removed = 0;
  killed = 0;

  see(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type !== 'order') continue;
      const { cancelReason, timeInForce, status, filledLots, orderId } = event.order;
      if (cancelReason === CancelReason.delegatedRiskOrder) this.removed++;
      if (timeInForce !== TimeInForce.fok || status !== OrderStatus.cancelled) continue;
      this.killed++;
      assert.equal(filledLots, 0, `the fill-or-kill order ${orderId} filled in part`);
    }
  }
}

class Audited {
  readonly watch = new Watch();
  readonly exchange = new Exchange();

  constructor() {
    const { state } = this.exchange;
    state.verifiesFillChecks = true;
    state.rules.restingRisk = true;
  }

  apply(command: Command): void {
    this.exchange.apply(command);
    this.watch.see(this.exchange.takeEvents());
  }

  /** So many commands of a flow, of which every tenth is followed by all other invariants. */
  follow(flow: { next(): Command }, commands: number): void {
    for (let n = 0; n < commands; n++) {
      this.apply(flow.next());
      if (n % 10 === 0) checkInvariants(this.exchange.state);
    }
  }
}

for (const name of ['margin', 'strategies']) {
  test(`I50: every match of the recorded commands of ${name}`, () => {
    const audited = new Audited();
    const recording = join(import.meta.dirname, '../../golden', `${name}.commands.gz`);
    for (const command of readRecording(recording)) if (command.type !== 'checkpoint') audited.apply(command);
    assert.ok(audited.watch.removed > 0 && audited.watch.killed > 0);
  });
}

const FLOWS = {
  futures: { setUp: FUTURES_SET_UP, flow: FuturesFlow },
  margin: { setUp: MARGIN_SET_UP, flow: MarginFlow },
};

for (const [name, { setUp, flow: Flow }] of Object.entries(FLOWS)) {
  test(`I50: every match of random commands of ${name}`, () => {
    let [removed, killed] = [0, 0];
    for (let seed = 1; seed <= 4; seed++) {
      const audited = new Audited();
      for (const command of setUp) audited.apply(command);
      audited.follow(new Flow(seed, audited.exchange.state), 700);
      removed += audited.watch.removed;
      killed += audited.watch.killed;
    }
    assert.ok(removed > 0 && killed > 0);
  });
}
