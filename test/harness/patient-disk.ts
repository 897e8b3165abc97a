/**
 * Loaded into a server that a test starts: a disk that takes seconds is no reason to refuse orders. A venue that users
 * trade on says that it is busy when the oldest command has waited for two seconds (`src/sequencer/load-shedding.test.ts`); a
 * test would then tell of the machine and not of the venue.
 */
import { QueueAge } from '../../src/journal/queue-age.ts';

QueueAge.prototype.ms = () => 0;
