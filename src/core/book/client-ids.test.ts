import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ClientIds } from './client-ids.ts';
import { SLOT_STEP } from './order-slab.ts';

const OWNERS = 3;
const ORDERS = 40;
const SLOTS = ORDERS * SLOT_STEP;

/** Lengths around the ends of the records, other alphabets, and ids that differ in one character. */
const clientOid = fc.oneof(
  fc.constantFrom(...[1, 15, 16, 31, 32, 63, 64, 200].map((length) => 'a'.repeat(length))),
  fc.nat(20).map((n) => `client-order-${n}`),
  fc.constantFrom('ÿ'.repeat(31), 'Ā', '名'.repeat(20), '\0', '\0\0'),
  fc.string({ minLength: 1, maxLength: 70 }),
);

const HASHES = { 'by their hash': undefined, 'when all have one hash': () => 1 };

for (const [how, hash] of Object.entries(HASHES))
  test(`ids are kept and found ${how} as in a Map for each owner, whatever comes and goes`, () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(ORDERS - 1), fc.nat(OWNERS - 1), clientOid), {
          maxLength: 400,
          size: 'max',
        }),
        (moves) => {
          const ids = new ClientIds(hash);
          const owners = new Int32Array(SLOTS).fill(-1);
          const bySlot = new Map<number, string>();
          const byOwner = Array.from({ length: OWNERS }, () => new Map<string, number>());
          for (const [order, owner, id] of moves) {
            const slot = order * SLOT_STEP;
            const known = bySlot.get(slot);
            if (known !== undefined) {
              byOwner[owners[slot]!]!.delete(known);
              bySlot.delete(slot);
              ids.delete(slot, owners[slot]!);
            } else if (!byOwner[owner]!.has(id)) {
              owners[slot] = owner;
              byOwner[owner]!.set(id, slot);
              bySlot.set(slot, id);
              ids.set(slot, owner, id);
            }
            for (let each = 0; each < OWNERS; each++)
              equal(ids.find(each, id, owners), byOwner[each]!.get(id) ?? -1);
          }
          equal(ids.size, bySlot.size);
          for (let slot = 0; slot < SLOTS; slot += SLOT_STEP) equal(ids.get(slot), bySlot.get(slot));
          const found = byOwner.flatMap((names, owner) =>
            [...names].map(([id]) => ids.find(owner, id, owners)),
          );
          deepEqual(
            found,
            byOwner.flatMap((names) => [...names.values()]),
          );
        },
      ),
      { numRuns: 60 },
    );
  });
