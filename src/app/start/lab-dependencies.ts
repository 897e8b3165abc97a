/** What the laboratory gets from the start of its exchange. */
import type { Logger } from 'pino';
import type { DemoAccount } from '../../identity/demo-accounts.ts';
import type { FaultsImage } from '../../lab/faults/faults.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import type { Components } from './components.ts';
import type { startExchange } from './start-exchange.ts';
import type { Venue } from './venue.ts';

export interface LabDependencies {
  readonly resolved: ResolvedConfig;
  readonly logger: Logger;
  readonly demo: readonly DemoAccount[];
  readonly failed: (error: Error) => void;
  /** What every branch shares. */
  readonly shared: Pick<Components, 'wallClock' | 'audit' | 'lock' | 'threads'>;
  /** Directory of the history, where it is a file. */
  readonly directory: string;
  /** The branch that the exchange has started on. */
  readonly branch: number;
  /** Faults in force from the start. */
  readonly faults: FaultsImage | undefined;
  readonly current: () => Venue;
  readonly start: typeof startExchange;
}
