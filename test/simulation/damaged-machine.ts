/** Damage at rest (reliability 4, T6), tried on copies of a directory. */
import assert from 'node:assert/strict';
import { JournalRefused } from '../../src/journal/journal-errors.ts';
import { openSyncJournal } from '../../src/journal/sync-journal.ts';
import { replay } from '../../src/sequencer/recovery.ts';
import { damageSomewhere } from './damage.ts';
import type { SimulatedDisk } from './disk.ts';
import { Machine } from './machine.ts';
import { LOG } from './seams.ts';
import { SimulatedHistory } from './simulated-history.ts';

export class DamagedMachine extends Machine {
  /** Trials on copies of the directory: everything is recovered as if nothing had been, or the start is refused. */
  protected async tryDamage(): Promise<void> {
    const intact = this.disk.copy();
    const lastSeq = openSyncJournal(intact.copy(), LOG).report.lastSeq;
    this.checker.found(lastSeq);
    this.checker.recoveredTo(lastSeq);
    for (let trial = 0; trial < 3; trial++) {
      const damaged = intact.copy();
      const kind = damageSomewhere(damaged, this.random);
      const before = imageOf(damaged);
      try {
        await this.recoverDamaged(damaged, intact, lastSeq);
        this.statistics.count(`${kind}: recovered`);
      } catch (error) {
        if (!(error instanceof JournalRefused)) throw error;
        assert.equal(imageOf(damaged), before, 'a refusal changed the directory');
        this.statistics.count(`${kind}: refused`);
      }
    }
  }

  private async recoverDamaged(
    damaged: SimulatedDisk,
    intact: SimulatedDisk,
    lastSeq: number,
  ): Promise<void> {
    const found = this.seams.openDamaged?.(damaged, intact.copy()) ?? openSyncJournal(damaged, LOG);
    assert.equal(found.report.lastSeq, lastSeq, 'LOST: damage was taken for the end of the log');
    const watched = this.checker.watch(found.records, found.snapshot?.seq ?? 0, lastSeq);
    const { exchange } = await replay(found.snapshot, watched, new SimulatedHistory(this.store.copy()));
    this.checker.compareState(exchange.state);
  }
}

function imageOf(disk: SimulatedDisk): string {
  return disk
    .list()
    .map((name) => `${name} ${Buffer.from(disk.bytes(name)).toString('latin1')}`)
    .join('\n');
}
