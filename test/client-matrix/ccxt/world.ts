/** What ccxt's rows share: the exchange, the client under test, and the work of others around it. */
import type ccxt from 'ccxt';
import type { Row, World } from '../world.ts';

export interface CcxtWorld {
  readonly world: World;
  /** The client under test; everything else is done by others. */
  readonly me: InstanceType<typeof ccxt.pro.bitget>;
  /** The same client of an account that holds a contract over a settlement of funding. */
  readonly holder: InstanceType<typeof ccxt.pro.bitget>;
}

export const SPOT = 'BTC/USDT';
export const SWAP = 'BTC/USDT:USDT';

export const row = (checks: string, call: Row<CcxtWorld>['call']): Row<CcxtWorld> => ({ checks, call });

export type Calls = Readonly<Record<string, Row<CcxtWorld>>>;

export const low = async ({ world }: CcxtWorld) =>
  Number(await world.lowPrice({ category: 'SPOT', symbol: 'BTCUSDT' }));

/** What is left open is taken away by another client, so that the row shows only its own requests. */
export const cleared = ({ world }: CcxtWorld) =>
  Promise.all([
    world.alice.cancelAllOrders({ category: 'SPOT' }),
    world.alice.cancelAllOrders({ category: 'USDT-FUTURES' }),
  ]);
