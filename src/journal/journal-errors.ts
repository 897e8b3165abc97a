/** The disk failed, or the journal is closed. Final for this process: a failed sync is never tried again. */
export class JournalFailed extends Error {
  override readonly name = 'JournalFailed';
}

/** No space for the record now; the caller responds "busy" and may try again later. */
export class JournalFull extends Error {
  override readonly name = 'JournalFull';
}

/** The disk has no space for a file without which the journal cannot continue. */
export class SpaceMissing extends Error {
  override readonly name = 'SpaceMissing';
  readonly code = 'ENOSPC';
  readonly file: string;
  readonly neededBytes: number;

  constructor(file: string, neededBytes: number) {
    super(`ENOSPC: ${file} needs ${neededBytes} bytes`);
    this.file = file;
    this.neededBytes = neededBytes;
  }
}

/** The directory cannot be opened without guessing. Recovery has changed nothing when it throws this. */
export class JournalRefused extends Error {
  override readonly name: string = 'JournalRefused';
}

/** Place of the damage, as far as it is known. */
export interface DamagePlace {
  readonly file: string;
  readonly segment: number;
  readonly offset: number;
  /** The first sequence number that cannot be trusted. */
  readonly seq: number;
}

/** Acknowledged records are damaged or missing. */
export class JournalDamaged extends JournalRefused {
  override readonly name = 'JournalDamaged';
  readonly place: DamagePlace;

  constructor(what: string, place: DamagePlace) {
    super(
      `log damaged: ${what} (file ${place.file}, segment ${place.segment}, offset ${place.offset}, ` +
        `sequence ${place.seq}). Nothing was changed. Restore this directory from a backup or a replica; ` +
        'do not delete or edit its files by hand.',
    );
    this.place = place;
  }
}

/** Files of two different exchanges lie in one directory. */
export class WrongInstance extends JournalRefused {
  override readonly name = 'WrongInstance';

  constructor(file: string, found: string, expected: string) {
    super(
      `${file} belongs to instance ${found}, this directory to instance ${expected}. ` +
        'Files of two exchanges were mixed: move the foreign files away.',
    );
  }
}

/** The file is intact, but written by a version of the journal that this program does not know. */
export class UnknownFormat extends JournalRefused {
  override readonly name = 'UnknownFormat';

  constructor(file: string, found: number, known: number) {
    super(
      `${file} has format version ${found}, this program reads version ${known}. ` +
        'Start the version of the program that wrote it.',
    );
  }
}

/** Another process works on the directory. */
export class DirectoryLocked extends JournalRefused {
  override readonly name = 'DirectoryLocked';
  readonly pid: number | undefined;

  constructor(directory: string, pid: number | undefined) {
    super(
      `${directory} is in use by process ${pid ?? '(pid unknown)'}. Stop it first, or choose another directory.`,
    );
    this.pid = pid;
  }
}
