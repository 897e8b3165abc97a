/** `npm run package`: makes the published package in `dist`, which is then packed. */
import { join } from 'node:path';
import { buildPackage } from './published-package.ts';

await buildPackage(join(import.meta.dirname, '../dist'));
