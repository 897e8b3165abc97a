/** Files that are no capsules: changed, cut, swollen, or made to do harm. None of them is loaded. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { type Capsule, packCapsule, unpackCapsule } from '../../src/lab/capsule/capsule.ts';
import { CapsuleRefused } from '../../src/lab/capsule/capsule-refused.ts';
import { CAPSULE_BYTES_MAX, CONTENTS_BYTES_MAX, sealed } from '../../src/lab/capsule/envelope.ts';
import { replayCapsule } from '../../src/lab/capsule/replay-capsule.ts';
import { tarOf } from '../../src/lab/capsule/tar.ts';
import { type Bourse, startBourse } from '../../src/testkit/index.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const HEADER_BYTES = 68;
const HASH_AT = 36;
const RUNS = 200;

let bourse: Bourse;
let file: Buffer;
let capsule: Capsule;

before(async () => {
  bourse = await startBourse({ instruments: ['BTCUSDT'] });
  await bourse.account('alice').place({
    category: 'SPOT',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    qty: '0.01',
    price: '60000',
  });
  await bourse.advance('10s');
  const path = join(temporaryDirectory(), 'whole.capsule');
  await bourse.capsule(path, { since: '5s' });
  file = readFileSync(path);
  capsule = unpackCapsule(file);
});
after(() => bourse.close());

const refused = (bytes: Uint8Array, why?: RegExp) =>
  assert.throws(
    () => unpackCapsule(bytes),
    (error: Error) => error instanceof CapsuleRefused && (why?.test(error.message) ?? true),
    `${why}`,
  );

describe('a capsule is refused', () => {
  it('when any bit of it is another one', () => {
    const places = fc.nat(file.length * 8 - 1);
    // The first bytes are many kinds of fields: all of them, and some of the others.
    const flip = (bit: number) => {
      const changed = Buffer.from(file);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      refused(changed);
    };
    for (let bit = 0; bit < HEADER_BYTES * 8; bit++) flip(bit);
    fc.assert(fc.property(places, flip), { numRuns: RUNS });
  });

  it('when it is cut, or goes on', () => {
    const cut = (length: number) => refused(file.subarray(0, length));
    for (const length of [0, 1, HEADER_BYTES - 1, HEADER_BYTES, file.length - 1]) cut(length);
    fc.assert(fc.property(fc.nat(file.length - 1), cut), { numRuns: RUNS });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 600 }), (more) =>
        refused(Buffer.concat([file, more])),
      ),
      { numRuns: RUNS },
    );
    refused(Buffer.concat([file, file]));
  });

  it('when it would unpack to more than it says, or to more than there may be', () => {
    const bomb = zstdCompressSync(Buffer.alloc(64 * 2 ** 20));
    refused(enveloped(bomb, 1000), /cannot be unpacked|bytes instead of/);
    refused(enveloped(bomb, CONTENTS_BYTES_MAX + 1), /at most 512/);
    refused(enveloped(bomb, 2 ** 60), /at most 512/);
    refused(enveloped(Buffer.from('no zstd'), 7), /cannot be unpacked/);
    refused(Buffer.alloc(CAPSULE_BYTES_MAX + 1), /at most 256/);
  });

  it('when it is of a newer format, with both numbers', () => {
    const newer = enveloped(file.subarray(HEADER_BYTES), Number(file.readBigUInt64LE(28)), 2);
    refused(newer, /format 2, this version reads format 1/);
  });

  it('when its files have other names, another order, or are no files', () => {
    const tar = zstdDecompressSync(file.subarray(HEADER_BYTES));
    const names = ['manifest.json', 'state', 'commands', 'outcomes', 'requests.jsonl'];
    const plain = names.map((name) => ({ name, bytes: Buffer.from('x') }));
    for (const name of ['../../etc/passwd', '/etc/passwd', 'state', '', './manifest.json', 'C:\\x'])
      refused(sealed(tarOf(plain.with(0, { name, bytes: Buffer.from('x') }))), /must be manifest\.json/);
    refused(sealed(tarOf(plain.toReversed())), /must be manifest\.json/);
    refused(sealed(tarOf(plain.slice(0, -1))), /must be requests\.jsonl/);
    refused(sealed(tarOf([...plain, { name: 'more', bytes: Buffer.from('x') }])), /behind the last file/);
    for (const type of ['1', '2', '5', 'L', 'x', 'g']) {
      const link = Buffer.from(tar);
      link.write(type, 156, 'latin1');
      refused(sealed(link), /must be manifest\.json/);
    }
    fc.assert(
      fc.property(fc.nat(tar.length - 1), fc.integer({ min: 1, max: 255 }), (at, bits) => {
        const changed = Buffer.from(tar);
        changed[at]! ^= bits;
        // What is within a file may be anything that the file can hold; around it nothing may be another.
        try {
          unpackCapsule(sealed(changed));
        } catch (error) {
          assert.ok(error instanceof CapsuleRefused, String(error));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('when its manifest says what cannot be', () => {
    const { manifest } = capsule;
    const { first, last } = manifest;
    const changes = [
      { first: last, last: first },
      { last: { ...last, seq: last.seq + 1 } },
      { commands: 1e9 },
      { program: 7 },
      { more: true },
      { accounts: [{ uid: 'x', name: '', mainUid: null }] },
      { first: { ...first, stateHash: 'none' } },
      { seed: null },
    ];
    for (const change of changes)
      refused(packCapsule({ ...capsule, manifest: { ...manifest, ...change } as never }), /manifest/);
  });
});

describe('a capsule that is whole and means harm', () => {
  it('is replayed or refused, whatever its state and commands are', async () => {
    const anything = fc.oneof(
      fc.record({
        part: fc.constantFrom('state', 'command'),
        at: fc.nat(),
        bits: fc.integer({ min: 1, max: 255 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(anything, async ({ part, at, bits }) => {
        const state = Buffer.from(capsule.state);
        const records = capsule.records.map(({ seq, payload }) => ({ seq, payload: Buffer.from(payload) }));
        const target = part === 'state' ? state : records[at % records.length]!.payload;
        target[at % target.length]! ^= bits;
        const harmful = unpackCapsule(packCapsule({ ...capsule, state, records }));
        try {
          assert.equal(typeof (await replayCapsule(harmful)).same, 'boolean');
        } catch (error) {
          assert.ok(error instanceof CapsuleRefused, (error as Error).stack);
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** With a checksum that fits. */
function enveloped(packed: Uint8Array, length: number, format = 1): Buffer {
  const header = Buffer.from(file.subarray(0, HEADER_BYTES));
  header.writeUInt32LE(format, 16);
  header.writeBigUInt64LE(BigInt(packed.length), 20);
  header.writeBigUInt64LE(BigInt(length), 28);
  createHash('sha256').update(header.subarray(0, HASH_AT)).update(packed).digest().copy(header, HASH_AT);
  return Buffer.concat([header, packed]);
}
