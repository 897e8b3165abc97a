/** A way that is cut is silent, and what was sent meanwhile arrives later. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../harness/until.ts';
import { Link } from './trial/link.ts';

test('a cut way loses nothing and tells nobody', async () => {
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const link = await Link.to((echo.address() as { port: number }).port);
  const call = () => {
    const socket = connect(link.port, '127.0.0.1');
    const heard = { text: '' };
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard.text += text;
    });
    return { socket, heard };
  };
  const first = call();
  first.socket.write('a');
  await until('an echo', () => first.heard.text === 'a');
  link.cut();
  const second = call();
  for (const { socket } of [first, second]) socket.write('b');
  await sleep(100);
  assert.deepEqual([first.heard.text, second.heard.text], ['a', '']);
  assert.deepEqual(
    [first, second].map(({ socket }: { socket: Socket }) => socket.destroyed),
    [false, false],
  );
  link.mend();
  await until('both echoes', () => first.heard.text === 'ab' && second.heard.text === 'b');
  first.socket.end();
  await once(first.socket, 'close');
  link.close();
  await once(second.socket, 'close');
  echo.close();
});
