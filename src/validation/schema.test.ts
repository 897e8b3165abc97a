import assert from 'node:assert/strict';
import { test } from 'node:test';
import TypeBox from 'typebox';
import { Type } from './schema.ts';

type Builders = typeof Type;

/** One schema with every builder, as either library builds it. */
const everything = (of: Builders) =>
  of.Object(
    {
      list: of.Array(of.Integer({ minimum: 1 }), { maxItems: 3 }),
      flag: of.Boolean({ description: 'a switch' }),
      word: of.Enum(['buy', 'sell'], { description: 'a side' }),
      fixed: of.Literal('00000'),
      one: of.Literal(1),
      nothing: of.Null(),
      ratio: of.Number({ maximum: 1 }),
      name: of.Optional(of.String({ pattern: '^[a-z]+$' })),
      byCoin: of.Record(of.String(), of.String()),
      either: of.Union([of.Integer(), of.Null()]),
      any: of.Unknown(),
      inner: of.Optional(of.Object({ left: of.Optional(of.String()) })),
      empty: of.Object({}),
    },
    { additionalProperties: false, $id: 'everything' },
  );

test('schemas are those that TypeBox builds', () => {
  assert.equal(JSON.stringify(everything(Type)), JSON.stringify(everything(TypeBox)));
  assert.deepEqual(
    Object.keys(Type).toSorted(),
    [...new Set(everything.toString().match(/(?<=of\.)[A-Z]\w+/g))].toSorted(),
  );
});

test('a schema that is optional in one object stays required in another', () => {
  const text = Type.String();
  assert.deepEqual(Type.Object({ text: Type.Optional(text) }).required, undefined);
  assert.deepEqual(Type.Object({ text }).required, ['text']);
});
