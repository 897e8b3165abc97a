/** Fee rates and tiers of the open instrument, asked for once each. */
import { effect, signal } from '@preact/signals';
import { amount, compare, type Decimal } from '../wire/decimal.ts';
import { isFutures } from '../wire/types.ts';
import { client } from './account.ts';
import { instrument } from './market.ts';
import { api } from './venue.ts';

interface Tier {
  readonly minTierValue: string;
  readonly leverage: string;
  readonly mmr: string;
}

const fees = signal<{ readonly makerFeeRate: string; readonly takerFeeRate: string } | undefined>(undefined);
export const tiers = signal<readonly Tier[]>([]);

effect(() => {
  const open = instrument.value;
  const asked = client.value;
  fees.value = undefined;
  if (open === undefined || asked === undefined) return;
  const { category, symbol } = open;
  void asked
    .get<{ makerFeeRate: string; takerFeeRate: string }>('account/fee-rate', { category, symbol })
    .then((answer) => {
      if (answer.ok && open === instrument.peek()) fees.value = answer.data;
    });
});

effect(() => {
  const open = instrument.value;
  tiers.value = [];
  if (open === undefined || !isFutures(open.category)) return;
  const { category, symbol } = open;
  void api.get<readonly Tier[]>('market/position-tier', { category, symbol }).then((answer) => {
    if (answer.ok && open === instrument.peek()) tiers.value = answer.data;
  });
});

export const feeRate = (maker: boolean): Decimal =>
  amount(maker ? fees.value?.makerFeeRate : (fees.value?.takerFeeRate ?? '0.001'));

/** Of a position of this worth. */
export function maintenanceRate(value: Decimal): Decimal {
  const reached = tiers.value.filter(({ minTierValue }) => compare(amount(minTierValue), value) <= 0);
  return amount(reached.at(-1)?.mmr);
}
