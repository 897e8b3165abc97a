/**
 * What `bourse verify` proves of the books, after each test of a file and in its process: invariants and sums of every exchange
 * that has applied a command in the test, forks and branches included. The replay of the journal is proved on data directories.
 */
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { coinSums } from '../../src/admin/trial-balance.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';

/** Weak: branches that were left behind may go. */
const seen = new WeakSet<Exchange>();
let refs: WeakRef<Exchange>[] = [];

type Apply = (this: Exchange, ...given: Parameters<Exchange['apply']>) => ReturnType<Exchange['apply']>;

const apply = Object.getOwnPropertyDescriptor(Exchange.prototype, 'apply')!.value as Apply;
Exchange.prototype.apply = function (this: Exchange, ...given) {
  if (!seen.has(this)) {
    seen.add(this);
    refs.push(new WeakRef(this));
  }
  return apply.apply(this, given);
};

/** To be called once by each file of tests. */
export function verifyAfterEach(): void {
  afterEach(() => {
    for (const ref of refs) {
      const exchange = ref.deref();
      if (exchange === undefined) continue;
      seen.delete(exchange);
      checkInvariants(exchange.state);
      assert.deepEqual(
        coinSums(exchange.state).filter(({ total }) => total !== 0n),
        [],
        'every coin sums to zero',
      );
    }
    refs = [];
  });
}
