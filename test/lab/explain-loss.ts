/** An isolated long whose loss neither the other side nor the fund can bear (rules 13.7 (b), 15.1). */
import assert from 'node:assert/strict';
import { Side } from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { ETH, MAKER, Scene, USDT } from './explain-scene.ts';

/** Who is liquidated, and who is deleveraged. */
const [ANN, BEN] = [1, 2];
const ONE = 10n ** 8n;

/** `funds` are USDT. */
export function lossOwed(funds: bigint): Scene {
  const traders = { [ANN]: { [USDT]: 700n * ONE }, [BEN]: { [USDT]: 1_000n * ONE, [ETH]: 4n * ONE } };
  // A fund gets something, however little.
  const scene = new Scene(traders, { funds: funds === 0n ? 1n : funds * ONE });
  const trade = (seller: number, buyer: number) => {
    for (const [uid, side] of [
      [seller, Side.sell],
      [buyer, Side.buy],
    ] as const)
      assert.equal(scene.send(scene.limit(uid, side, scene.mark(0), 10_000)), RejectReason.none);
  };
  // He owes 5,000 USDT, which his ETH stand for.
  trade(MAKER, BEN);
  scene.price(54_000);
  trade(BEN, MAKER);
  scene.isolate(ANN, 0);
  for (const uid of [ANN, BEN]) scene.leverage(uid, 0, 100);
  trade(BEN, ANN);
  // Then these are worth nothing, and his profit has to pay his debt before it pays others.
  scene.tell('ETHUSD', ONE);
  scene.price(45_000);
  return scene;
}
