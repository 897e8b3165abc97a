/** The server that other tests use does what they count on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_SERVER, sharedServer } from './server.ts';

test('a killed and a stopped server come back with what was committed', { skip: NO_SERVER }, async () => {
  const server = await sharedServer();
  const database = await server.createDatabase();
  await server.run('CREATE TABLE kept AS SELECT 1 AS n', database);
  await server.kill();
  await assert.rejects(server.run('SELECT 1'));
  await server.resume();
  await server.run('INSERT INTO kept VALUES (2)', database);
  await server.stop();
  await server.resume();
  assert.deepEqual(await server.run('SELECT n FROM kept ORDER BY n', database), [{ n: 1 }, { n: 2 }]);
  await server.dropDatabase(database);
});
