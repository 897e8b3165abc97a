/** The programs in `examples/` while the exchange is killed and started again under them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExampleVenue, PROGRAMS } from './example-venue.ts';

const ORDERS = 25;

const venue = new ExampleVenue();
before(() => venue.start());
after(() => venue.end());

for (const [program, account] of PROGRAMS) {
  test(`${program} goes on over a kill -9 and a restart, and places nothing twice`, async () => {
    const { ended } = venue.run(process.execPath, [`examples/${program}`], { ORDERS: String(ORDERS) });
    let over = false;
    const outcome = ended.finally(() => {
      over = true;
    });
    while (!over && (await venue.openOrders(account)) < 3) await sleep(100);
    await venue.killAndStart();
    const { code, output } = await outcome;
    assert.equal(code, 0, output);
    assert.match(output, /^waiting/m, 'it was still at work when the exchange went');
    assert.match(
      output,
      new RegExp(`^${ORDERS} of ${ORDERS} orders open, ${ORDERS} different$`, 'm'),
      output,
    );
    assert.equal(await venue.openOrders(account), 0);
  });
}
