/** The history in PostgreSQL: the contract of every history. */
import { historyContract } from '../history/history.contract.ts';
import { NO_SERVER } from './server.ts';
import { createStorage } from './storage.ts';

historyContract('postgres', createStorage, { keeps: true, skip: NO_SERVER });
