/** A program that starts and stops exchanges; it ends when nothing of them is left open. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startInMemory } from './in-process.ts';

const exchanges = await Promise.all([startInMemory(), startInMemory(), startInMemory({ market: 'quiet' })]);
for (const { url } of exchanges) await (await fetch(`${url}/readyz`)).text();
await Promise.all(exchanges.map((exchange) => exchange.stop()));
await startInMemory({ instruments: 'NOPE' }).catch(() => undefined);
const { port } = new URL(exchanges[0].url);
await startInMemory({ port, operatorPort: port }).catch(() => undefined);

/** Handles are released a little after their close; what is open for long would keep the process. */
const open = () => process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap');
for (let n = 0; n < 500 && open().length > 0; n++) await sleep(10);
console.log(`${exchanges.length} exchanges, open: ${open().join(' ')}`);
