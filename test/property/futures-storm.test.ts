/**
 * Nothing but jumps of up to a fifth on thin books: thousands of liquidations and deleveragings, hundreds of payments of
 * the insurance fund, all invariants after every command, and clearing sums of exactly zero when nobody holds anything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/exchange.ts';
import { checkInvariants } from '../../src/core/invariants.ts';
import { Bucket, SystemAccount } from '../../src/core/ledger.ts';
import { OrderKind } from '../../src/core/terms.ts';
import { PositionAudit } from '../core/position-audit.ts';
import { FuturesFlow, SET_UP, UIDS } from './futures-flow.ts';

const SEEDS = 90;
const COMMANDS = 500;
const ALWAYS = 1;
const ONE = 10n ** 8n;

test('a storm: thousands of forced closes, and nothing is lost, created or left due', () => {
  const kinds = new Map<OrderKind, number>();
  let insured = 0;
  let emptied = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const exchange = new Exchange();
    const { state } = exchange;
    const audit = new PositionAudit(state, assert.fail);
    const apply = (command: Parameters<Exchange['apply']>[0]): void => {
      exchange.apply(command);
      const events = exchange.takeEvents();
      audit.observe(events);
      for (const event of events) {
        if (event.type === 'ledgerLine' && event.kind === 'liquidation' && event.amount > 0n) insured++;
        const kind = event.type === 'fill' ? event.fill.futures!.kind : OrderKind.user;
        if (kind !== OrderKind.user) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      }
    };
    for (const command of SET_UP) apply(command);
    // Every second venue has a fund that can pay for long; on the others the other side has to.
    if (seed % 2 === 0) {
      const { ledger } = state;
      const house = ledger.cell(SystemAccount.convert, 0, Bucket.cash);
      ledger.move(house, ledger.cell(SystemAccount.insurance, 0, Bucket.cash), 50_000n * ONE);
    }
    const flow = new FuturesFlow(7000 + seed, state, ALWAYS);
    for (let n = 0; n < COMMANDS; n++) {
      try {
        apply(flow.next());
        // Whoever has lost everything starts again.
        if (n % 50 === 0)
          for (const uid of UIDS)
            apply({ type: 'deposit', time: flow.time, uid, coin: 0, amount: 300n * ONE, reference: '' });
        checkInvariants(state);
      } catch (error) {
        throw new Error(`seed ${seed}, command ${n}: ${(error as Error).message}`, { cause: error });
      }
    }
    for (const instrument of [0, 1, 2])
      apply({ type: 'setInstrumentStatus', time: flow.time, instrument, status: 'offline' });
    checkInvariants(state);
    for (const { futures } of state.markets) {
      if (futures === undefined) continue;
      assert.equal(futures.openInterest, 0);
      assert.equal(futures.cleared, 0n, 'I08, I09: nothing is left to clear');
      if (!futures.terms.coinMargined) assert.equal(futures.clearing, 0n, 'I09');
      emptied++;
    }
  }
  const count = (kind: OrderKind) => kinds.get(kind) ?? 0;
  const forced = count(OrderKind.liquidation) + count(OrderKind.reduce);
  assert.ok(forced > 2000, `${forced} liquidations and reductions`);
  assert.ok(count(OrderKind.adl) > 900, `${count(OrderKind.adl)} deleveragings`);
  assert.ok(insured > 250, `${insured} payments of the fund`);
  assert.equal(emptied, 3 * SEEDS);
});
