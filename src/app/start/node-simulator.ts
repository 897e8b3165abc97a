/**
 * The market simulator of a cluster: it runs on the node that has the duty `market`. A node that takes the duty over cancels the
 * quotes of the last holder first.
 */
import type { Logger } from 'pino';
import type { Duty } from '../../cluster/engine.ts';
import type { ClusterNode } from '../../cluster/node.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import { withdrawnQuotes } from '../../simulator/house-accounts.ts';
import type { OpenSimulator } from './open-simulator.ts';

/** `open` opens the market on a sequencer; `changed` is called with the one that runs on this node now. */
export function runSimulatorOnDuty(
  node: ClusterNode,
  logger: Logger,
  open: (sequencer: Sequencer) => Promise<OpenSimulator | undefined>,
  changed: (simulator: OpenSimulator | undefined) => void,
): void {
  let running: OpenSimulator | undefined;
  let held: Duty | undefined;
  const begin = async (duty: Duty) => {
    const sequencer = node.sequencer.under(duty);
    // The last holder's packs are before the duty in the log.
    await node.sequencer.catchUp();
    await Promise.all(withdrawnQuotes(sequencer.state).map((command) => sequencer.submit(command)));
    const opened = await open(sequencer);
    if (held !== duty) {
      opened?.close();
      return;
    }
    running = opened;
    changed(running);
    running?.start();
    logger.info({ epoch: duty.epoch }, 'the market runs on this node');
  };
  node.duties.add('market', {
    wanted: () => node.isServing && node.isGateway && node.cutOff === undefined,
    begin: (duty) => {
      held = duty;
      begin(duty).catch((error: Error) => {
        logger.error({ err: error }, 'the market could not begin on this node');
        if (held === duty) node.duties.release('market').catch(() => {});
      });
    },
    end: () => {
      held = undefined;
      running?.close();
      running = undefined;
      changed(undefined);
    },
  });
}
