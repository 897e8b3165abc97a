/** A crowd: many accounts with positions of one side, opened against the house account by orders like everybody's. */

import type { Command, Unstamped } from '../../core/model/command.ts';
import type { CategoryName } from '../../core/model/enums.ts';
import { OrderType, PosSide, Side, Source, StpMode, TimeInForce } from '../../core/model/enums.ts';
import { RejectReason } from '../../core/model/reject-reason.ts';
import { MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import { markTicks } from '../../core/reads/margin-reads.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import { Rng } from '../../simulator/rng.ts';
import { HouseAccount } from '../faults/house-account.ts';
import { CallFailed } from './scenario-target.ts';

/** Below those of users. */
const CROWD_UID = 910_000_000;
const CROWD_END = 920_000_000;
const WORTH = '1000';
/** Above the initial margin, in percent of it: fees. */
const SPARE_PERCENT = 5n;

export function isOfCrowd(uid: number): boolean {
  return uid >= CROWD_UID && uid < CROWD_END;
}

export interface CrowdRequest {
  readonly accounts: number;
  readonly side: 'long' | 'short';
  readonly leverage: number | string;
  readonly category?: CategoryName;
  readonly symbol: string;
  readonly worth?: string;
}

/** Throws CallFailed. */
export async function openCrowd(sequencer: Sequencer, seed: number, request: CrowdRequest): Promise<void> {
  const { accounts, side, leverage, category = 'USDT-FUTURES', symbol, worth = WORTH } = request;
  const { state } = sequencer;
  const instrument = state.instrument(category, symbol);
  const futures = instrument?.futures;
  if (instrument === undefined || futures === undefined || futures.coinMargined)
    throw new CallFailed(`crowd: there is no contract ${category} ${symbol} that is paid in money`);
  const { tickStep, lotStep, minLots, valuePerTickLot, index } = instrument;
  const priceTicks = Math.round(markTicks(state, instrument) / tickStep) * tickStep;
  if (priceTicks === 0) throw new CallFailed(`crowd: ${symbol} has no mark price yet`);
  const wanted = Number((parseUnits(worth, MONEY_SCALE) ?? 0n) / (valuePerTickLot * BigInt(priceTicks)));
  const sizeLots = Math.max(minLots, Math.floor(wanted / lotStep) * lotStep);
  const value = valuePerTickLot * BigInt(priceTicks) * BigInt(sizeLots);
  const [low, high = low] = String(leverage).split('..').map(Number) as [number, number?];
  const rng = new Rng(seed, `crowd ${symbol} ${side}`);
  const submit = async (command: Unstamped<Command>) => {
    const { rejectReason } = await sequencer.submit(command);
    if (rejectReason === RejectReason.none) return;
    const reason = Object.entries(RejectReason).find(([, each]) => each === rejectReason)?.[0];
    throw new CallFailed(`crowd: ${command.type} was refused: ${reason}`);
  };
  const house = new HouseAccount(() => sequencer);
  const taken = [...state.accountByUid.keys()].filter(isOfCrowd).length;
  for (let n = 0; n < accounts; n++) {
    const uid = CROWD_UID + taken + n;
    const times = Math.min(low + rng.below(high - low + 1), futures.maxLeverage);
    const margin = value / BigInt(times);
    await submit({ type: 'openAccount', uid, masterUid: 0, marketMaker: false, house: true });
    await submit({
      type: 'deposit',
      uid,
      coin: futures.settle,
      amount: margin + (margin * SPARE_PERCENT) / 100n,
      reference: 'laboratory',
    });
    await submit({ type: 'setLeverage', uid, instrument: index, longLeverage: times, shortLeverage: times });
    const refused = await house.offerTo(index, side === 'long' ? Side.sell : Side.buy, priceTicks, sizeLots);
    if (refused !== undefined) throw new CallFailed(`crowd: ${refused}`);
    await submit({
      ...{ type: 'placeOrder', uid, source: Source.api, instrument: index },
      ...{
        side: side === 'long' ? Side.buy : Side.sell,
        orderType: OrderType.limit,
        timeInForce: TimeInForce.ioc,
      },
      ...{
        stpMode: StpMode.none,
        priceTicks,
        sizeLots,
        quoteAmount: 0n,
        clientOid: '',
        posSide: PosSide.none,
      },
      reduceOnly: false,
    });
  }
}
