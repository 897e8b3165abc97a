/** The rates of interface 8 have a server of their own: the others are asked too often for any limit. */
import { rates } from './rates.contract.ts';

rates();
