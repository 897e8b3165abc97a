/**
 * A watched command is the same command: whatever is traded, an exchange whose every command is traced comes to the same
 * results, events and state (rules 9.1). What the trace tells is what happened: the check that refuses an order is the one that
 * the table of steps names, the terms of a margin add up to it, and postings end in the balances that the ledger has.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { MarginView } from '../../src/core/explain/margin-terms.ts';
import { reasonName } from '../../src/core/explain/rejections.ts';
import { Trace } from '../../src/core/explain/trace.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { Bucket, SYSTEM_ACCOUNT_NAMES } from '../../src/core/model/ledger-accounts.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { formatMoney, parseUnits } from '../../src/core/model/units.ts';
import { canonicalState } from '../../src/core/snapshot/canonical-state.ts';
import type { State } from '../../src/core/state/state.ts';
import { FLOWS } from './flows.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 12, few: 2 });
const COMMANDS = 200;
const EDITION: Command = { type: 'setEdition', time: 0, edition: 5 };

const units = (text: string): bigint => parseUnits(text, 8)!;
const sum = (terms: readonly { usd: string }[]) => terms.reduce((total, { usd }) => total + units(usd), 0n);

function assertAddsUp({ equity, effective, initial, maintenance, terms }: MarginView): void {
  const of = (name: string) => terms.filter((term) => term.of === name);
  assert.equal(formatMoney(sum(of('equity'))), equity);
  assert.equal(formatMoney(sum(of('initial'))), initial);
  assert.equal(formatMoney(sum(of('maintenance'))), maintenance);
  const counted = of('equity').reduce((total, { inputs }) => total + units(inputs.counted!), 0n);
  assert.equal(formatMoney(counted), effective);
}

/** The last balance that postings tell of each bucket is the one it has. */
function assertBalances(state: State, { postings }: Trace): void {
  const last = new Map<string, string>();
  for (const { coin, from, to } of postings)
    for (const { uid, name, bucket, balance } of [from, to])
      last.set(`${uid}|${name}|${coin}|${bucket}`, balance);
  for (const [place, balance] of last) {
    const [uid, name, coin, bucket] = place.split('|') as [string, string, string, keyof typeof Bucket];
    const account =
      name === '' ? state.accountByUid.get(Number(uid))!.index : SYSTEM_ACCOUNT_NAMES.indexOf(name);
    const actual = state.ledger.balanceOf(account, state.coinByName.get(coin)!, Bucket[bucket]);
    assert.equal(formatMoney(actual), balance, place);
  }
}

function assertTellsTheRefusal(command: Command, result: CommandResult, { orders, refused }: Trace): void {
  const { rejectReason } = result;
  const own = orders.find(({ byStrategy }) => !byStrategy);
  if (command.type === 'placeOrder' && own !== undefined) {
    const stopped = own.checks.find(({ verdict }) => verdict === 'refused');
    const expected = rejectReason === RejectReason.none ? undefined : reasonName(rejectReason);
    assert.equal(stopped?.reason, expected);
    return;
  }
  const outcomes = [result, ...(result.items ?? [])].map((each) => each.rejectReason);
  const names = outcomes.filter((reason) => reason !== RejectReason.none).map(reasonName);
  assert.deepEqual(
    refused.map(({ reason }) => reason),
    names,
  );
}

test('whatever the commands: watched or not they come to the same, and what is told of them is true', () => {
  const seen = { refusals: 0, matches: 0, postings: 0, liquidations: 0 };
  for (const [name, { setUp, flowOf }] of Object.entries(FLOWS)) {
    for (const seed of SEEDS) {
      const plain = new Exchange();
      const watched = new Exchange();
      const flow = flowOf(seed, plain.state);
      const begin: readonly Command[] = [
        ...setUp,
        ...(seed % 2 === 0 ? [{ ...EDITION, time: setUp.at(-1)!.time }] : []),
      ];
      for (let n = 0; n < begin.length + COMMANDS; n++) {
        const command: Command = begin[n] ?? flow.next();
        const where = `${name}, seed ${seed}, command ${n} ${command.type}`;
        const result = plain.apply(command);
        const trace = new Trace(watched.state);
        assert.deepEqual(watched.applyTraced(command, n + 1, trace), result, where);
        assert.deepEqual(watched.takeEvents(), plain.takeEvents(), where);
        try {
          assertTellsTheRefusal(command, result, trace);
          if (trace.margin !== undefined) assertAddsUp(trace.margin);
          for (const { margin } of trace.liquidations) assertAddsUp(margin);
          assertBalances(watched.state, trace);
        } catch (error) {
          throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
        }
        seen.refusals +=
          trace.refused.length +
          trace.orders.filter(({ checks }) => checks.some(({ verdict }) => verdict === 'refused')).length;
        seen.matches += trace.matched.length;
        seen.postings += trace.postings.length;
        seen.liquidations += trace.liquidations.length;
      }
      assert.deepEqual(canonicalState(watched.state), canonicalState(plain.state), `${name}, seed ${seed}`);
    }
  }
  // One seed that was drawn may miss some of it.
  if (SEEDS.count > 1)
    for (const [what, count] of Object.entries(seen)) assert.ok(count > 10, `${what}: ${count}`);
});
