/** Balances and equity of an account: at the start, after each change, and every five seconds (wire 5.4). */

import { formatMoney } from '../../../core/model/units.ts';
import type { State } from '../../../core/state/state.ts';
import { assetViews, marginRatio, valueAccount } from '../../routes/account/valuation.ts';
import type { Push } from '../frames.ts';
import { SnapshotChannel } from '../snapshot-channel.ts';
import type { StreamContext } from '../stream-context.ts';
import type { Subscription } from '../subscription.ts';

const REPEAT_MS = 5_000;

export class AccountChannel extends SnapshotChannel {
  override readonly replaceable = true;
  protected override readonly pauseMs = 50;
  private readonly uid: number;
  private touched = false;
  private sentMs: number;

  constructor(key: string, context: StreamContext, uid: number) {
    super(key, context);
    this.uid = uid;
    this.sentMs = context.wallClock.now();
  }

  touch(): void {
    this.touched = true;
  }

  override again(subscription: Subscription): void {
    const push = this.whole(this.context.clock.now());
    this.context.durable.whenDurable(() => subscription.push(push));
  }

  protected override hasChanged(wallMs: number): boolean {
    if (!this.touched && wallMs - this.sentMs < REPEAT_MS) return false;
    this.sentMs = wallMs;
    return true;
  }

  protected override next(nowMs: number): Push {
    this.touched = false;
    return this.whole(nowMs);
  }

  protected override whole(nowMs: number): Push {
    return {
      action: 'snapshot',
      data: JSON.stringify([accountData(this.context.sequencer.state, this.uid)]),
      ts: nowMs,
    };
  }
}

function accountData(state: State, uid: number) {
  const valuation = valueAccount(state, uid);
  const { risk, unrealisedUsd } = valuation;
  const ratio = marginRatio(risk);
  return {
    totalEquity: formatMoney(risk.equity),
    effEquity: formatMoney(risk.effective),
    mmr: formatMoney(risk.maintenance),
    imr: formatMoney(risk.initial),
    mgnRatio: ratio,
    positionMgnRatio: ratio,
    unrealisedPnL: formatMoney(unrealisedUsd),
    coin: assetViews(state, valuation).map(({ debt, ...coin }) => ({
      coin: coin.coin,
      equity: coin.equity,
      balance: coin.balance,
      available: coin.available,
      locked: coin.locked,
      // One client adds the two (wire 5.4). Interest is part of the debt and is not stored separately (rules 6.8), so
      // the whole debt stands in one of them: the field that HTTP calls `debt`.
      borrow: '0',
      debts: debt,
      usdValue: coin.usdValue,
    })),
  };
}
