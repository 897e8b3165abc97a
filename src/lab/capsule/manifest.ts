/** What a capsule says of itself. It is checked like any input: a capsule comes from elsewhere. */

import { type Static, Type } from '../../validation/schema.ts';
import { fieldOf, SchemaCheck } from '../../validation/schema-check.ts';
import { CapsuleRefused } from './capsule-refused.ts';

const closed = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Up to the year 2100, as every clock of an exchange. */
const Time = Type.Number({ minimum: 0, maximum: Date.UTC(2100, 0) });
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Word = Type.String({ maxLength: 64 });

/** The exchange between two commands. */
const Point = Type.Object({ seq: Count, time: Time, stateHash: Hash }, closed);

const AccountFacts = Type.Object(
  {
    uid: Count,
    name: Word,
    /** The main account of a sub-account. */
    mainUid: Type.Union([Count, Type.Null()]),
  },
  closed,
);

export const MANIFEST = Type.Object(
  {
    program: Word,
    node: Word,
    formats: Type.Object({ state: Count, edition: Count }, closed),
    /** The settings that a session depends on, by name. */
    settings: Type.Record(
      Type.String(),
      Type.Union([Type.String({ maxLength: 65_536 }), Type.Number(), Type.Boolean()]),
    ),
    seed: Type.Number(),
    clock: Word,
    first: Point,
    last: Point,
    commands: Count,
    requests: Count,
    anonymised: Type.Boolean(),
    accounts: Type.Array(AccountFacts, { maxItems: 1_000_000 }),
    /** Faults that were set and the scenario that ran, as their parts of the laboratory describe them; null without. */
    faults: Type.Unknown(),
    scenario: Type.Unknown(),
  },
  closed,
);

export type Manifest = Static<typeof MANIFEST>;
export type CapsuleAccount = Static<typeof AccountFacts>;

const check = new SchemaCheck(MANIFEST);

/** Throws CapsuleRefused. */
export function readManifest(bytes: Uint8Array): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    throw new CapsuleRefused('the manifest of the capsule is no JSON');
  }
  if (!check.passes(value)) {
    const [fault] = check.faults;
    const where = fault === undefined ? '' : `: ${fieldOf(fault) || 'a field'} (${fault.keyword})`;
    throw new CapsuleRefused(`the manifest of the capsule is not one of this format${where}`);
  }
  const { first, last, commands } = value;
  if (last.seq < first.seq || commands > last.seq - first.seq)
    throw new CapsuleRefused(
      'the manifest of the capsule contradicts itself: its end is before its beginning',
    );
  return value;
}
