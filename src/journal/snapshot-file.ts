import { createHash } from 'node:crypto';
import { dataViewOf, equalBytes, getUint53, hex, setUint53 } from './bytes.ts';
import type { Snapshot } from './command-journal.ts';
import { type Disk, type DiskFile, readWhole, withFile, writeFully } from './disk.ts';
import { snapshotName, unfinishedName } from './file-names.ts';
import { UnknownFormat, WrongInstance } from './journal-errors.ts';
import { INSTANCE_ID_BYTES } from './segment-format.ts';

/**
 * A snapshot file: header of 64 bytes, state, SHA-256 of both.
 *
 * | offset | bytes | field |
 * |---|---|---|
 * | 0 | 8 | magic |
 * | 8 | 4 | format version |
 * | 16 | 16 | instance id |
 * | 32 | 8 | sequence number of the last command in the state |
 * | 40 | 8 | length of the state |
 * | 48 | 16 | note of the caller, zeros when there is none |
 */
const MAGIC = new TextEncoder().encode('BRSSNAPS');
const SNAPSHOT_FORMAT_VERSION = 1;
const HEADER_BYTES = 64;
const NOTE_AT = 48;
export const SNAPSHOT_NOTE_BYTES = HEADER_BYTES - NOTE_AT;
const FOOTER_BYTES = 32;
const WRITE_STEP_BYTES = 1024 * 1024;

/** Under its final name the file is always complete: it gets the name after its contents are on the disk. */
export function writeSnapshotFile(disk: Disk, instanceId: Uint8Array, snapshot: Snapshot): void {
  const name = snapshotName(snapshot.seq);
  try {
    writeContents(disk.create(unfinishedName(name)), instanceId, snapshot);
  } catch (error) {
    // On a full disk the attempt must not occupy space that the journal needs.
    if (disk.list().includes(unfinishedName(name))) disk.unlink(unfinishedName(name));
    throw error;
  }
  disk.rename(unfinishedName(name), name);
  disk.syncDirectory();
}

function writeContents(opened: DiskFile, instanceId: Uint8Array, snapshot: Snapshot): void {
  const header = encodeHeader(instanceId, snapshot);
  const footer = createHash('sha256').update(header).update(snapshot.state).digest();
  withFile(opened, (file) => {
    writeFully(file, header, 0);
    for (let at = 0; at < snapshot.state.length; at += WRITE_STEP_BYTES) {
      writeFully(file, snapshot.state.subarray(at, at + WRITE_STEP_BYTES), HEADER_BYTES + at);
    }
    writeFully(file, footer, HEADER_BYTES + snapshot.state.length);
    file.sync();
  });
}

/** The first bytes of the state in a snapshot file, whatever the rest is like. */
export function snapshotStateStart(disk: Disk, seq: number, length: number): Uint8Array {
  return withFile(disk.open(snapshotName(seq)), (file) => file.read(HEADER_BYTES, length));
}

/** The snapshot, or its fault as text. An intact file of another instance is refused, not skipped. */
export function readSnapshotFile(disk: Disk, seq: number, instanceId: Uint8Array): Snapshot | string {
  const name = snapshotName(seq);
  const bytes = readWhole(disk, name);
  const stateEnd = bytes.length - FOOTER_BYTES;
  if (stateEnd < HEADER_BYTES) return `only ${bytes.length} bytes long`;
  const footer = createHash('sha256').update(bytes.subarray(0, stateEnd)).digest();
  if (!equalBytes(footer, bytes.subarray(stateEnd))) return 'contents do not match their SHA-256';
  if (!equalBytes(bytes.subarray(0, MAGIC.length), MAGIC)) return 'not a snapshot';
  const view = dataViewOf(bytes);
  const version = view.getUint32(8, true);
  if (version !== SNAPSHOT_FORMAT_VERSION) throw new UnknownFormat(name, version, SNAPSHOT_FORMAT_VERSION);
  const owner = bytes.subarray(16, 16 + INSTANCE_ID_BYTES);
  if (!equalBytes(owner, instanceId)) throw new WrongInstance(name, hex(owner), hex(instanceId));
  if (getUint53(view, 32) !== seq) return `holds the state after sequence ${getUint53(view, 32)}`;
  if (getUint53(view, 40) !== stateEnd - HEADER_BYTES) return 'has another length than its header says';
  const note = bytes.subarray(NOTE_AT, HEADER_BYTES);
  return { seq, state: bytes.subarray(HEADER_BYTES, stateEnd), note };
}

function encodeHeader(instanceId: Uint8Array, snapshot: Snapshot): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  const view = dataViewOf(header);
  header.set(MAGIC, 0);
  view.setUint32(8, SNAPSHOT_FORMAT_VERSION, true);
  header.set(instanceId, 16);
  setUint53(view, 32, snapshot.seq);
  setUint53(view, 40, snapshot.state.length);
  if (snapshot.note !== undefined) header.set(snapshot.note, NOTE_AT);
  return header;
}
