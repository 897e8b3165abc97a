/** What the order would cost before it is sent; the exchange has the last word. */
import { amount, compare } from '../wire/decimal.ts';
import { fixed } from '../wire/format.ts';
import { estimate, liquidationEstimate } from '../wire/order-math.ts';
import { isFutures } from '../wire/types.ts';
import { contractSetup, funds } from './account.ts';
import * as draft from './draft.ts';
import { instrument, priceDigits, sizeDigits } from './market.ts';
import { feeRate, maintenanceRate } from './terms.ts';

export function Estimate() {
  const traded = instrument.value;
  if (traded === undefined) return null;
  const side = draft.side.value;
  const futures = isFutures(traded.category);
  const facts = {
    instrument: traded,
    side,
    size: draft.sizeFor(side),
    price: draft.priceFor(side),
    leverage: amount(contractSetup.value.leverage),
    feeRate: feeRate(draft.type.value === 'limit' && draft.timeInForce.value === 'post_only'),
  };
  const { cost, fee, value } = estimate(facts);
  const held = funds.value;
  const liquidation =
    !futures || held === undefined || draft.reduceOnly.value
      ? undefined
      : liquidationEstimate(facts, {
          equity: amount(held.effEquity),
          maintenance: amount(held.mmr),
          rate: maintenanceRate(value),
          isolated: contractSetup.value.marginMode === 'isolated',
        });
  const atOnce =
    liquidation !== undefined && compare(liquidation, facts.price) * (side === 'buy' ? 1 : -1) >= 0;
  const most = side === 'buy' ? draft.room.value?.buy : draft.room.value?.sell;
  const rows: readonly (readonly [string, string])[] = [
    [
      `Max ${side}`,
      most === undefined || most === '' ? '–' : `${fixed(most, sizeDigits.value)} ${traded.baseCoin}`,
    ],
    [futures ? 'Margin' : 'Cost', `${fixed(cost, 2)} ${traded.quoteCoin}`],
    ['Fee', `${fixed(fee, 2)} ${traded.quoteCoin}`],
    ...(futures
      ? ([
          [
            'Liquidation',
            liquidation === undefined
              ? 'none'
              : atOnce
                ? 'at once'
                : `≈ ${fixed(liquidation, priceDigits.value)}`,
          ],
        ] as const)
      : []),
  ];
  return (
    <dl class="estimate">
      {rows.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
