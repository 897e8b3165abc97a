/**
 * Proves and repairs the file of the generated past. The journal does not hold it: what its checksums do not explain needs a
 * backup.
 */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { copySpare, isShared, replaceBySpare } from '../../storage/shared-file.ts';
import { readMeta } from '../sqlite-schema.ts';
import { GENERATED_TABLES } from '../tables/tables.ts';
import { type Damage, Damages } from './damage.ts';
import { HistoryFile } from './history-file.ts';
import { HistoryRepair } from './repair.ts';
import { checkRows } from './row-checks.ts';
import { checkGeneratedSchema, checkStructure } from './structure.ts';

export interface GeneratedFindings {
  /** Rows whose checksum matches. */
  readonly sound: number;
  readonly damages: readonly Damage[];
  readonly damageCount: number;
}

const OWN_TABLES: ReadonlySet<string> = new Set(GENERATED_TABLES.map(({ name }) => name));

export function proveGenerated(path: string): GeneratedFindings {
  const damages = new Damages();
  const sound = existsSync(path) ? checkFile(path, damages) : missing(damages);
  const name = basename(path);
  // The history has tables of the same names.
  const named = damages.list.map((damage) =>
    OWN_TABLES.has(damage.table) ? damage : { ...damage, table: `${name} ${damage.table}` },
  );
  return { sound, damages: named, damageCount: damages.count };
}

function missing(damages: Damages): number {
  damages.add({ table: 'file', row: '', problem: 'does not exist' });
  return 0;
}

function checkFile(path: string, damages: Damages): number {
  let file: HistoryFile | undefined;
  try {
    file = HistoryFile.open(path);
    checkStructure(file.database, damages);
    readMeta(file.database, 'schema_version');
    checkGeneratedSchema(file.database, damages);
    const rows = checkRows(file, GENERATED_TABLES, true, damages);
    let step = rows.next();
    while (step.done !== true) step = rows.next();
    return step.value.sound;
  } catch (error) {
    damages.add({ table: 'file', row: '', problem: `cannot be read: ${(error as Error).message}` });
    return 0;
  } finally {
    file?.close();
  }
}

/** The number of rows that were rewritten; undefined when the file is beyond repair. */
export function repairGenerated(path: string): number | undefined {
  if (proveGenerated(path).damageCount === 0) return 0;
  // Snapshots of the laboratory keep the file as it was.
  if (isShared(path)) {
    copySpare(path);
    replaceBySpare(path);
  }
  const repair = new HistoryRepair(path);
  try {
    repair.begin();
    if (!repair.mendFile()) return undefined;
    repair.finishGenerated();
    return repair.rows;
  } finally {
    repair.close();
  }
}
