/** Of the exchanges of one process: a thread that one has given back works for the next, also when the first has ended. */
import { Threads } from '../../src/storage/threads.ts';

const kept = new Threads();
const { take, prepare, give } = Threads.prototype;

Threads.prototype.take = (module) => take.call(kept, module);
Threads.prototype.prepare = (module) => prepare.call(kept, module);
Threads.prototype.give = (module, worker) => give.call(kept, module, worker);
Threads.prototype.close = async () => {};
