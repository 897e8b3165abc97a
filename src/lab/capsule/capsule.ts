/** A capsule: a session that can be replayed, as one file. It is data; nothing in it is executed. */
import type { LoggedRecord } from '../../journal/command-journal.ts';
import { CapsuleRefused } from './capsule-refused.ts';
import { sealed, unsealed } from './envelope.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { filesIn, tarOf } from './tar.ts';

/** What came of a command when the session was recorded. */
export interface Outcome {
  readonly seq: number;
  readonly rejectReason: number;
  /** Digest of all results up to this command. */
  readonly digest: number;
  /** Checksum of its events. */
  readonly events: number;
}

export interface Capsule {
  readonly manifest: Manifest;
  /** The state of the exchange before the first command. */
  readonly state: Uint8Array;
  readonly records: readonly LoggedRecord[];
  readonly outcomes: readonly Outcome[];
  /** Lines of JSON, the oldest first. */
  readonly requests: string;
}

const FILES = ['manifest.json', 'state', 'commands', 'outcomes', 'requests.jsonl'] as const;
type FileBytes = [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
const LENGTH_BYTES = 4;
const OUTCOME_BYTES = 22;

/** Throws CapsuleRefused when it would be too large. */
export function packCapsule({ manifest, state, records, outcomes, requests }: Capsule): Buffer {
  const contents: Readonly<Record<(typeof FILES)[number], Uint8Array>> = {
    'manifest.json': Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`),
    state,
    commands: commandBytes(records),
    outcomes: outcomeBytes(outcomes),
    'requests.jsonl': Buffer.from(requests),
  };
  return sealed(tarOf(FILES.map((name) => ({ name, bytes: contents[name] }))));
}

/** Throws CapsuleRefused. */
export function unpackCapsule(file: Uint8Array): Capsule {
  const [manifestBytes, state, commands, outcomes, requests] = filesIn(unsealed(file), FILES) as FileBytes;
  const manifest = readManifest(manifestBytes);
  const records = readCommands(commands, manifest.first.seq);
  const lastSeq = records.at(-1)?.seq ?? manifest.first.seq;
  if (lastSeq !== manifest.last.seq)
    throw new CapsuleRefused(
      `the capsule ends with command ${lastSeq}, its manifest says ${manifest.last.seq}`,
    );
  return {
    manifest,
    state,
    records,
    outcomes: readOutcomes(outcomes, manifest.first.seq),
    requests: Buffer.from(requests).toString('utf8'),
  };
}

function commandBytes(records: readonly LoggedRecord[]): Buffer {
  return Buffer.concat(
    records.flatMap(({ payload }) => {
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32LE(payload.length);
      return [length, payload];
    }),
  );
}

function readCommands(bytes: Uint8Array, firstSeq: number): LoggedRecord[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: LoggedRecord[] = [];
  for (let at = 0; at < bytes.length; ) {
    const from = at + LENGTH_BYTES;
    const end = from <= bytes.length ? from + view.getUint32(at, true) : Number.POSITIVE_INFINITY;
    if (end > bytes.length) throw new CapsuleRefused('the commands of the capsule are cut off');
    records.push({ seq: firstSeq + records.length + 1, payload: bytes.subarray(from, end) });
    at = end;
  }
  return records;
}

function outcomeBytes(outcomes: readonly Outcome[]): Buffer {
  const bytes = Buffer.alloc(outcomes.length * OUTCOME_BYTES);
  for (const [n, { seq, rejectReason, digest, events }] of outcomes.entries()) {
    const at = n * OUTCOME_BYTES;
    bytes.writeDoubleLE(seq, at);
    bytes.writeUInt16LE(rejectReason, at + 8);
    bytes.writeDoubleLE(digest, at + 10);
    bytes.writeUInt32LE(events, at + 18);
  }
  return bytes;
}

function readOutcomes(bytes: Uint8Array, firstSeq: number): Outcome[] {
  if (bytes.length % OUTCOME_BYTES !== 0) throw new CapsuleRefused('the outcomes of the capsule are cut off');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let before = firstSeq;
  return Array.from({ length: bytes.length / OUTCOME_BYTES }, (_, n) => {
    const at = n * OUTCOME_BYTES;
    const seq = view.getFloat64(at, true);
    if (!Number.isSafeInteger(seq) || seq <= before)
      throw new CapsuleRefused('the outcomes of the capsule are not in the order of its commands');
    before = seq;
    return {
      seq,
      rejectReason: view.getUint16(at + 8, true),
      digest: view.getFloat64(at + 10, true),
      events: view.getUint32(at + 18, true),
    };
  });
}
