/** The kill loop of `test/crash` with the history in PostgreSQL, whose server is killed or restarted amid the orders as well. */
import { test } from 'node:test';
import { KillLoop } from '../crash/kill-loop.ts';
import { NO_SERVER, sharedServer } from './server.ts';

const KILLS = Number(process.env.KILLS ?? 2);
const SEED = Number(process.env.KILL_SEED ?? Date.now());

test('kill -9 of exchange and database under load: nothing is lost or doubled', {
  skip: NO_SERVER,
}, async (t) => {
  const server = await sharedServer();
  const database = await server.createDatabase();
  let faults = 0;
  const amid = async () => {
    faults += 1;
    // Every third time the exchange alone is killed.
    if (faults % 3 === 0) return;
    await (faults % 3 === 1 ? server.kill() : server.stop());
    await server.resume();
  };
  const args = ['--history', server.url(database)];
  const loop = new KillLoop({ kills: KILLS, seed: SEED, args, stopsFirst: false, amid });
  t.diagnostic(await loop.run());
  await server.dropDatabase(database);
});
