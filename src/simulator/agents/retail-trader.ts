/**
 * A trader with little money and high leverage: opens an isolated position with most of it, and takes a profit, stops
 * out, or is liquidated. Losses stay until the treasury restores the stake.
 */

import { Side, Source } from '../../core/model/enums.ts';
import { Bucket } from '../../core/model/ledger-accounts.ts';
import { bucketBalance } from '../../core/reads/ledger-reads.ts';
import type { AgentClient } from '../agent-client.ts';
import type { InstrumentView } from '../instrument-view.ts';
import { Rng } from '../rng.ts';
import type { Agent } from './agent.ts';

const LEVERAGES = [20, 25, 50, 50, 75, 100] as const;
const REST_MS = 4 * 60_000;
/** Gain over the margin at which it closes the position. */
const TAKE_PROFIT = 0.8;
const STOP_LOSS = -0.7;
/** Below this many quote units it opens nothing. */
const STAKE_MIN = 20;

export class RetailTrader implements Agent {
  readonly kind = 'retail';
  readonly name: string;
  readonly uid: number;
  readonly view: InstrumentView;
  private readonly rng: Rng;
  private readonly leverage: number;
  /** Some never sell at a loss: these get liquidated. */
  private readonly stubborn: boolean;
  private dueMs = 0;
  private prepared = false;

  constructor(uid: number, number: number, view: InstrumentView, seed: number) {
    this.uid = uid;
    this.view = view;
    this.name = `retail:${number}`;
    this.rng = new Rng(seed, this.name);
    this.leverage = Math.min(this.rng.pick(LEVERAGES), view.instrument.futures!.maxLeverage);
    this.stubborn = this.rng.chance(0.6);
  }

  act(client: AgentClient): void {
    if (client.now < this.dueMs || !client.hasCapacity || !this.view.isOpen(client.now)) return;
    const first = this.dueMs === 0;
    this.dueMs = client.now + Math.floor(this.rng.between(3000, 12_000));
    if (first) return;
    if (!this.prepared) this.prepare(client);
    const size = client.position(this.uid, this.view);
    if (size === 0) this.open(client);
    else this.managePosition(client, size);
  }

  private prepare(client: AgentClient): void {
    this.prepared = true;
    const { uid, leverage } = this;
    const instrument = this.view.instrument.index;
    client.submit({ type: 'setMarginMode', uid, instrument, isolated: true });
    client.submit({
      type: 'setLeverage',
      uid,
      instrument,
      longLeverage: leverage,
      shortLeverage: leverage,
    });
  }

  private open(client: AgentClient): void {
    const { view, rng } = this;
    const { state } = client;
    const { instrument } = view;
    const account = state.accountByUid.get(this.uid);
    if (account === undefined) return;
    const cash = Number(bucketBalance(state, account.index, instrument.futures!.settle, Bucket.cash)) / 1e8;
    if (cash < STAKE_MIN) return;
    const trending = view.fastTicks > view.slowTicks;
    const side = rng.chance(trending ? 0.62 : 0.42) ? Side.buy : Side.sell;
    const value = cash * rng.between(0.3, 0.7) * this.leverage * 0.9;
    const lots = value / (view.fairTicks * view.tickLotValue);
    const reach = (8 * view.halfSpreadTicks) / view.fairTicks;
    client.placeIoc(this.uid, view, side, Math.min(lots, view.depthLots * 0.05), reach, Source.retail);
  }

  private managePosition(client: AgentClient, size: number): void {
    const { view } = this;
    const position = client.positionOf(this.uid, view)!;
    const entry = Number(position.basis) / 1e8 / size / view.tickLotValue;
    const gain = (view.fairTicks / entry - 1) * Math.sign(size) * this.leverage;
    const leaves = gain > TAKE_PROFIT || (!this.stubborn && gain < STOP_LOSS);
    if (!leaves) return;
    const side = size > 0 ? Side.sell : Side.buy;
    const reach = (10 * view.halfSpreadTicks) / view.fairTicks;
    client.placeIoc(this.uid, view, side, Math.abs(size), reach, Source.retail, true);
    this.dueMs = client.now + Math.floor(this.rng.exponential(REST_MS));
  }
}
