/** A fork in a process of its own (`isolated-fork.ts`). It ends with the process that started it. */
import type { DemoAccount } from '../../identity/demo-accounts.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import { createLogger } from '../observability/logging.ts';
import { type Branch, type RunningExchange, startExchange } from './start-exchange.ts';

export interface ForkOrder {
  readonly resolved: ResolvedConfig;
  readonly demo: readonly DemoAccount[];
  readonly branch: Branch;
}

export interface ForkReport {
  readonly url: string;
  readonly operatorUrl: string;
  readonly token: string;
  readonly seq: number;
  readonly time: number;
  readonly stateHash: string;
}

export type ForkMessage = { readonly ready: ForkReport } | { readonly failed: string };

let running: RunningExchange | undefined;

process.umask(0o077);
process.once('message', (order: ForkOrder) => {
  begin(order).catch(fail);
});
// Ctrl-C reaches every process of a terminal; the parent says when it ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => {
  const stopped = running?.stop() ?? Promise.resolve();
  void stopped.finally(() => process.exit(0));
});

async function begin({ resolved, demo, branch }: ForkOrder): Promise<void> {
  running = await startExchange(resolved, createLogger(resolved.config), fail, demo, branch);
  const { url, operatorUrl, operatorToken, sequencer } = running;
  tell({
    ready: {
      url,
      operatorUrl: operatorUrl!,
      token: operatorToken!,
      seq: sequencer.appliedSeq,
      time: sequencer.clock.now(),
      stateHash: stateHash(sequencer.state),
    },
  });
}

function fail({ message }: Error): void {
  tell({ failed: message }, () => process.exit(1));
}

function tell(message: ForkMessage, then: () => void = () => {}): void {
  process.send?.(message, undefined, undefined, then);
}
