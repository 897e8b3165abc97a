/**
 * Loaded into a server that a test starts: schemas that no request uses are not compiled. Servers compile the rest while
 * they are idle, a second of processor time that the tests beside need; `test/app/schemas.test.ts` compiles them all.
 */
import { SchemasOnDemand } from '../../src/http/schemas-on-demand.ts';

SchemasOnDemand.prototype.compileNext = () => false;
