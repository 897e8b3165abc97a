/**
 * Somebody with a little money and a lot of leverage: opens an isolated position with most of it, hopes, and takes a
 * profit, gives up, or is liquidated. What is lost stays lost until the treasury brings new pocket money.
 */
import { Bucket } from '../../core/state/ledger.ts';
import { Side, Source } from '../../core/model/enums.ts';
import type { Desk } from '../instrument-view.ts';
import { Dice } from '../rng.ts';
import type { Floor } from '../agent-client.ts';
import type { Agent } from './agent.ts';

const LEVERAGES = [20, 25, 50, 50, 75, 100] as const;
const REST_MS = 4 * 60_000;
/** Moves of the price, over the margin, at which it leaves by itself. */
const TAKE_PROFIT = 0.8;
const GIVE_UP = -0.7;
/** Below this many quote units nothing is worth opening. */
const STAKE_MIN = 20;

export class RetailTrader implements Agent {
  readonly kind = 'retail';
  readonly name: string;
  readonly uid: number;
  readonly desk: Desk;
  private readonly dice: Dice;
  private readonly leverage: number;
  /** Some never sell at a loss: these are the ones who get liquidated. */
  private readonly stubborn: boolean;
  private dueMs = 0;
  private prepared = false;

  constructor(uid: number, number: number, desk: Desk, seed: number) {
    this.uid = uid;
    this.desk = desk;
    this.name = `retail:${number}`;
    this.dice = new Dice(seed, this.name);
    this.leverage = Math.min(this.dice.pick(LEVERAGES), desk.instrument.futures!.maxLeverage);
    this.stubborn = this.dice.chance(0.6);
  }

  act(floor: Floor): void {
    if (floor.now < this.dueMs || !floor.hasRoom || !this.desk.isOpen(floor.now)) return;
    const first = this.dueMs === 0;
    this.dueMs = floor.now + Math.floor(this.dice.between(3000, 12_000));
    if (first) return;
    if (!this.prepared) this.prepare(floor);
    const size = floor.position(this.uid, this.desk);
    if (size === 0) this.open(floor);
    else this.watch(floor, size);
  }

  private prepare(floor: Floor): void {
    this.prepared = true;
    const { uid, leverage } = this;
    const instrument = this.desk.instrument.index;
    floor.give({ type: 'setMarginMode', time: 0, uid, instrument, isolated: true });
    floor.give({
      type: 'setLeverage',
      time: 0,
      uid,
      instrument,
      longLeverage: leverage,
      shortLeverage: leverage,
    });
  }

  private open(floor: Floor): void {
    const { desk, dice } = this;
    const { ledger, accountByUid } = floor.state;
    const { instrument } = desk;
    const account = accountByUid.get(this.uid);
    if (account === undefined) return;
    const cash = Number(ledger.peek(account.index, instrument.futures!.settle, Bucket.cash)) / 1e8;
    if (cash < STAKE_MIN) return;
    const trending = desk.fastTicks > desk.slowTicks;
    const side = dice.chance(trending ? 0.62 : 0.42) ? Side.buy : Side.sell;
    const value = cash * dice.between(0.3, 0.7) * this.leverage * 0.9;
    const lots = value / (desk.fairTicks * desk.tickLotValue);
    const reach = (8 * desk.halfSpreadTicks) / desk.fairTicks;
    floor.take(this.uid, desk, side, Math.min(lots, desk.depthLots * 0.05), reach, Source.retail);
  }

  private watch(floor: Floor, size: number): void {
    const { desk } = this;
    const position = floor.positionOf(this.uid, desk)!;
    const entry = Number(position.basis) / 1e8 / size / desk.tickLotValue;
    const gain = (desk.fairTicks / entry - 1) * Math.sign(size) * this.leverage;
    const leaves = gain > TAKE_PROFIT || (!this.stubborn && gain < GIVE_UP);
    if (!leaves) return;
    const side = size > 0 ? Side.sell : Side.buy;
    const reach = (10 * desk.halfSpreadTicks) / desk.fairTicks;
    floor.take(this.uid, desk, side, Math.abs(size), reach, Source.retail, true);
    this.dueMs = floor.now + Math.floor(this.dice.exponential(REST_MS));
  }
}
