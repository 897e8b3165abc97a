/** The short form of the campaign: `npm run campaign -- hostile` for the long one. `BOURSE_FUZZ_SEED` draws others. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { HeldWall } from '../../harness/held-wall.ts';
import { startServer } from '../../harness/server.ts';
import { sizeOf } from '../../property/seeds.ts';
import { HostileRequests, type OpenApi } from './hostile-requests.ts';
import { HostileRun, signedRun, WARM_UP } from './hostile-run.ts';
import { Rng } from './rng.ts';

const SEED = Number(process.env.BOURSE_FUZZ_SEED ?? 1);
const SIGNED_REQUESTS = sizeOf(4_000, 14_000);
const WOUNDED_REQUESTS = sizeOf(2_000, 7_000);
const LIMITED_REQUESTS = 1_000;
const SOCKET_FRAMES = sizeOf(1_000, 3_000);

describe(`${SIGNED_REQUESTS + WOUNDED_REQUESTS} hostile requests`, () => {
  let run: HostileRun;

  before(async () => {
    run = await HostileRun.open(SEED);
  });

  it('signed and damaged: no fault of ours, an envelope for each, none slow', async (test) => {
    test.diagnostic(`seed ${SEED}`);
    test.diagnostic(await run.warmUp());
    test.diagnostic(await run.signed(SIGNED_REQUESTS - WARM_UP));
  });

  it('wounded bytes on raw connections: the same', async (test) => {
    test.diagnostic(await run.wounded(WOUNDED_REQUESTS));
  });

  it('frames of logged-in sockets: an answer for each, and none is a fault of ours', async (test) => {
    test.diagnostic(await run.frames(SOCKET_FRAMES));
  });

  it('the process has not ended and has not grown', async (test) => {
    test.diagnostic(await run.assertNotGrown());
  });

  it('it still trades to the last unit', () => run.assertTrades());

  it('no secret and no passphrase in the log or in any file', () => run.assertNoSecretKept());

  it('replaying the log gives the same books and balances', async (test) => {
    test.diagnostic(`verified ${await run.verified()} commands`);
  });
});

it('with limits on: refusals at most, and the limits are answers too', async (test) => {
  // Within one instant, so that there are requests beyond the limits however slow the machine is.
  const wall = new HeldWall();
  wall.hold();
  const server = await startServer({ wall });
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApi;
  const requests = new HostileRequests(document, new Rng(SEED + 1));
  const keys = [server.account('bot')];
  const tally = await signedRun(server.url, keys, requests, LIMITED_REQUESTS, wall.now);
  test.diagnostic(await tally.report('limits on'));
  assert.ok(tally.statuses.get(429)! > 0);
  assert.equal(await server.stop(), 0);
});
