/**
 * Among random futures orders and jumping prices a party hands its positions around as often as it can. Held against the
 * plainest model there is: what two accounts own together, positions at the mark included, is the same before and after
 * to the last unit (a coin-margined close may leave one to the house); their positions together are the same; nobody
 * else, no account of the house and no price has noticed anything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inCoinAt } from '../../src/core/futures/split-fill.ts';
import { markTicks, unrealisedOf } from '../../src/core/margin/margin.ts';
import type { MovePositions } from '../../src/core/model/command.ts';
import { Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import type { Account } from '../../src/core/state/account.ts';
import type { State } from '../../src/core/state/state.ts';
import { AuditedRun } from './audited-run.ts';
import { FuturesFlow, SET_UP } from './futures-flow.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 8 });
const COMMANDS = 400;
/** Every part of a move that closes may leave so much behind. */
const DUST = 4n;
const OWN = [Bucket.cash, Bucket.locked, Bucket.isolated, Bucket.isolatedOrders] as const;

/** Coins with the profit of all positions at the mark, by coin. */
function worth(state: State, { index, positions }: Account): Map<number, bigint> {
  const sums = new Map<number, bigint>();
  const add = (coin: number, amount: bigint) => sums.set(coin, (sums.get(coin) ?? 0n) + amount);
  for (const coin of state.ledger.coinsOf(index))
    for (const bucket of OWN) add(coin, state.ledger.balanceOf(index, coin, bucket));
  for (const position of positions.values()) {
    const instrument = state.instruments[position.instrument]!;
    const profit = unrealisedOf(state, position);
    add(instrument.futures!.settle, BigInt(inCoinAt(instrument, profit, markTicks(state, instrument))));
  }
  return sums;
}

interface Picture {
  /** Of the two accounts together. */
  readonly worth: ReadonlyMap<number, bigint>;
  readonly sizes: readonly number[];
  readonly bystanders: readonly string[];
  readonly house: readonly string[];
  readonly markets: readonly string[];
}

function pictureOf(state: State, uids: readonly number[]): Picture {
  const both = uids.map((uid) => state.accountByUid.get(uid)!);
  const together = new Map<number, bigint>();
  for (const account of both)
    for (const [coin, amount] of worth(state, account))
      together.set(coin, (together.get(coin) ?? 0n) + amount);
  const sizes = state.instruments.map(({ index }) =>
    both
      .flatMap(({ positions }) => [...positions.values()])
      .reduce((sum, { instrument, size }) => (instrument === index ? sum + size : sum), 0),
  );
  const bystanders: string[] = [];
  const house: string[] = [];
  state.ledger.eachRow((account, coin, buckets) => {
    if (account < FIRST_USER_ACCOUNT) {
      // Profit is paid out of clearing, which is held to all positions by I07 and I08.
      if (account !== SystemAccount.clearing) house.push(`${account} ${coin} ${buckets.join(' ')}`);
    } else if (!both.some(({ index }) => index === account))
      bystanders.push(`${account} ${coin} ${buckets.join(' ')}`);
  });
  for (const { uid, positions } of state.accountByUid.values()) {
    if (uids.includes(uid)) continue;
    for (const { id, size, basis } of positions.values()) bystanders.push(`${uid} ${id} ${size} ${basis}`);
  }
  const markets = state.markets.map(
    ({ day, tape, futures }) =>
      `${day.statistics(state.now).volumeLots} ${tape.latest(1)[0]?.execId ?? 0} ${futures?.mark.price ?? 0}`,
  );
  return { worth: together, sizes, bystanders, house, markets };
}

test('a party that moves its positions around owns what it owned, and nobody else notices', () => {
  let moves = 0;
  for (const seed of SEEDS) {
    const run = new AuditedRun(SET_UP, () => () => {});
    const { state } = run.exchange;
    const flow = new FuturesFlow(5000 + seed, state);
    const handOver = (command: MovePositions) => {
      run.apply({ type: 'tick', time: command.time });
      const uids = [command.fromUid, command.toUid];
      const before = pictureOf(state, uids);
      const outcome = run.apply(command);
      const done = outcome.items?.filter(({ rejectReason }) => rejectReason === 0).length ?? 0;
      const after = pictureOf(state, uids);
      moves += done;
      for (const coin of new Set([...before.worth.keys(), ...after.worth.keys()])) {
        const lost = (before.worth.get(coin) ?? 0n) - (after.worth.get(coin) ?? 0n);
        const most = state.coins[coin]!.coin === 'AAA' ? DUST * BigInt(done) : 0n;
        assert.ok(lost >= 0n && lost <= most, `seed ${seed}: ${lost} of coin ${coin} lost by ${done} moves`);
      }
      for (const what of ['sizes', 'bystanders', 'house', 'markets'] as const)
        assert.deepEqual(after[what], before[what], `seed ${seed}: ${what} after ${done} moves`);
    };
    for (let n = 0; n < COMMANDS; n++) {
      const command = flow.next();
      if (command.type === 'movePositions') handOver(command);
      else run.apply(command);
      if (n % 3 === 0) handOver(flow.move());
    }
    run.assertReplaysAgree(seed * 61);
  }
  SEEDS.met('moves', moves, 201);
});
