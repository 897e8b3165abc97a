/** The fields of a position that is opened twice, closed in part and charged funding, recomputed from the rule book (5.4, 5.10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Side } from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { abs, coinOf, feeOf, negative } from './explain-oracle.ts';
import { BTC, CONTRACTS, factsOf, price, Scene, size, TERMS, USDT } from './explain-scene.ts';
import { settled } from './explain-settlement.ts';
import { Q } from './rational.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const ANN = 1;
const ONE = 10n ** 8n;
const money = (units: bigint) => new Q(units, ONE);

/** Feeds that say the same for long are dead: each price moves a little. */
function hours(scene: Scene, count: number): void {
  for (let minutes = 0; minutes < count * 60; minutes += 10) {
    scene.time += 10 * 60_000 - 1000;
    scene.tell('USDTUSD', 99_870_000n + BigInt(minutes));
    scene.price(60_123.4 + minutes / 100);
  }
}

for (const [contract, name] of CONTRACTS.entries())
  for (const side of [Side.buy, Side.sell])
    for (const isolated of [false, true])
      test(`${isolated ? 'isolated' : 'crossed'} ${side === Side.buy ? 'long' : 'short'} in ${name}`, () => {
        const scene = new Scene(
          { [ANN]: { [USDT]: 40_000n * ONE + 1n, [BTC]: ONE + 3n } },
          { fundingRate: '0.000071' },
        );
        if (isolated) scene.isolate(ANN, contract);
        scene.leverage(ANN, contract, 7);
        const buys = side === Side.buy;
        const sums = { openFee: Q.zero, closeFee: Q.zero, realised: Q.zero };
        const trade = (buy: boolean, lots: number) => {
          scene.quote(contract, 400_000);
          const ticks = scene.mark(contract) + (buy ? 3 : -3);
          const order = scene.limit(ANN, buy ? Side.buy : Side.sell, ticks, lots, contract);
          assert.equal(scene.send(order), RejectReason.none);
          const { before } = scene.log.at(-1)!;
          const part = { to: name, buy, qty: size(lots), price: price(ticks), rate: TERMS.takerFee };
          const { fee, profit } = settled(before!, { ...part, forced: false });
          assert.equal(
            String(fee),
            String(feeOf(contract === 0 ? part.qty.times(part.price) : part.qty, part.rate)),
          );
          if (profit === undefined) sums.openFee = sums.openFee.plus(fee);
          else sums.closeFee = sums.closeFee.plus(fee);
          sums.realised = sums.realised.plus(profit ?? Q.zero);
        };
        scene.price(60_012.3);
        trade(buys, 1_357);
        hours(scene, 8);
        trade(buys, 2_468);
        scene.price(60_987.6);
        trade(!buys, 777);
        const funding = scene.log
          .flatMap(({ events }) => events)
          .flatMap((event) => (event.type === 'ledgerLine' && event.uid === ANN ? [event] : []))
          .filter(({ kind }) => kind === 'fundingIn' || kind === 'fundingOut')
          .reduce((sum, { amount }) => sum.plus(money(amount)), Q.zero);
        assert.notEqual(String(funding), '0', 'funding was paid or received');
        const facts = factsOf(scene.exchange, ANN);
        const { size: held, basis, coinMargined, settle } = facts.contracts[contract]!;
        const [q, t] = [abs(held), TERMS.takerFee];
        // Paid less received, in the quote coin.
        const spent = sums.openFee.plus(sums.closeFee).minus(funding).minus(sums.realised);
        const inQuote = coinMargined ? spent.times(coinOf(facts, settle).price).floor(8) : spent;
        const one = Q.of('1');
        const breakEven = buys
          ? abs(basis)
              .plus(inQuote)
              .over(q.times(one.minus(t)))
          : abs(basis)
              .minus(inQuote)
              .over(q.times(one.plus(t)));
        const [position] = scene.position(ANN, name.split(' ')[1]!).timeline;
        const { breakEven: shown, realised, funding: charged, openFee, closeFee } = position!.facts;
        assert.deepEqual(
          { shown, realised, charged, openFee, closeFee },
          {
            shown: String(breakEven.half(1)),
            realised: String(sums.realised),
            charged: String(funding),
            openFee: String(negative(sums.openFee)),
            closeFee: String(negative(sums.closeFee)),
          },
        );
      });
