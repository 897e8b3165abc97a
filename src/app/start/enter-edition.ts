/**
 * Brings an exchange to the newest edition of the rule book (rules 13.12). The change is a command in the journal, so that
 * everything before it is replayed under the rules it was decided by.
 */
import type { Command, Unstamped } from '../../core/model/command.ts';
import { NEWEST_EDITION } from '../../core/model/edition.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import { submitMissing } from './bootstrap.ts';

/** Resolves with the edition that was in force before; equal to the newest when nothing changed. */
export async function enterNewestEdition(sequencer: Sequencer): Promise<number> {
  const { edition } = sequencer.state;
  await submitMissing(sequencer, () =>
    sequencer.state.edition < NEWEST_EDITION
      ? [{ type: 'setEdition', edition: NEWEST_EDITION, by: 'start' }]
      : [],
  );
  return edition;
}

/** Identity says who is a broker; the core learns it by `setBroker`, which an interrupted request may not have sent. */
export async function completeBrokers(sequencer: Sequencer, identity: Identity): Promise<void> {
  await submitMissing(sequencer, () => brokerCommands(sequencer, identity));
}

function brokerCommands({ state }: Sequencer, identity: Identity): Unstamped<Command>[] {
  const commands: Unstamped<Command>[] = [];
  for (const { uid, masterUid, house, broker } of state.accountByUid.values()) {
    if (house || masterUid !== 0) continue;
    const registered = identity.findUser(uid)?.broker === true;
    if (registered !== broker) commands.push({ type: 'setBroker', uid, broker: registered });
  }
  return commands;
}
