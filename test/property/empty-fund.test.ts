/**
 * An insurance fund that never has anything: whatever it earns is taken away before the next command. Shortfalls then
 * go to the other side, to the pool or stay as debts; no account of the house falls below zero and nothing is lost (I01, I03).
 */
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import type { Command } from '../../src/core/model/command.ts';
import { OrderKind } from '../../src/core/model/enums.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import type { State } from '../../src/core/state/state.ts';
import { MARGIN_SET_UP, MarginFlow } from './margin-flow.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 4, few: 2 });
const COMMANDS = 500;

/** On one contract whoever takes is paid for it: a forced close must not be, for the fund would have to pay. */
const EMPTY_SET_UP: readonly Command[] = MARGIN_SET_UP.map((command): Command => {
  if (command.type !== 'listInstrument' || command.spec.futures === undefined) return command;
  if (command.spec.baseCoin !== 'BBB') return command;
  return { ...command, spec: { ...command.spec, takerFeeRate: '-0.0005' } };
});

function empty({ ledger, coins }: State): void {
  for (const coin of coins.keys()) {
    const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
    ledger.move(fund, ledger.cell(SystemAccount.convert, coin, Bucket.cash), ledger.balance(fund));
  }
}

test('with an empty fund the books balance and no account of the house is below zero', () => {
  const seen = { liquidations: 0, deleveragings: 0, lost: 0, badDebts: 0 };
  for (const seed of SEEDS) {
    const exchange = new Exchange();
    const { state } = exchange;
    for (const command of EMPTY_SET_UP) exchange.apply(command);
    const flow = new MarginFlow(seed, state);
    for (let n = 0; n < COMMANDS; n++) {
      const command = flow.next();
      empty(state);
      try {
        exchange.apply(command);
        checkInvariants(state);
      } catch (error) {
        const where = `seed ${seed}, command ${n} ${command.type}`;
        throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
      }
      for (const event of exchange.takeEvents()) {
        const kind = event.type === 'fill' ? event.fill.futures?.kind : undefined;
        if (kind === OrderKind.liquidation || kind === OrderKind.reduce) seen.liquidations++;
        if (kind === OrderKind.adl) seen.deleveragings++;
      }
    }
    for (const lost of state.loans.lost.values()) if (lost > 0n) seen.lost++;
    seen.badDebts += state.ledger.accountsInDebt().length;
  }
  for (const [what, count] of Object.entries(seen)) SEEDS.met(what, count, 1);
});
